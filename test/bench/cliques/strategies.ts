// The strategies that `npm run bench -- cliques` compares: who writes the rows of a clique, by
// which request, and how an index is chosen. They exist in the benchmark alone; what the product
// does is measured as S4.

export interface Strategy {
  /** For the heading of a column. */
  readonly about: string;
  /** What a daemon does besides its announcement: PUT of the whole object guarded by its version,
   *  server-side apply of its own row, or nothing. */
  readonly write: 'update' | 'apply' | 'none';
  readonly choice: 'lowest' | 'random';
  /** Of daemons that share an index, the one with the smallest node name keeps it. */
  readonly hasTieBreak: boolean;
  /** Who works at the centre: one that only rolls up and sweeps, the benchmark's own writer, which
   *  is the floor for S4, or the product. */
  readonly central: 'roll-up' | 'each' | 'batch' | 'product';
  /** Needs the CRD that refuses a shared index. */
  readonly needsGuard?: boolean;
}

const update = { write: 'update', hasTieBreak: false, central: 'roll-up' } as const;
const apply = { write: 'apply', central: 'roll-up' } as const;
const announced = { write: 'none', choice: 'lowest', hasTieBreak: false } as const;

export const strategies = {
  S1: { ...update, about: 'PUT, lowest free', choice: 'lowest' },
  S2: { ...update, about: 'PUT, random', choice: 'random' },
  S3a: { ...apply, about: 'apply, lowest free', choice: 'lowest', hasTieBreak: false },
  S3b: { ...apply, about: 'apply, random', choice: 'random', hasTieBreak: false },
  S3c: { ...apply, about: 'apply, random, tie-break', choice: 'random', hasTieBreak: true },
  S4a: { ...announced, about: 'reference, one ask a write', central: 'each' },
  S4b: { ...announced, about: 'reference, batched', central: 'batch' },
  S4: { ...announced, about: 'Coppice', central: 'product' },
  S5: {
    ...apply,
    about: 'apply, unique by CRD',
    choice: 'random',
    hasTieBreak: true,
    needsGuard: true,
  },
} as const satisfies Readonly<Record<string, Strategy>>;

export type StrategyName = keyof typeof strategies;

export const strategyNames = Object.keys(strategies) as readonly StrategyName[];

export const defaultStrategies: readonly StrategyName[] = [
  ...(['S1', 'S2', 'S3a', 'S3b', 'S3c', 'S4a', 'S4b', 'S4'] as const),
];

export const strategyOf = (name: StrategyName): Strategy => strategies[name];

/** Persisted duplicates, indices out of range and moves of a live row are expected of these alone:
 *  elsewhere the implementation or the benchmark is wrong. */
export const mayCollide = (name: StrategyName): boolean =>
  strategyOf(name).write === 'apply' && strategyOf(name).needsGuard !== true;
