// Runs a parser on inputs that grow out of each other: those that reach a new place of the sources
// are kept and mutated further. What throws, and what takes too long again and again, is a finding.
import type { Coverage } from './coverage.ts';
import { type Draw, mutated, type Tokens } from './mutations.ts';

export interface Target {
  readonly name: string;
  /** Good inputs. */
  readonly seeds: readonly [string, ...string[]];
  /** Words of its language. */
  readonly tokens: Tokens;
  /** Of one input, in milliseconds, where it may take longer than others. */
  readonly limitMs?: number;
  /** Throws for no text. */
  run(text: string): unknown;
}

export interface Finding {
  readonly target: string;
  readonly input: string;
  readonly what: string;
}

export interface Judged {
  readonly target: string;
  readonly runs: number;
  /** Inputs that reached something new. */
  readonly kept: number;
  /** Milliseconds of the slowest input. */
  readonly slowestMs: number;
  readonly findings: readonly Finding[];
}

interface FuzzOptions {
  readonly draw: Draw;
  /** Milliseconds. */
  readonly now: () => number;
  readonly limitMs: number;
  /** Absent: nothing guides it. */
  readonly coverage?: Coverage;
  readonly isOver: (runs: number) => boolean;
}

/** Coverage is read once for so many inputs, as that costs more than they do. */
const batch = 64;
/** More are of one cause, most likely. */
const maxFindings = 5;
/** An input is slow when it is so every time: other processes take time too. */
const repeats = 3;

export function fuzz(target: Target, options: FuzzOptions): Judged {
  const { draw, coverage, isOver } = options;
  const corpus: string[] = [...target.seeds];
  const findings: Finding[] = [];
  const known = new Set<string>();
  let runs = 0;
  let slowestMs = 0;
  const tryOne = (input: string): void => {
    const { what, ms } = judge(target, input, options);
    runs++;
    slowestMs = Math.max(slowestMs, ms);
    if (what !== undefined) findings.push({ target: target.name, input, what });
  };
  for (const seed of target.seeds) tryOne(seed);
  for (const place of coverage?.since() ?? []) known.add(place);
  while (!isOver(runs) && findings.length < maxFindings) {
    const inputs = Array.from({ length: batch }, () => mutated(corpus, target.tokens, draw));
    for (const input of inputs) tryOne(input);
    const fresh = new Set([...(coverage?.since() ?? [])].filter((place) => !known.has(place)));
    for (const place of fresh) known.add(place);
    if (coverage !== undefined) corpus.push(...reaching(target, inputs, fresh, coverage));
  }
  const kept = corpus.length - target.seeds.length;
  return { target: target.name, runs, kept, slowestMs, findings };
}

/** The inputs that reach these places, the first for each. */
function reaching(
  target: Target,
  inputs: readonly string[],
  fresh: Set<string>,
  coverage: Coverage,
): readonly string[] {
  const found: string[] = [];
  for (const input of inputs) {
    if (fresh.size === 0) break;
    outcome(target, input);
    const reached = [...coverage.since()].filter((place) => fresh.delete(place));
    if (reached.length > 0) found.push(input);
  }
  return found;
}

function judge(
  target: Target,
  input: string,
  options: FuzzOptions,
): { readonly what: string | undefined; readonly ms: number } {
  const { now } = options;
  const limitMs = target.limitMs ?? options.limitMs;
  const timed = (): { readonly what: string | undefined; readonly ms: number } => {
    const begun = now();
    const what = outcome(target, input);
    return { what, ms: now() - begun };
  };
  let best = timed();
  for (let left = repeats; best.what === undefined && best.ms > limitMs && left > 0; left--) {
    const again = timed();
    if (again.ms < best.ms) best = again;
  }
  if (best.what !== undefined || best.ms <= limitMs) return best;
  return { what: `takes ${Math.round(best.ms)} ms`, ms: best.ms };
}

/** What it throws, in words. */
function outcome(target: Target, input: string): string | undefined {
  try {
    target.run(input);
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}
