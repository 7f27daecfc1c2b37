// What a pool that is being filled says of its members: each of them in one sentence at most.
import { describe, expect, it } from 'vitest';
import { explainFilling } from '#machines/agentsandbox/warmpool/explain.ts';
import { PoolController } from './controller.ts';
import { settings } from './objects.ts';

interface Members {
  readonly active: number;
  readonly ready: number;
  readonly held: number;
}

const { context } = new PoolController(settings);

const said = ({ active, ready, held }: Members): readonly string[] => {
  const counts = { ...context.counts, active, ready };
  const names = Array.from({ length: held }, (_, n) => [`held-${n}`, {}] as const);
  const pool = { replicas: active } as never;
  return explainFilling({ ...context, counts, held: new Map(names) } as never, pool, 0);
};

describe('A pool that is being filled', () => {
  it.each<[Members, readonly string[]]>([
    [{ active: 0, ready: 0, held: 0 }, []],
    [{ active: 3, ready: 3, held: 0 }, []],
    [{ active: 3, ready: 2, held: 0 }, ['1 members are not ready yet']],
    [{ active: 3, ready: 2, held: 1 }, ['1 members cannot be scheduled, and are kept']],
    [
      { active: 7, ready: 2, held: 2 },
      ['2 members cannot be scheduled, and are kept', '3 members are not ready yet'],
    ],
  ])('with %j says %j', (members, expected) => {
    expect(said(members)).toEqual(expected);
  });
});
