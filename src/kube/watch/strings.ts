// Equal strings of objects are one in memory: labels, kinds, times, UIDs of owners come with each
// object anew, and were 3 of the 17 KB that live for each pod. prune.ts calls it for what was
// parsed.

/** Longer ones are messages and scripts, and seldom the same. */
const longest = 128;

/** Strings that are remembered, twice: what was not met again while so many others came is
 *  forgotten. */
const most = 8_192;

let young = new Map<string, string>();
let old = new Map<string, string>();

/** In place of each string in it an equal one that another object has already, as far as it is
 *  remembered. What is frozen stays as it is. */
export function shareStrings<T extends object>(value: T): T {
  shareWithin(value);
  return value;
}

function shareWithin(item: unknown): void {
  if (typeof item !== 'object' || item === null || Object.isFrozen(item)) return;
  if (isList(item)) {
    for (const [at, one] of item.entries()) {
      if (typeof one === 'string') item[at] = shared(one);
      else shareWithin(one);
    }
  } else if (hasFields(item)) {
    for (const key of Object.keys(item)) {
      const one = item[key];
      if (typeof one !== 'string') shareWithin(one);
      // Each version is another one.
      else if (key !== 'resourceVersion') item[key] = shared(one);
    }
  }
}

const isList = (item: object): item is unknown[] => Array.isArray(item);
const hasFields = (item: object): item is Record<string, unknown> => !isList(item);

function shared(text: string): string {
  if (text.length > longest) return text;
  const known = young.get(text);
  if (known !== undefined) return known;
  const one = old.get(text) ?? text;
  young.set(one, one);
  if (young.size >= most) {
    old = young;
    young = new Map();
  }
  return one;
}
