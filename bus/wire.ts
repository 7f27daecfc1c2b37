// Bytes and versioned JSON records: size limit, UTF-8, JSON, `v`, and nothing that could reach a
// prototype. The layer below codec.ts, which knows the fields.
import { crc32 } from 'node:zlib';
import { isObject } from '#machines/kubernetes/json.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import { decoded, describe, notDecoded, type Decoded } from './decoded.ts';
import { busLimits } from './limits.ts';

/** Raised when yesterday's process could not read a message; new fields do not need it. */
export const wireVersion = 1;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** JSON as bytes. A decode error for what JSON cannot hold (cycles, BigInt) and what is too large.
 *  */
export function encodeRecord(record: object): Decoded<Uint8Array> {
  return encodeText(() => JSON.stringify(record));
}

/** The same, with a checksum of all before it as its last field, so that a message which was
 *  damaged on its way is told from one that was meant. Anybody can compute it: it proves nothing
 *  else. */
export function encodeSummed(record: object): Decoded<Uint8Array> {
  return encodeText(() => {
    const open = JSON.stringify(record).slice(0, -1);
    return `${open}${sumField(crc32(open))}`;
  });
}

/** Whether its checksum is right. */
export function isWhole(bytes: Uint8Array): boolean {
  const end = bytes.length - sumLength;
  if (end <= 0) return false;
  const field = sumField(crc32(bytes.subarray(0, end)));
  return encoder.encode(field).every((byte, at) => bytes[end + at] === byte);
}

const sumField = (sum: number): string => `,"sum":"${sum.toString(16).padStart(8, '0')}"}`;
const sumLength = sumField(0).length;

function encodeText(write: () => string): Decoded<Uint8Array> {
  try {
    const bytes = encoder.encode(write());
    return bytes.length > busLimits.maxMessageBytes ? tooLarge(bytes.length) : decoded(bytes);
  } catch (error) {
    return notDecoded('', `cannot be written as JSON: ${String(error)}`);
  }
}

/** A record of our version. Unknown fields are kept. */
export function decodeRecord(bytes: Uint8Array): Decoded<JsonObject> {
  const record = decodeObject(bytes);
  if (!record.ok) return record;
  const version = Object.hasOwn(record.value, 'v') ? record.value['v'] : undefined;
  if (version === wireVersion) return record;
  return notDecoded('v', `must be ${wireVersion}, ${describe(version)}`);
}

/** Any JSON object, without a version: what people type as the payload of a question. */
export function decodeObject(bytes: Uint8Array): Decoded<JsonObject> {
  if (bytes.length > busLimits.maxMessageBytes) return tooLarge(bytes.length);
  try {
    const value: unknown = parseSafely(decoder.decode(bytes));
    return isObject(value)
      ? decoded(value)
      : notDecoded('', `must be an object, ${describe(value)}`);
  } catch (error) {
    return notDecoded('', `is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const tooLarge = (bytes: number) =>
  notDecoded('', `must have at most ${busLimits.maxMessageBytes} bytes, has ${bytes}`);

/** Leaves out every field called `__proto__`: assigned to another object by whoever reads the
 *  value, it would replace that object's prototype. The look at the text keeps it cheap. */
function parseSafely(text: string): unknown {
  if (!text.includes('__proto__') && !text.includes('\\u00')) return JSON.parse(text);
  return JSON.parse(text, (key, value: Json) => (key === '__proto__' ? undefined : value));
}
