// The result of every decoder of the bus, and a reader that walks a record field by field. Decoders
// are total: hostile input yields which field is wrong and what is wrong with it, never a throw.
import { isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';

export interface NotDecoded {
  readonly ok: false;
  /** Path of the field, e.g. `from.namespace`; empty where the whole message is meant. */
  readonly field: string;
  readonly problem: string;
}

export type Decoded<T> = { readonly ok: true; readonly value: T } | NotDecoded;

export const decoded = <T>(value: T): Decoded<T> => ({ ok: true, value });
export const notDecoded = (field: string, problem: string): NotDecoded => ({
  ok: false,
  field,
  problem,
});

/** One line for logs and answers: `from.namespace: must be a string, is a number`. */
export const decodeErrorText = (decodeError: NotDecoded): string =>
  decodeError.field === '' ? decodeError.problem : `${decodeError.field}: ${decodeError.problem}`;

/** What a value is, for people. */
export function describe(value: unknown): string {
  if (value === undefined) return 'is missing';
  if (value === null) return 'is null';
  if (Array.isArray(value)) return 'is a list';
  if (typeof value === 'string') return `is ${JSON.stringify(shorten(value))}`;
  return typeof value === 'object' ? 'is an object' : `is ${String(value)}`;
}

const shorten = (text: string): string => (text.length > 64 ? `${text.slice(0, 61)}...` : text);

/** Thrown by a Reader, caught by `read`; never leaves this file. */
class DecodeError extends Error {
  readonly field: string;

  constructor(field: string, problem: string) {
    super(problem);
    this.field = field;
  }
}

/** Runs a decoder written with a Reader and turns its first complaint into a value. */
export function read<T>(record: JsonObject, decode: (reader: Reader) => T): Decoded<T> {
  try {
    return decoded(decode(new Reader(record, '')));
  } catch (error) {
    if (error instanceof DecodeError) return notDecoded(error.field, error.message);
    throw error;
  }
}

/** Typed access to the own fields of a record; unknown ones are not looked at. */
export class Reader {
  readonly #record: JsonObject;
  readonly #path: string;

  constructor(record: JsonObject, path: string) {
    this.#record = record;
    this.#path = path;
  }

  text(field: string, maxLength: number): string {
    const value = this.#own(field);
    if (typeof value !== 'string') throw this.#wrong(field, 'a string', value);
    if (value.length > maxLength) {
      const problem = `must have at most ${maxLength} characters, has ${value.length}`;
      throw new DecodeError(this.#pathOf(field), problem);
    }
    return value;
  }

  integer(field: string, least: number, most: number): number {
    const value = this.#own(field);
    const isInteger = typeof value === 'number' && Number.isSafeInteger(value);
    if (isInteger && value >= least && value <= most) return value;
    throw this.#wrong(field, `an integer from ${least} to ${most}`, value);
  }

  number(field: string): number {
    const value = this.#own(field);
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    throw this.#wrong(field, 'a number', value);
  }

  boolean(field: string): boolean {
    const value = this.#own(field);
    if (typeof value === 'boolean') return value;
    throw this.#wrong(field, 'true or false', value);
  }

  oneOf<T extends string>(field: string, allowed: readonly T[]): T {
    const value = this.#own(field);
    const found = allowed.find((candidate) => candidate === value);
    if (found !== undefined) return found;
    throw this.#wrong(field, `one of ${allowed.join(', ')}`, value);
  }

  record(field: string): JsonObject {
    const value = this.#own(field);
    if (isObject(value)) return value;
    throw this.#wrong(field, 'an object', value);
  }

  /** A reader of the object in a field; its complaints carry the whole path. */
  into(field: string): Reader {
    return new Reader(this.record(field), this.#pathOf(field));
  }

  #own(field: string): unknown {
    return Object.hasOwn(this.#record, field) ? this.#record[field] : undefined;
  }

  #pathOf(field: string): string {
    return this.#path === '' ? field : `${this.#path}.${field}`;
  }

  #wrong(field: string, wanted: string, value: unknown): DecodeError {
    return new DecodeError(this.#pathOf(field), `must be ${wanted}, ${describe(value)}`);
  }
}
