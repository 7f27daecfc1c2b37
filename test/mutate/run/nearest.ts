// The tests that are nearest to a mutant by what they load, for a run that measures nothing first:
// what only others would catch survives, so the rate is never too high. Used by CI, on a fresh
// clone (`--nearest`).
import type { Source } from '#test/tidy/sources.ts';
import { graphOf } from './graph.ts';
import { isUnit, nearness, type Reach } from './reach.ts';

/** `most`: so many files of tests for each mutant. */
export function nearestReach(sources: readonly Source[], most: number): Reach {
  const graph = graphOf(sources);
  const tests = sources.flatMap(({ path }) => (isUnit(path) ? [path] : []));
  const distance = distances(sources);
  const sound = new Map<string, Promise<boolean>>();
  return {
    broken: [],
    msOf: () => 0,
    hashOf: (paths, file) =>
      graph.hashOf(
        new Set(paths.flatMap((path) => [...graph.loadedBy(path)])).difference(new Set([file])),
      ),
    testsOf: ({ file }) => {
      const away = distance(file);
      return tests
        .filter((path) => graph.loadedBy(path).has(file))
        .toSorted(
          (a, b) =>
            nearness(b, file) - nearness(a, file) ||
            (away.get(a) ?? Infinity) - (away.get(b) ?? Infinity) ||
            graph.loadedBy(a).size - graph.loadedBy(b).size,
        )
        .slice(0, most);
    },
    isSound: (path, run) => {
      const known = sound.get(path) ?? run();
      sound.set(path, known);
      return known;
    },
  };
}

/** Of files, by how many imports they come to this one. */
function distances(sources: readonly Source[]): (file: string) => ReadonlyMap<string, number> {
  const importers = new Map<string, string[]>();
  for (const { path, imports } of sources) {
    for (const { target, isType } of imports) {
      if (target === undefined || isType) continue;
      const before = importers.get(target);
      if (before === undefined) importers.set(target, [path]);
      else before.push(path);
    }
  }
  return (file) => {
    const away = new Map([[file, 0]]);
    for (const [path, steps] of away) {
      for (const importer of importers.get(path) ?? []) {
        if (!away.has(importer)) away.set(importer, steps + 1);
      }
    }
    return away;
  };
}
