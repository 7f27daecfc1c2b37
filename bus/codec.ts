// Facts, envelopes, payloads and answers as bytes and back. Called by both implementations of the
// port, so that the memory bus hands over copies and refuses exactly what NATS would refuse.
import { factKinds, type Answer, type Causality, type Envelope, type Fact } from '#actors/ports.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import { errorTable, type ErrorCode } from '#machines/contract/errors.ts';
import { allActorKinds } from '#machines/kinds.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { decoded, notDecoded, read, type Decoded, type Reader } from './decoded.ts';
import { busLimits } from './limits.ts';
import {
  decodeObject,
  decodeRecord,
  encodeRecord,
  encodeSummed,
  isWhole,
  wireVersion,
} from './wire.ts';

/** An envelope as it travels; a copy tells of a message that its sender handed over already. */
export interface Posted {
  readonly envelope: Envelope;
  readonly copy: boolean;
}

/** A fact whose data is too large goes without it: that it happened is most of the news. */
export function encodeFact(fact: Fact): Decoded<Uint8Array> {
  const whole = encodeRecord(factRecord(fact, fact.data));
  if (whole.ok) return whole;
  return encodeRecord(factRecord(fact, { omitted: whole.problem }));
}

function factRecord(fact: Fact, data: JsonObject): object {
  const { id, cause, trace, at, about, what } = fact;
  return { v: wireVersion, id, cause, trace, at, about: plainKey(about), what, data };
}

export function decodeFact(bytes: Uint8Array): Decoded<Fact> {
  const record = decodeRecord(bytes);
  if (!record.ok) return record;
  return read(record.value, (reader) => ({
    ...readCausality(reader),
    about: readKey(reader.into('about')),
    what: reader.oneOf('what', factKinds),
    data: reader.record('data'),
  }));
}

export function encodeEnvelope(envelope: Envelope, copy: boolean): Decoded<Uint8Array> {
  const { id, cause, trace, at, to, root, shard, epoch, view, key, value } = envelope;
  return encodeSummed({
    v: wireVersion,
    copy,
    id,
    cause,
    trace,
    at,
    to: plainKey(to),
    root: plainKey(root),
    shard,
    epoch,
    view,
    key,
    value,
  });
}

export function decodeEnvelope(bytes: Uint8Array): Decoded<Posted> {
  const record = decodeRecord(bytes);
  if (!record.ok) return record;
  const posted = read(record.value, (reader) => ({
    copy: reader.boolean('copy'),
    envelope: {
      ...readCausality(reader),
      to: readKey(reader.into('to')),
      root: readKey(reader.into('root')),
      shard: reader.integer('shard', 0, busLimits.maxShard),
      epoch: reader.integer('epoch', 0, Number.MAX_SAFE_INTEGER),
      view: reader.text('view', busLimits.maxIdLength),
      key: reader.text('key', busLimits.maxSubjectLength),
      value: reader.text('value', busLimits.maxErrorText),
    },
  }));
  if (!posted.ok || isWhole(bytes)) return posted;
  return notDecoded('sum', 'must be the checksum of what is before it: it was damaged on its way');
}

const copyStart = new TextEncoder().encode(`{"v":${wireVersion},"copy":true,`);

/** Tells copies of ours apart by their first bytes: their receivers need not parse them. */
export function isPlainlyCopy(bytes: Uint8Array): boolean {
  return copyStart.every((byte, index) => bytes[index] === byte);
}

/** The payload of a question: any object; nothing at all stands for the empty one. */
export function decodePayload(bytes: Uint8Array): Decoded<JsonObject> {
  return bytes.length === 0 ? decoded({}) : decodeObject(bytes);
}

/** Always an answer: one that cannot be written is replaced by one that says so. */
export function encodeAnswer(answer: Answer): Uint8Array {
  const bytes = encodeRecord({ v: wireVersion, ...answer });
  if (bytes.ok) return bytes.value;
  const message = `the answer ${bytes.problem}`.slice(0, busLimits.maxErrorText);
  const substitute = encodeRecord({ v: wireVersion, ok: false, code: 'TOO_LARGE', message });
  return substitute.ok ? substitute.value : new Uint8Array();
}

export function decodeAnswer(bytes: Uint8Array): Decoded<Answer> {
  const record = decodeRecord(bytes);
  if (!record.ok) return record;
  return read<Answer>(record.value, (reader) => {
    if (reader.boolean('ok')) return { ok: true, data: reader.record('data') };
    const message = reader.text('message', busLimits.maxMessageBytes);
    return { ok: false, code: reader.oneOf('code', errorCodes), message };
  });
}

const errorCodes: readonly ErrorCode[] = Object.keys(errorTable).filter(isErrorCode);

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

/** The key's own three fields: whoever made it may have hung more on the object. */
const plainKey = ({ kind, namespace, name }: ActorKey): ActorKey => ({ kind, namespace, name });

function readKey(reader: Reader): ActorKey {
  return {
    kind: reader.oneOf('kind', allActorKinds()),
    namespace: reader.text('namespace', busLimits.maxTokenLength),
    name: reader.text('name', busLimits.maxTokenLength),
  };
}

function readCausality(reader: Reader): Causality {
  return {
    id: reader.text('id', busLimits.maxIdLength),
    cause: reader.text('cause', busLimits.maxIdLength),
    trace: reader.text('trace', busLimits.maxIdLength),
    at: reader.number('at'),
  };
}
