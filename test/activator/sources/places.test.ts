// Places for probes: never more than there are, and in turn for all revisions.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Places } from '#src/activator/sources/places.ts';

const forever = new AbortController().signal;

describe('Places', () => {
  it('are given in turn to groups, however many one of them wants', async () => {
    const places = new Places(1);
    const first = await places.enter('a', forever);
    const order: string[] = [];
    const enter = async (group: string, name: string): Promise<void> => {
      const leave = await places.enter(group, forever);
      order.push(name);
      leave();
    };
    const all = [enter('a', 'a1'), enter('a', 'a2'), enter('a', 'a3'), enter('b', 'b1')];
    first();
    await Promise.all(all);
    expect(order).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('are left alone by whoever gives up, and by whoever has given up', async () => {
    const places = new Places(1);
    const leave = await places.enter('a', forever);
    const impatient = new AbortController();
    const waiting = places.enter('a', impatient.signal);
    impatient.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(places.enter('a', impatient.signal)).rejects.toThrow('enough');
    leave();
    const next = await places.enter('b', forever);
    next();
  });

  it('are never more than there are, and never lost', async () => {
    const step = fc.record({ group: fc.constantFrom('a', 'b', 'c'), gives: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step), async (most, steps) => {
        const places = new Places(most);
        let inside = 0;
        const work = steps.map(async ({ group, gives }) => {
          const controller = new AbortController();
          const entering = places.enter(group, controller.signal);
          if (gives) controller.abort(new Error('enough'));
          const leave = await entering.catch(() => undefined);
          if (leave === undefined) return;
          inside += 1;
          expect(inside).toBeLessThanOrEqual(most);
          await Promise.resolve();
          inside -= 1;
          leave();
        });
        await Promise.all(work);
        const all = Array.from({ length: most }, () => places.enter('z', forever));
        await Promise.all(all);
      }),
    );
  });
});
