// The part of the bus contract that is about facts; run by suite.ts.
import { expect, it } from 'vitest';
import { decodeFact } from '#bus/codec.ts';
import { factOf, key } from '#test/support/bus/samples.ts';
import type { Scene } from './world.ts';
import { tooLarge } from './world.ts';

export function facts({ world, alice }: Scene): void {
  it('publishes a fact on its subject, as it was at that moment', async () => {
    const data = { from: 'pending', to: 'ready' };
    alice().fact(factOf(key('a.b'), data));
    data.to = 'changed later';
    await world().until(() => world().seen.length === 1);
    const [seen] = world().seen;
    expect(seen?.subject).toBe('coppice.fact.podclique.default.a%2Eb.transition');
    expect(decodeFact(seen?.bytes ?? new Uint8Array())).toEqual({
      ok: true,
      value: factOf(key('a.b'), { from: 'pending', to: 'ready' }),
    });
    expect(alice().state()).toMatchObject({ connected: true, published: 1, dropped: 0 });
  });

  it('publishes facts in the order in which they happened', async () => {
    const ids = Array.from({ length: 500 }, (_, index) => `f-${index}`);
    for (const id of ids) alice().fact(factOf(key('a'), {}, id));
    await world().until(() => world().seen.length === ids.length);
    const seen = world().seen.map(({ bytes }) => decodeFact(bytes));
    expect(seen.map((fact) => (fact.ok ? fact.value.id : fact.problem))).toEqual(ids);
  });

  it('publishes a fact with too much data without the data', async () => {
    alice().fact(factOf(key('a'), { log: tooLarge }));
    await world().until(() => world().seen.length === 1);
    const fact = decodeFact(world().seen[0]?.bytes ?? new Uint8Array());
    expect(fact.ok && Object.keys(fact.value.data)).toEqual(['omitted']);
  });

  it('drops and counts a fact of a name that fits no subject', () => {
    alice().fact(factOf(key('x'.repeat(5_000))));
    expect(alice().state()).toMatchObject({ published: 0, dropped: 1 });
  });
}
