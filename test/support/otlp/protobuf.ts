// A reader of protobuf's wire format: https://protobuf.dev/programming-guides/encoding. Used by
// spans.ts.

/** What a message has, by the number of the field, in order: a number, or bytes. */
export type Fields = ReadonlyMap<number, readonly (bigint | Uint8Array)[]>;

export function fieldsOf(message: Uint8Array): Fields {
  const fields = new Map<number, (bigint | Uint8Array)[]>();
  const reader = new Reader(message);
  while (!reader.isOver) {
    const tag = Number(reader.varint());
    const number = tag >>> 3;
    const values = fields.get(number) ?? [];
    values.push(reader.value(tag & 7));
    fields.set(number, values);
  }
  return fields;
}

const none = new Uint8Array();

export function bytesAt(fields: Fields, number: number): Uint8Array {
  const value = fields.get(number)?.at(-1);
  return typeof value === 'bigint' || value === undefined ? none : value;
}

export const textAt = (fields: Fields, number: number): string =>
  Buffer.from(bytesAt(fields, number)).toString('utf8');

export function numberAt(fields: Fields, number: number): number {
  const value = fields.get(number)?.at(-1);
  return typeof value === 'bigint' ? Number(BigInt.asIntN(64, value)) : 0;
}

/** 64 bits of fixed length. */
export function fixedAt(fields: Fields, number: number): bigint {
  const bytes = bytesAt(fields, number);
  return bytes.length === 8 ? Buffer.from(bytes).readBigUInt64LE() : 0n;
}

/** Each value as a message. */
export const partsAt = (fields: Fields, number: number): readonly Fields[] =>
  (fields.get(number) ?? []).flatMap((value) =>
    typeof value === 'bigint' ? [] : [fieldsOf(value)],
  );

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isOver(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Error('the message ends within a number');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  value(type: number): bigint | Uint8Array {
    if (type === 0) return this.varint();
    if (type === 1) return this.#take(8);
    if (type === 5) return this.#take(4);
    if (type === 2) return this.#take(Number(this.varint()));
    throw new Error(`there is no wire type ${type}`);
  }

  #take(length: number): Uint8Array {
    const part = this.#bytes.subarray(this.#at, this.#at + length);
    if (part.length < length) throw new Error('the message ends within a field');
    this.#at += length;
    return part;
  }
}
