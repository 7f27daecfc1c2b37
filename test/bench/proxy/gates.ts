// What `npm run bench -- activator-proxy` is held to. A gate whose contenders or load were not
// measured is left out; a ratio is the median of those of each round.
import { percentile } from '../statistics.ts';
import { type ContenderName, ourNames } from './contenders/names.ts';
import type { Rounds } from './measure.ts';

export interface Gate {
  readonly what: string;
  readonly value: number;
  readonly bound: string;
  readonly isMet: boolean;
}

/** By the name of the load. */
export type Measured = ReadonlyMap<string, Rounds>;

/** Not rounded, so that a gate is missed by however little. */
const median = (values: readonly number[]): number => percentile(values, 50);

/** Figures by contender: of each round, or their median. */
export class ProxyFigures {
  readonly #rounds: Rounds;

  constructor(rounds: Rounds = new Map()) {
    this.#rounds = rounds;
  }

  each(name: ContenderName, key: string): readonly number[] {
    return (this.#rounds.get(name) ?? []).flatMap((round) => round[key] ?? []);
  }

  of(name: ContenderName, key: string): number | undefined {
    const values = this.each(name, key);
    return values.length === 0 ? undefined : median(values);
  }

  sum(name: ContenderName, key: string): number | undefined {
    const values = this.each(name, key);
    return values.length === 0 ? undefined : values.reduce((sum, one) => sum + one, 0);
  }

  /** By round, of those that have both. */
  #pairs(one: ContenderName, other: ContenderName, key: string): readonly [number, number][] {
    const others = this.each(other, key);
    return this.each(one, key).flatMap((value, round) => {
      const against = others[round];
      return against === undefined ? [] : [[value, against]];
    });
  }

  ratio(one: ContenderName, other: ContenderName, key: string): number | undefined {
    const ratios = this.#pairs(one, other, key).map(([a, b]) => a / b);
    return ratios.length === 0 ? undefined : median(ratios);
  }

  more(one: ContenderName, other: ContenderName, key: string): number | undefined {
    const differences = this.#pairs(one, other, key).map(([a, b]) => a - b);
    return differences.length === 0 ? undefined : median(differences);
  }
}

type Row = readonly [
  what: string,
  value: number | undefined,
  bound: 'at most' | 'at least',
  limit: number,
];

export function judge(measured: Measured): readonly Gate[] {
  const closed = new ProxyFigures(measured.get('closed'));
  const open = new ProxyFigures(measured.get('open'));
  const rows: readonly Row[] = [
    ...ofThroughput(closed),
    ...ofLatency(open),
    ...ourNames.flatMap((name): readonly Row[] => [
      [`${name}: requests that failed, closed`, closed.sum(name, 'failed'), 'at most', 0],
      [`${name}: requests that failed, open`, open.sum(name, 'failed'), 'at most', 0],
    ]),
    ...ofConcurrency(open),
  ];
  return rows.flatMap(([what, value, side, limit]) => {
    if (value === undefined) return [];
    const isMet = side === 'at most' ? value <= limit : value >= limit;
    return [{ what, value: Math.round(value * 100) / 100, bound: `${side} ${limit}`, isMet }];
  });
}

const rate = 'per_second';

/** Spec activator 6.2. */
const ofThroughput = (closed: ProxyFigures): readonly Row[] => [
  ['pipe to fast-proxy', closed.ratio('pipe', 'fast-proxy', rate), 'at least', 0.95],
  [
    'pipe to fast-proxy by undici',
    closed.ratio('pipe', 'fast-proxy-undici', rate),
    'at least',
    0.95,
  ],
  ['ours to pipe, cc 0', closed.ratio('ours-cc0', 'pipe', rate), 'at least', 0.85],
  ['ours to pipe, cc 10', closed.ratio('ours-cc10', 'pipe', rate), 'at least', 0.8],
  ['ours to http-proxy, cc 0', closed.ratio('ours-cc0', 'http-proxy', rate), 'at least', 2],
];

const ofLatency = (open: ProxyFigures): readonly Row[] => {
  const beyond = open.more('ours-cc0', 'pipe', 'p99_ms');
  return [['p99 of ours beyond that of the pipe, ms, cc 0', beyond, 'at most', 2]];
};

/** As the backends saw it; by chance alone a backend has several. */
function ofConcurrency(open: ProxyFigures): readonly Row[] {
  const most = open.each('ours-cc1', 'most_at_a_backend');
  const value = most.length === 0 ? undefined : Math.max(...most);
  return [['ours-cc1: most at a backend', value, 'at most', 1]];
}

/** What is only reported: [what, ratio, aim]. */
export function reported(measured: Measured): readonly (readonly string[])[] {
  const closed = new ProxyFigures(measured.get('closed'));
  const rows = [
    ['ours to nginx, cc 0', closed.ratio('ours-cc0', 'nginx', rate), '0.5'],
    ['ours to haproxy, cc 0', closed.ratio('ours-cc0', 'haproxy', rate), ''],
    ['pipe to nginx', closed.ratio('pipe', 'nginx', rate), ''],
    ['admission: pipe with it to pipe', closed.ratio('admitted', 'pipe', rate), ''],
    ['admission: ours at cc 0 to off', closed.ratio('ours-cc0', 'ours-off', rate), ''],
    ['ours at cc 1 to cc 0', closed.ratio('ours-cc1', 'ours-cc0', rate), ''],
  ] as const;
  return rows.flatMap(([what, value, aim]) =>
    value === undefined ? [] : [[what, value.toFixed(2), aim]],
  );
}
