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
    if (typeof value !== 'string') throw this.#wrong(field, `must be a string, ${describe(value)}`);
    if (value.length > maxLength) {
      throw this.#wrong(field, `must have at most ${maxLength} characters, has ${value.length}`);
    }
    return value;
  }

  integer(field: string, least: number, most: number): number {
    const value = this.#own(field);
    if (
      !Number.isSafeInteger(value) ||
      typeof value !== 'number' ||
      value < least ||
      value > most
    ) {
      throw this.#wrong(field, `must be an integer from ${least} to ${most}, ${describe(value)}`);
    }
    return value;
  }

  number(field: string): number {
    const value = this.#own(field);
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw this.#wrong(field, `must be a number, ${describe(value)}`);
    }
    return value;
  }

  boolean(field: string): boolean {
    const value = this.#own(field);
    if (typeof value !== 'boolean') {
      throw this.#wrong(field, `must be true or false, ${describe(value)}`);
    }
    return value;
  }

  oneOf<T extends string>(field: string, allowed: readonly T[]): T {
    const value = this.#own(field);
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) {
      throw this.#wrong(field, `must be one of ${allowed.join(', ')}, ${describe(value)}`);
    }
    return found;
  }

  record(field: string): JsonObject {
    const value = this.#own(field);
    if (!isObject(value)) throw this.#wrong(field, `must be an object, ${describe(value)}`);
    return value;
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

  #wrong(field: string, problem: string): DecodeError {
    return new DecodeError(this.#pathOf(field), problem);
  }
}
