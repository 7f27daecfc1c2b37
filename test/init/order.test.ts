// When a pod may start after others: reading --podcliques, and counting ready pods by label.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { parseParents, StartOrder } from '#src/init/order.ts';

const pod = (name: string, clique: string, isReady: boolean): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { 'grove.io/podclique': clique } },
  status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
});

describe('--podcliques', () => {
  it.each([
    [['a:1'], { a: 1 }],
    [[' a : 2 ', '', '  ', 'b:10'], { a: 2, b: 10 }],
    [['a:1', 'a:3'], { a: 3 }],
    [['a:+1', 'b:02'], { a: 1, b: 2 }],
    [[], {}],
  ])('%j is read as %j', (values, wanted) => {
    const parsed = parseParents(values);
    expect(parsed.ok && Object.fromEntries(parsed.parents)).toEqual(wanted);
  });

  it.each([
    ['a', 'must hold exactly one colon'],
    ['a:1:2', 'must hold exactly one colon'],
    [':1', 'has no name before the colon'],
    ['a:0', 'has "0" for the count'],
    ['a:-1', 'has "-1" for the count'],
    ['a:', 'has "" for the count'],
    ['a:1.5', 'has "1.5" for the count'],
    ['a:many', 'has "many" for the count'],
  ])('%j is refused, as it %s', (value, why) => {
    const parsed = parseParents(['b:1', value]);
    expect(parsed.ok ? '' : parsed.message).toContain(`--podcliques "${value}" ${why}`);
    expect(parsed.ok ? '' : parsed.message).toContain('<PodClique>:<count> would be right');
  });
});

describe('the start order', () => {
  it('tells PodCliques apart by label, not by the beginning of a name (10.2 gap 2)', () => {
    const order = new StartOrder(new Map([['a-0-w', 1]]));
    order.seen(pod('a-0-worker-x1', 'a-0-worker', true));
    expect(order.isMet).toBe(false);
    order.seen(pod('whatever', 'a-0-w', true));
    expect(order.isMet).toBe(true);
  });

  it('is met only while all parents are ready at the same moment', () => {
    const order = new StartOrder(
      new Map([
        ['a', 2],
        ['b', 1],
      ]),
    );
    order.seen(pod('a1', 'a', true));
    order.seen(pod('a2', 'a', true));
    expect(order.missing()).toEqual([{ name: 'b', ready: 0, count: 1 }]);
    order.seen(pod('a1', 'a', false));
    order.seen(pod('b1', 'b', true));
    expect(order.missing()).toEqual([{ name: 'a', ready: 1, count: 2 }]);
    order.seen(pod('a3', 'a', true));
    expect(order.isMet).toBe(true);
    order.gone('b1');
    expect(order.isMet).toBe(false);
  });

  it('counts as a plain look at all pods does, whatever comes and goes', () => {
    const name = fc.constantFrom('p', 'q', 'r', 's');
    const step = fc.record({
      name,
      clique: fc.constantFrom('a', 'b', 'c', ''),
      what: fc.constantFrom('ready', 'unready', 'gone'),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const parents = new Map([
          ['a', 2],
          ['b', 1],
        ]);
        const order = new StartOrder(parents);
        const there = new Map<string, string>();
        for (const { name: one, clique, what } of steps) {
          if (what === 'gone') order.gone(one);
          else order.seen(pod(one, clique, what === 'ready'));
          if (what === 'ready') there.set(one, clique);
          else there.delete(one);
          const ready = (parent: string): number =>
            [...there.values()].filter((each) => each === parent).length;
          expect(order.isMet).toBe([...parents].every(([parent, count]) => ready(parent) >= count));
        }
      }),
    );
  });
});
