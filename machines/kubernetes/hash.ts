// Hashes for names and template comparison: 64 bits from two FNV-1a halves with a final mix,
// written in the alphabet that Kubernetes uses for safe names. They are opaque: compare for
// equality only (spec controllers 5.1).
import { isObject } from './json.ts';

/** Consonants and digits: no vowels, so no words; valid at any place of a name. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

const mix = (value: number): number => {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};

function halves(text: string): readonly [number, number] {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x5bd1e995);
  }
  return [mix(a), mix(b ^ text.length)];
}

/** `length` characters of the safe alphabet that depend on all of the text. At most 11. */
export function shortHash(text: string, length: number): string {
  const [a, b] = halves(text);
  // 53 bits: what a double holds exactly, enough for 11 characters.
  return written(a * 0x200000 + (b >>> 11), length);
}

/** All words of so many characters of the safe alphabet. */
export const wordCount = (length: number): number => alphabet.length ** length;

/**
 * One of these words for each number, in an order that depends on all of the seed: no two numbers
 * have the same until every word had its turn, where hashes of some thousand have two of a kind.
 * At most 5 characters.
 */
export function wordOf(seed: string, number: number, length: number): string {
  const count = wordCount(length);
  const [a, b] = halves(seed);
  // Coprime to the number of words, a power of three.
  const step = (a - (a % 3) + 1) % count;
  return written(((number % count) * step + b) % count, length);
}

function written(value: number, length: number): string {
  let rest = value;
  let out = '';
  for (let i = 0; i < length; i++) {
    out += alphabet.charAt(rest % alphabet.length);
    rest = Math.floor(rest / alphabet.length);
  }
  return out;
}

/**
 * An opaque hash of a JSON value: keys in any order give the same, lists in another order do not.
 */
export const jsonHash = (value: unknown): string => shortHash(canonical(value), 11);

/** JSON with sorted keys. What JSON cannot hold is null. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    let items = '';
    for (const item of value) items += `${items === '' ? '' : ','}${canonical(item)}`;
    return `[${items}]`;
  }
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  let fields = '';
  for (const key of Object.keys(value).toSorted()) {
    if (value[key] === undefined) continue;
    fields += `${fields === '' ? '' : ','}${JSON.stringify(key)}:${canonical(value[key])}`;
  }
  return `{${fields}}`;
}
