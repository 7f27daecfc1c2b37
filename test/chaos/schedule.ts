// What a day of chaos does, and when: drawn from a seed before anything runs, each hardship from a
// stream of its own, so that a seed repeats the schedule whatever the machine makes of it. Carried
// out by run.ts.
import type { Random } from '#actors/ports.ts';
import { streamOf } from '#test/sim/world/streams.ts';

/** What may be struck at a time; acts of one target follow each other. */
export type Target = 'control plane' | 'NATS' | 'nodes' | 'first' | 'second' | 'user' | 'domains';

export const hardships = [
  'kill',
  'pause',
  'lost replies',
  'certificate',
  'API server restart',
  'NATS restart',
  'node loss',
  'eviction',
  'restore',
  'edit',
  'edit of a domain',
] as const;
export type Hardship = (typeof hardships)[number];

export interface Act {
  /** Seconds from the begin of the day. */
  readonly atS: number;
  readonly what: Hardship;
  readonly target: Target;
  /** How long it lasts, where it lasts. */
  readonly forMs: number;
  /** Uniform in [0, 1): whom it strikes, of those that are there by then. */
  readonly draw: number;
}

interface Row {
  readonly what: Hardship;
  readonly target: Target;
  readonly everyS: number;
  readonly forMs: readonly [least: number, most: number];
}

/** A pause is longer than the lease, which is 8 s here. The second replica is never killed: it is
 *  the one that lives long enough to show a leak. */
const rows: readonly Row[] = [
  { what: 'edit', target: 'user', everyS: 1.5, forMs: [0, 0] },
  { what: 'edit of a domain', target: 'domains', everyS: 2.5, forMs: [0, 0] },
  { what: 'eviction', target: 'nodes', everyS: 8, forMs: [0, 0] },
  { what: 'kill', target: 'first', everyS: 25, forMs: [0, 4_000] },
  { what: 'pause', target: 'first', everyS: 70, forMs: [9_000, 16_000] },
  { what: 'pause', target: 'second', everyS: 50, forMs: [9_000, 16_000] },
  { what: 'lost replies', target: 'first', everyS: 40, forMs: [2_000, 8_000] },
  { what: 'lost replies', target: 'second', everyS: 40, forMs: [2_000, 8_000] },
  { what: 'certificate', target: 'first', everyS: 45, forMs: [0, 0] },
  { what: 'certificate', target: 'second', everyS: 45, forMs: [0, 0] },
  { what: 'API server restart', target: 'control plane', everyS: 60, forMs: [0, 3_000] },
  { what: 'NATS restart', target: 'NATS', everyS: 40, forMs: [0, 5_000] },
  { what: 'node loss', target: 'nodes', everyS: 45, forMs: [2_000, 12_000] },
];

/** A day begins with a deploy, and nothing new begins just before its end. */
const calmS = 6;

/** Once in a day that has the room for it, in its second quarter. */
const leastForRestoreS = 120;

export function drawSchedule(seed: number, seconds: number): readonly Act[] {
  const acts = rows.flatMap((row) =>
    drawRow(row, streamOf(seed, `${row.what} ${row.target}`), seconds),
  );
  const random = streamOf(seed, 'restore');
  const atS = round(seconds * (0.25 + 0.25 * random.next()));
  const restore: Act = {
    atS,
    what: 'restore',
    target: 'control plane',
    forMs: 0,
    draw: random.next(),
  };
  return [...acts, ...(seconds < leastForRestoreS ? [] : [restore])].toSorted(
    (one, other) => one.atS - other.atS,
  );
}

function drawRow({ what, target, everyS, forMs }: Row, random: Random, seconds: number): Act[] {
  const acts: Act[] = [];
  const [least, most] = forMs;
  for (
    let atS = calmS + pause(random, everyS);
    atS < seconds - calmS;
    atS += pause(random, everyS)
  ) {
    const ms = least + Math.floor(random.next() * (most - least + 1));
    acts.push({ atS: round(atS), what, target, forMs: ms, draw: random.next() });
  }
  return acts;
}

/** Exponential: at any moment the next is as far away as at any other. */
const pause = (random: Random, meanS: number): number => -Math.log(1 - random.next()) * meanS;

const round = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;

/** One line for whoever reads a report: `34.120 s pause of second for 12000 ms`. */
export const lineOf = ({ atS, what, target, forMs }: Act): string =>
  `${atS.toFixed(3)} s ${what} (${target})${forMs > 0 ? ` for ${forMs} ms` : ''}`;
