// Finds what a mistyped word was meant to be, for messages about unknown fields and values.

/** `; did you mean "level"?`, or an empty text where nothing is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const found = nearest(word, known);
  return found === undefined ? '' : `; did you mean "${found}"?`;
}

/** The known word with the fewest edits, if that is at most a third of its letters. */
function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({
      candidate,
      edits: editDistance(word.toLowerCase(), candidate.toLowerCase()),
    }))
    .toSorted((a, b) => a.edits - b.edits);
  const best = ranked[0];
  return best !== undefined && best.edits <= Math.max(1, best.candidate.length / 3)
    ? best.candidate
    : undefined;
}

/** Levenshtein's distance; words here are short, so the plain table of two rows does. */
function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1;
      current.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + change,
        ),
      );
    }
    above = current;
  }
  return above[b.length] ?? 0;
}
