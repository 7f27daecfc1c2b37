// Kubernetes objects in protobuf to the JSON that they stand for. kubectl's typed commands (create
// deployment, auth whoami, drain) send built-in kinds so; the answers are JSON, which they accept.
import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import { isRecord } from '#src/devcluster/schema/record.ts';
import { floating, MalformedProtobuf, readFields, signed } from './wire.ts';
import type { WireField } from './wire.ts';

export const protobufType = 'application/vnd.kubernetes.protobuf';

/** `k8s` and a zero byte stand before the envelope. */
const magic = Buffer.from([0x6b, 0x38, 0x73, 0]);

interface FieldType {
  readonly name: string;
  /** string, int, ..., or the name of a message. */
  readonly type: string;
  readonly shape: 'one' | 'list' | 'map' | 'inline';
  /** A pointer in Go: there is a difference between its zero and its absence. */
  readonly pointer: boolean;
}

type Message = ReadonlyMap<number, FieldType>;

interface Catalogue {
  /** `apps/v1/Deployment` to the name of its message. */
  readonly kinds: ReadonlyMap<string, string>;
  readonly messages: ReadonlyMap<string, Message>;
}

let loaded: Catalogue | undefined;

/** Read at the first request that needs it. */
function catalogue(): Catalogue {
  loaded ??= load();
  return loaded;
}

function load(): Catalogue {
  const url = new URL('./data/messages.json', import.meta.url);
  const data: unknown = JSON.parse(readFileSync(url, 'utf8'));
  if (!isRecord(data) || !isRecord(data['kinds']) || !isRecord(data['messages'])) {
    throw new Error(`${url.pathname}: not a data file`);
  }
  const kinds = Object.entries(data['kinds']).map(([key, name]) => [key, String(name)] as const);
  const messages = Object.entries(data['messages']).map(
    ([name, fields]) => [name, messageOf(fields)] as const,
  );
  return { kinds: new Map(kinds), messages: new Map(messages) };
}

function messageOf(fields: unknown): Message {
  const entries = Object.entries(isRecord(fields) ? fields : {});
  return new Map(
    entries.map(([number, entry]) => {
      const [name, type] = Array.isArray(entry) ? entry : [];
      return [Number(number), fieldType(String(name), String(type))];
    }),
  );
}

function fieldType(name: string, text: string): FieldType {
  const pointer = text.includes('*');
  const type = text.replaceAll(/[*^]|\[\]|\{\}/g, '');
  const shape = text.includes('{}') ? 'map' : text.includes('[]') ? 'list' : 'one';
  return { name, type, pointer, shape: text.startsWith('^') ? 'inline' : shape };
}

/** The object in a body. Throws MalformedProtobuf, also for a kind that it does not know. */
export function decodeProtobuf(body: Uint8Array): JsonObject {
  if (!magic.equals(body.subarray(0, magic.length))) {
    throw new MalformedProtobuf('the body does not begin like a Kubernetes protobuf object');
  }
  const envelope = readFields(body.subarray(magic.length));
  const identity = readFields(bytesAt(envelope, 1));
  const apiVersion = textOf(bytesAt(identity, 1));
  const kind = textOf(bytesAt(identity, 2));
  const { kinds } = catalogue();
  // Options travel under the group of what they are for.
  const name = kinds.get(`${apiVersion}/${kind}`) ?? kinds.get(`v1/${kind}`);
  if (name === undefined) {
    throw new MalformedProtobuf(`no protobuf form of ${apiVersion} ${kind} is known here`);
  }
  return { apiVersion, kind, ...decodeMessage(name, bytesAt(envelope, 2)) };
}

const nothing = new Uint8Array();
const bytesAt = (fields: readonly WireField[], number: number): Uint8Array =>
  fields.find((field) => field.number === number)?.bytes ?? nothing;
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

function decodeMessage(name: string, bytes: Uint8Array): JsonObject {
  const message = catalogue().messages.get(name);
  if (message === undefined) throw new MalformedProtobuf(`no message ${name}`);
  const object: JsonObject = {};
  for (const field of readFields(bytes)) {
    const type = message.get(field.number);
    if (type !== undefined) addField(object, type, field);
  }
  return object;
}

function addField(object: JsonObject, field: FieldType, wire: WireField): void {
  const { name, type, shape } = field;
  if (shape === 'inline') {
    Object.assign(object, decodeMessage(type, wire.bytes));
  } else if (shape === 'map') {
    const map = object[name];
    const entry = readFields(wire.bytes);
    const value = entry.find((part) => part.number === 2) ?? emptyField;
    const known = typeof map === 'object' && map !== null && !Array.isArray(map) ? map : {};
    known[textOf(bytesAt(entry, 1))] = decodeValue(type, value) ?? '';
    object[name] = known;
  } else if (shape === 'list') {
    const list = object[name];
    const value = decodeValue(type, wire);
    if (value !== undefined) object[name] = [...(Array.isArray(list) ? list : []), value];
  } else {
    const value = decodeValue(type, wire);
    // Go writes its zero values too; in JSON they would not be there.
    if (value !== undefined && (field.pointer || !isZero(value))) object[name] = value;
  }
}

const emptyField: WireField = { number: 2, value: 0n, bytes: nothing };

const isZero = (value: Json): boolean => value === '' || value === 0 || value === false;

/** undefined: a time that was never set. */
function decodeValue(type: string, { value, bytes }: WireField): Json | undefined {
  switch (type) {
    case 'string':
      return textOf(bytes);
    case 'bool':
      return value !== 0n;
    case 'int':
      return signed(value);
    case 'double':
      return floating(value);
    case 'bytes':
      return Buffer.from(bytes).toString('base64');
    case 'time':
      return decodeTime(bytes, 0);
    case 'microTime':
      return decodeTime(bytes, 6);
    case 'duration':
      return `${signed(numberAt(readFields(bytes), 1)) / 1e9}s`;
    case 'quantity':
      return textOf(bytesAt(readFields(bytes), 1));
    case 'intOrString':
      return decodeIntOrString(readFields(bytes));
    case 'raw':
      return JSON.parse(textOf(bytesAt(readFields(bytes), 1)) || 'null');
    case 'strings':
      return readFields(bytes).map((field) => textOf(field.bytes));
    default:
      return decodeMessage(type, bytes);
  }
}

const numberAt = (fields: readonly WireField[], number: number): bigint =>
  fields.find((field) => field.number === number)?.value ?? 0n;

function decodeIntOrString(fields: readonly WireField[]): Json {
  const isText = numberAt(fields, 1) === 1n;
  return isText ? textOf(bytesAt(fields, 3)) : signed(numberAt(fields, 2));
}

function decodeTime(bytes: Uint8Array, digits: number): Json | undefined {
  if (bytes.length === 0) return undefined;
  const fields = readFields(bytes);
  const seconds = signed(numberAt(fields, 1));
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  const nanos = String(signed(numberAt(fields, 2))).padStart(9, '0');
  return digits === 0 ? `${text}Z` : `${text}.${nanos.slice(0, digits)}Z`;
}
