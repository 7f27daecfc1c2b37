// What each file of tests loads, by the imports: whether what is known of a test still holds, and
// which tests run what a file does on import.
import { createHash } from 'node:crypto';
import type { Source } from '#test/tidy/sources.ts';

export interface Graph {
  /** A file with all that it loads. */
  readonly loadedBy: (path: string) => ReadonlySet<string>;
  /** Another one as soon as any of these files is. */
  readonly hashOf: (paths: Iterable<string>) => string;
}

/** `withTypes`: also what is loaded for its types alone. */
export function graphOf(sources: readonly Source[], withTypes = false): Graph {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const hashes = new Map(sources.map(({ path, text }) => [path, sha1(text)]));
  const found = new Map<string, ReadonlySet<string>>();
  const loadedBy = (path: string): ReadonlySet<string> => {
    const known = found.get(path);
    if (known !== undefined) return known;
    const loaded = new Set<string>();
    const waiting = [path, setup];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (loaded.has(next) || !byPath.has(next)) continue;
      loaded.add(next);
      for (const { target, isType } of byPath.get(next)?.imports ?? []) {
        if (target !== undefined && (withTypes || !isType)) waiting.push(target);
      }
    }
    found.set(path, loaded);
    return loaded;
  };
  const hashOf = (paths: Iterable<string>): string =>
    sha1(
      [...paths]
        .map((path) => `${path} ${hashes.get(path) ?? ''}`)
        .toSorted()
        .join('\n'),
    );
  return { loadedBy, hashOf };
}

/** Runs before every file of tests. */
const setup = 'test/setup.ts';

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');
