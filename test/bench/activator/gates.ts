// What the figures of `npm run bench -- activator-micro` are held to. All gates are ratios, bytes
// or counts, so that they hold on any machine; where the cells of a gate were not measured, it is
// left out.
import { policyNames } from '#src/activator/table/types.ts';
import type { Figures } from './figures.ts';

export interface Gate {
  readonly what: string;
  readonly value: number;
  readonly bound: string;
  readonly isMet: boolean;
}

type Row = readonly [
  what: string,
  value: number | undefined,
  bound: 'at most' | 'at least',
  number,
];

/** Bytes that a million operations share, which do not come from them. */
const noBytes = 0.1;

export function judge(figures: Figures): readonly Gate[] {
  const rows = [...ofPermits(figures), ...ofWaiting(figures), ...ofPods(figures)];
  return rows.flatMap(([what, value, side, limit]) => {
    if (value === undefined) return [];
    const isMet = side === 'at most' ? value <= limit : value >= limit;
    return [{ what, value: Math.round(value * 100) / 100, bound: `${side} ${limit}`, isMet }];
  });
}

/** B-1 to B-3. */
const ofPermits = ({ ratio, toReference, most, namesOf }: Figures): readonly Row[] => [
  ...policyNames.map((policy): Row => [
    `${policy}: 5,000 pods to 10`,
    ratio(`${policy} 5000`, `${policy} 10`),
    'at most',
    1.5,
  ]),
  [
    'old design to two choices, 100 pods',
    ratio('old design 100', 'random-choice-2 100'),
    'at least',
    5,
  ],
  ...policyNames.map((policy): Row => [
    `admission by ${policy} to the reference loop`,
    toReference(`admission by ${policy} 100`),
    'at most',
    8,
  ]),
  ['bytes of an acquisition', most('bytes', ['B-1', 'B-2', 'B-3'], /old/), 'at most', noBytes],
  ['bytes of an admission', most('bytes', ['admission']), 'at most', noBytes],
  ...(['random', 'random-choice-2'] as const).flatMap((policy) =>
    namesOf('B-2')
      .filter((name) => name.startsWith(`${policy} `) || name.startsWith(`${policy},`))
      .map((name): Row => [`${name} to dense`, ratio(name, `${policy} 100`), 'at most', 2]),
  ),
  ...namesOf('B-3')
    .filter((name) => name.includes('100 % taken'))
    .map((name): Row => [`${name} to the reference loop`, toReference(name), 'at most', 8]),
];

/** B-4 and B-5. */
const ofWaiting = ({ ratio, most, of }: Figures): readonly Row[] => [
  ...['wait and grant', 'wait and cancel'].map((act): Row => [
    `${act}: 10,000 waiting to 1`,
    ratio(`${act}, 10000 waiting`, `${act}, 1 waiting`),
    'at most',
    1.5,
  ]),
  ['bytes of a waiter', most('bytes_per_waiter', ['B-4']), 'at most', 300],
  ['longest block by 256, ms', of('wake 10,000 by 256', 'longest_block_ms'), 'at most', 5],
];

/** B-6 to B-8. */
const ofPods = ({ ratio, most }: Figures): readonly Row[] => [
  [
    'add and remove at 100: old design to ours',
    ratio('old design: add and remove at 100', 'add and remove at 100'),
    'at least',
    5,
  ],
  [
    'lowest hole: 100,000 slots to 10',
    ratio('lowest hole of 100000 slots, 49 % holes', 'lowest hole of 10 slots, 49 % holes'),
    'at most',
    3,
  ],
  [
    'snapshot of 500, 0 % new: old design to ours',
    ratio('old design: snapshot of 500, 0 % new', 'snapshot of 500, 0 % new'),
    'at least',
    2.15,
  ],
  // Ten times the pods, and twice for each as more of them are not in the processor's cache.
  [
    'snapshot of 5,000 to 500',
    ratio('snapshot of 5000, 0 % new', 'snapshot of 500, 0 % new'),
    'at most',
    20,
  ],
  ['visits of a trim by release', most('visits_per_release', ['B-8']), 'at most', 4],
];

/** The ratios that the design's authors measured in Go, beside ours: shown or refuted. */
export function claims({ ratio }: Figures): readonly (readonly string[])[] {
  const rows = [
    ['acquire at 100 pods', 5.73, ratio('old design 100', 'random-choice-2 100')],
    ['with its filter', 10.57, ratio('old design 100, with its filter', 'random-choice-2 100')],
    ['acquire at 10 pods', 1.6, ratio('old design 10', 'random-choice-2 10')],
    ['acquire at 500 pods', 23.7, ratio('old design 500', 'random-choice-2 500')],
    ['add a pod', 24.9, ratio('old design: add and remove at 100', 'add and remove at 100')],
    [
      'snapshot of 500, to the old design',
      2.15,
      ratio('old design: snapshot of 500, 0 % new', 'snapshot of 500, 0 % new'),
    ],
    [
      'snapshot of 100, to a dense table',
      1.48,
      ratio('dense: snapshot of 100, 10 % new', 'snapshot of 100, 10 % new'),
    ],
  ] as const;
  return rows.flatMap(([what, theirs, ours]) =>
    ours === undefined ? [] : [[what, `${theirs} x`, `${ours.toFixed(2)} x`]],
  );
}
