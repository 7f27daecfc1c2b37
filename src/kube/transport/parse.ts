// Reads JSON of the server without letting one object hold the event loop: of a map with more
// entries than anybody means the rest is cut off before it is parsed (100,000 labels take a tenth
// of a second otherwise). What was cut is still too large for machines/kubernetes/size.ts, so it is
// refused there and never written back. Called for answers and lines of watches.
import { maxMapEntries } from '#machines/kubernetes/size.ts';

/** Shorter texts are parsed as they are: a map that hurts does not fit in. */
const shortText = 64 * 1024;

/** Above all that machines accept. */
const mostEntries = 4 * maxMapEntries;

/** Throws a SyntaxError for what is no JSON. */
export const parseJson = (text: string): unknown =>
  JSON.parse(text.length < shortText ? text : cutMaps(text, mostEntries));

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openMap = 0x7b;
const closeMap = 0x7d;
const openList = 0x5b;
const closeList = 0x5d;

interface Level {
  readonly isMap: boolean;
  entries: number;
  /** Where the entries begin that are too many; -1: none do. */
  cut: number;
}

/** The same JSON with at most so many entries per map; anything may come out of what is no JSON. */
export function cutMaps(text: string, most: number): string {
  const levels: Level[] = [];
  const kept: string[] = [];
  let top: Level | undefined;
  let from = 0;
  let cutting = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
        break;
      case openMap:
      case openList:
        top = { isMap: text.charCodeAt(at) === openMap, entries: 1, cut: -1 };
        levels.push(top);
        break;
      case comma:
        if (top?.isMap !== true || ++top.entries !== most + 1) break;
        top.cut = at;
        // Within what is cut nothing else is.
        if (cutting++ === 0) kept.push(text.slice(from, at));
        break;
      case closeMap:
      case closeList:
        if (top !== undefined && top.cut >= 0 && --cutting === 0) from = at;
        levels.pop();
        top = levels.at(-1);
        break;
    }
  }
  if (kept.length === 0) return text;
  kept.push(text.slice(from));
  return kept.join('');
}

/** The place of the quote that ends the string which begins at `at`. */
function endOfString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
