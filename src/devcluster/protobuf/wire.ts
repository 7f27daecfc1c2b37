// The protobuf wire format, as far as Kubernetes uses it: tags, varints, lengths and fixed numbers.
// decode.ts reads messages with it.

/** One field as it stands on the wire. */
export interface WireField {
  readonly number: number;
  /** Of varints and fixed numbers. */
  readonly value: bigint;
  /** Of strings, bytes and messages. */
  readonly bytes: Uint8Array;
}

/** Bytes that are no protobuf message. */
export class MalformedProtobuf extends Error {}

const nothing = new Uint8Array();

/** The fields of a message in their order. Throws MalformedProtobuf. */
export function readFields(bytes: Uint8Array): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new MalformedProtobuf(`a number at byte ${at} does not end`);
  };
  const take = (count: number): Uint8Array => {
    if (at + count > bytes.length) {
      throw new MalformedProtobuf(`${count} bytes were announced at byte ${at}, fewer are there`);
    }
    at += count;
    return bytes.subarray(at - count, at);
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    const kind = Number(tag & 7n);
    if (kind === 0) fields.push({ number, value: varint(), bytes: nothing });
    else if (kind === 1) fields.push({ number, value: fixed(take(8)), bytes: nothing });
    else if (kind === 2) fields.push({ number, value: 0n, bytes: take(Number(varint())) });
    else if (kind === 5) fields.push({ number, value: fixed(take(4)), bytes: nothing });
    else throw new MalformedProtobuf(`wire type ${kind} at byte ${at} is not known`);
  }
  return fields;
}

function fixed(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let at = bytes.length - 1; at >= 0; at--) value = (value << 8n) | BigInt(bytes[at] ?? 0);
  return value;
}

/** A varint as the signed number that int32 and int64 mean by it. */
export const signed = (value: bigint): number => Number(BigInt.asIntN(64, value));

/** The 64 bits of a fixed number as a floating-point one. */
export function floating(value: bigint): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, value);
  return view.getFloat64(0);
}
