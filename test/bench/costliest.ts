// The costliest functions of a CPU profile, by the time spent in them and not in what they call. A
// function of a bundle is named by its source, which the bundler writes above each file.
import { readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { aligned } from './table.ts';

export interface Cost {
  /** Name and place, as in `reconcile actors/run/actor-runner.ts`. */
  readonly name: string;
  readonly ms: number;
  /** Of the time in which the process was not idle. */
  readonly share: number;
}

/** What V8 calls waiting for work. */
const idle = new Set(['(idle)', '(root)']);

export function costliest(
  profile: Profiler.Profile,
  sourceOf: (url: string, line: number) => string,
  count = 10,
): readonly Cost[] {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const times = new Map<string, number>();
  const { samples = [], timeDeltas = [] } = profile;
  for (const [index, id] of samples.entries()) {
    const { functionName = '', url = '', lineNumber = 0 } = nodes.get(id)?.callFrame ?? {};
    if (idle.has(functionName)) continue;
    const name = `${functionName || '(anonymous)'} ${url === '' ? '' : sourceOf(url, lineNumber)}`;
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0) / 1000);
  }
  const total = [...times.values()].reduce((sum, ms) => sum + ms, 0);
  return [...times]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([name, ms]) => ({ name: name.trim(), ms: Math.round(ms), share: ms / total }));
}

export const costTable = (costs: readonly Cost[]): string =>
  aligned([
    ['function', 'ms', '%'],
    ...costs.map(({ name, ms, share }) => [name, String(ms), (share * 100).toFixed(1)]),
  ]);

/** The source of a line (from 0) of a bundle; of any other file its own name. */
export class BundleSources {
  /** By file: the source that begins at each line, in rising order. */
  readonly #regions = new Map<string, readonly (readonly [number, string])[]>();

  of(url: string, line: number): string {
    if (!url.startsWith('file:')) return url;
    let regions = this.#regions.get(url);
    if (regions === undefined) this.#regions.set(url, (regions = read(fileURLToPath(url))));
    return regions.findLast(([start]) => start <= line)?.[1] ?? url;
  }
}

const read = (file: string): readonly (readonly [number, string])[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((text, line) => {
      const source = /^\/\/(?:#region)? (\S+\.(?:ts|[cm]?js))$/.exec(text)?.[1];
      return source === undefined ? [] : [[line, source] as const];
    });
