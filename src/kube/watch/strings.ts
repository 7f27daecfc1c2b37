// Equal strings of objects are one in memory: labels, kinds, times, UIDs of owners come with each
// object anew, and were 3 of the 17 KB that live for each pod. prune.ts calls it for what was
// parsed. What is remembered outlives its object, so only metadata and status are looked at, and of
// those not what anybody may have written a secret into: specs, annotations and messages go with
// their object (test/e2e/process/canaries).

/** Longer ones are seldom the same. */
const longest = 128;

/** Strings that are remembered, twice: what was not met again while so many others came is
 *  forgotten. */
const most = 8_192;

let young = new Map<string, string>();
let old = new Map<string, string>();

/** Deeper than any status that is acted on; objects may be as deep as the server takes them. */
const deepest = 6;

/** Of what has more entries each is another one. */
const widest = 256;

/** Each version is another one, and the rest is text of users. */
const passedOver: ReadonlySet<string> = new Set(['resourceVersion', 'annotations', 'message']);

/** In place of each string in metadata and status an equal one that another object has already, as
 *  far as it is remembered. What is frozen stays as it is. */
export function shareStrings<T extends object>(value: T): T {
  if (!hasFields(value)) return value;
  shareWithin(value['metadata'], deepest);
  shareWithin(value['status'], deepest);
  return value;
}

function shareWithin(item: unknown, depth: number): void {
  if (typeof item !== 'object' || item === null || depth === 0 || Object.isFrozen(item)) return;
  if (isList(item)) {
    if (item.length > widest) return;
    for (const [at, one] of item.entries()) {
      if (typeof one === 'string') item[at] = shared(one);
      else shareWithin(one, depth - 1);
    }
  } else if (hasFields(item)) {
    const keys = Object.keys(item);
    if (keys.length > widest) return;
    for (const key of keys) {
      if (passedOver.has(key)) continue;
      const one = item[key];
      if (typeof one === 'string') item[key] = shared(one);
      else shareWithin(one, depth - 1);
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
