// Creates that have no answer yet: they count as members, and hold up no pool for ever.
import { describe, expect, it } from 'vitest';
import { PoolKit } from './kit.ts';

const sent = (kit: PoolKit): readonly string[] => {
  kit.reconcile();
  kit.send();
  return [...kit.controller.flying]
    .filter(([, { type }]) => type === 'createObject')
    .map(([key]) => key);
};

describe('the creates of a pool', () => {
  it('count while they are on their way, however many may be at once (R34)', () => {
    const kit = PoolKit.with({ replicas: 8 }).rest();
    kit.take(...kit.names.slice(0, 2));
    for (const _ of [1, 2, 3]) expect(sent(kit)).toHaveLength(2);
  });

  it('are asked for anew where what was made came and went without being seen (P11)', () => {
    const kit = PoolKit.with({ replicas: 1 });
    const [key = ''] = sent(kit);
    kit.controller.answer(key, { code: undefined, object: undefined }, kit.now);
    kit.rest();
    expect(kit.members).toHaveLength(1);
  });
});
