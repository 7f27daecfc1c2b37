// Cells and trees: a throw stays with its actor, actions become intents, cells fill and close.
import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { newActor } from '#actors/actor.ts';
import type { Actor } from '#actors/actor.ts';
import { Trees } from '#actors/tree.ts';
import type { Behaviour, MachineInput } from '#machines/behaviour.ts';
import { kitSettings } from '#test/support/kit.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { cliqueKey, setKey } from './fixtures/facts.ts';

const wake = (name: string) => ({ type: 'wakeAt', name, at: 1 });

const chart = setup({
  types: { input: {} as MachineInput, events: {} as { type: string } },
  actions: { intend: (_, _params: unknown) => {}, other: () => {} },
});
const machine = chart.createMachine({
  id: 'probe',
  initial: 'on',
  on: { last: { actions: [{ type: 'intend', params: wake('after the end') }] } },
  states: {
    on: {
      on: {
        one: { actions: [{ type: 'intend', params: wake('one') }, { type: 'other' }] },
        many: { actions: [{ type: 'intend', params: [wake('a'), wake('b')] }] },
        nonsense: { actions: [{ type: 'intend', params: { type: 'launchRocket' } }] },
        half: {
          target: 'off',
          actions: [
            { type: 'intend', params: wake('lost') },
            chart.enqueueActions(() => {
              throw new Error('half way');
            }),
          ],
        },
        end: 'done',
        move: 'off',
      },
    },
    off: {},
    done: { type: 'final' },
  },
});

const behaviour: Behaviour = {
  kind: 'podclique',
  controller: 'probe',
  machine,
  isOver: () => false,
  identity: () => undefined,
  why: () => [],
  view: () => ({}),
};

const actorOf = (name: string, root = 'demo'): Actor =>
  newActor({ key: cliqueKey(name), root: setKey(root), shard: 0 }, behaviour, 10);

const grove = (actorsPerCell = 100) =>
  new Trees({ settings: kitSettings, clock: new VirtualClock(), actorsPerCell });

function placed(): { trees: Trees; actor: Actor } {
  const trees = grove();
  const actor = actorOf('a');
  trees.place(actor);
  return { trees, actor };
}

describe('A step', () => {
  it('returns what the machine intends, one or many, and no other action', () => {
    const { trees, actor } = placed();
    expect(trees.step(actor, { type: 'one' })?.intents).toEqual([wake('one')]);
    expect(trees.step(actor, { type: 'many' })?.intents).toEqual([wake('a'), wake('b')]);
  });

  it('says whether the snapshot changed', () => {
    const { trees, actor } = placed();
    expect(trees.step(actor, { type: 'unknown' })?.changed).toBe(false);
    expect(trees.step(actor, { type: 'move' })?.changed).toBe(true);
    expect(actor.snapshot?.value).toBe('off');
  });

  it('that throws half way has no effect: no intent, the snapshot as before', () => {
    const { trees, actor } = placed();
    const before = actor.snapshot;
    const step = trees.step(actor, { type: 'half' });
    expect(step?.thrown?.error).toMatchObject({ message: 'half way' });
    expect(step?.intents).toEqual([]);
    expect(actor.snapshot).toBe(before);
  });

  it('that intends what is no intent throws', () => {
    const { trees, actor } = placed();
    expect(trees.step(actor, { type: 'nonsense' })?.thrown?.error).toMatchObject({
      code: 'ASSERTION',
    });
  });

  it('that throws leaves the neighbours in the cell alone', () => {
    const { trees, actor } = placed();
    const other = actorOf('b');
    trees.place(other);
    trees.step(actor, { type: 'half' });
    expect(trees.step(other, { type: 'one' })?.intents).toHaveLength(1);
    expect(trees.step(actor, { type: 'one' })?.intents).toHaveLength(1);
  });

  it('does nothing to a machine in a final state', () => {
    const { trees, actor } = placed();
    trees.step(actor, { type: 'end' });
    const after = trees.step(actor, { type: 'last' });
    expect(after).toMatchObject({ changed: false, intents: [], thrown: undefined });
  });

  it('is not done for an actor that is not placed, or was replaced', () => {
    const { trees, actor } = placed();
    const successor = actorOf('a');
    trees.place(successor);
    expect(trees.step(actor, { type: 'move' })).toBeUndefined();
    trees.remove(actor);
    expect(trees.find(actor.id)).toBe(successor);
  });
});

describe('A tree', () => {
  it('opens a cell per hundred actors and closes empty ones', () => {
    const trees = grove();
    const actors = Array.from({ length: 250 }, (_, at) => actorOf(`a${at}`));
    for (const actor of actors) trees.place(actor);
    const overview = () =>
      [...trees.overview()].map(({ cells, actors: all }) => [cells, all.length]);
    expect(overview()).toEqual([[3, 250]]);
    for (const actor of actors.slice(0, 100)) trees.remove(actor);
    expect(overview()).toEqual([[2, 150]]);
    for (const actor of actors.slice(100)) trees.remove(actor);
    expect(overview()).toEqual([]);
    expect(trees.size).toBe(0);
  });

  it('is apart from the trees of other roots', () => {
    const trees = grove();
    trees.place(actorOf('a', 'one'));
    trees.place(actorOf('b', 'two'));
    expect([...trees.overview()].map(({ root }) => root.name)).toEqual(['one', 'two']);
  });

  it('of ten thousand actors is built without a quadratic cost', () => {
    const trees = grove();
    for (let n = 0; n < 10_000; n++) trees.place(actorOf(`a${n}`));
    expect([...trees.overview()][0]?.cells).toBe(100);
  });
});
