// Steps and trees: a throw stays with its actor and leaves it as it was, trees open and close.
import { describe, expect, it } from 'vitest';
import { Actor } from '#actors/run/actor.ts';
import { Trees } from '#actors/run/tree.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import { CoppiceError } from '#machines/contract/errors.ts';
import type { Intent } from '#machines/contract/intents.ts';
import { defineBehaviour } from '#machines/statechart/define.ts';
import { otherwise, protocol } from '#machines/statechart/region.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { cliqueKey, setKey } from '../fixtures/facts.ts';

interface Context {
  readonly key: ActorKey;
  readonly own: { readonly deleting: boolean } | undefined;
  readonly isGone: boolean;
  readonly isOpen: boolean;
  readonly isBroken: boolean;
}

type Event = { readonly type: 'see' | 'open' | 'shut' | 'break' | 'mend' | 'end' | 'throw' };

const decision: Intent = { type: 'decide', what: 'a', why: 'b' };

const behaviour: Behaviour = defineBehaviour<Context, { readonly deleting: boolean }, Event>({
  kind: 'podclique',
  controller: 'probe',
  own: { of: ({ own }) => own, isGone: ({ isGone }) => isGone },
  start: ({ key }) => ({ key, own: undefined, isGone: false, isOpen: false, isBroken: false }),
  reduce: (context, { type }) => {
    if (type === 'see') return { ...context, own: { deleting: false } };
    if (type === 'open') return { ...context, isOpen: true };
    if (type === 'shut') return { ...context, isOpen: false };
    if (type === 'break') return { ...context, isBroken: true };
    if (type === 'mend') return { ...context, isBroken: false };
    if (type === 'end') return { ...context, isGone: true };
    if (type === 'throw') throw new Error('half way');
    return context;
  },
  chart: {
    active: {
      regions: {
        door: protocol(
          {
            closed: { to: { opened: ({ isOpen }) => isOpen } },
            // There is no way back: it cannot be shut again.
            opened: { holds: ({ isOpen }) => isOpen },
          },
          { restore: ({ isOpen }) => (isOpen ? 'opened' : 'closed') },
        ),
      },
    },
  },
  steps: [
    { in: ['active'], do: () => ({ intents: [decision], changes: { key: cliqueKey('other') } }) },
    {
      in: ['active'],
      do: ({ isBroken }) => {
        if (isBroken) throw new Error('half way');
        return { intents: [], changes: {}, waits: [{ until: 7 }] };
      },
    },
  ],
  status: () => undefined,
  explain: {},
  fine: () => '',
  view: () => ({}),
  hasNothing: otherwise,
});

const actorOf = (name: string, root = 'demo'): Actor =>
  new Actor({ key: cliqueKey(name), root: setKey(root), shard: 0 }, behaviour);

type Impossible = NonNullable<ConstructorParameters<typeof Trees>[0]['impossible']>;

const grove = (impossible?: Impossible) =>
  new Trees({
    clock: new VirtualClock(),
    ...(impossible === undefined ? {} : { impossible }),
  });

function placed(impossible?: Impossible): { trees: Trees; actor: Actor } {
  const trees = grove(impossible);
  const actor = actorOf('a');
  trees.place(actor);
  trees.reduce(actor, { type: 'see' });
  return { trees, actor };
}

describe('A step', () => {
  it('returns what the behaviour intends and waits for', () => {
    const { trees, actor } = placed();
    const step = trees.reconcile(actor, 0);
    expect(step).toMatchObject({ intents: [decision], waits: [{ until: 7 }], thrown: undefined });
    expect(actor.snapshot?.value).toEqual({ active: { door: 'closed' } });
  });

  it('says whether the snapshot changed', () => {
    const { trees, actor } = placed();
    expect(trees.reduce(actor, { type: 'unknown' })?.changed).toBe(false);
    expect(trees.reduce(actor, { type: 'open' })?.changed).toBe(true);
    expect(actor.snapshot?.value).toBe('awaited');
    trees.reconcile(actor, 0);
    expect(actor.snapshot?.value).toEqual({ active: { door: 'opened' } });
  });

  it('that throws half way has no effect: no intent, the snapshot as before', () => {
    const { trees, actor } = placed();
    trees.reduce(actor, { type: 'break' });
    const before = actor.snapshot;
    const step = trees.reconcile(actor, 0);
    expect(step?.thrown?.error).toMatchObject({ message: 'half way' });
    expect(step?.intents).toEqual([]);
    expect(actor.snapshot).toBe(before);
    expect(trees.reduce(actor, { type: 'throw' })?.thrown).toBeDefined();
    expect(actor.snapshot).toBe(before);
  });

  it('that throws leaves the neighbours alone', () => {
    const { trees, actor } = placed();
    const other = actorOf('b');
    trees.place(other);
    trees.reduce(other, { type: 'see' });
    trees.reduce(actor, { type: 'break' });
    trees.reconcile(actor, 0);
    expect(trees.reconcile(other, 0)?.intents).toHaveLength(1);
    trees.reduce(actor, { type: 'mend' });
    expect(trees.reconcile(actor, 0)?.intents).toHaveLength(1);
  });

  it('does nothing to a chart in its final state', () => {
    const { trees, actor } = placed();
    trees.reduce(actor, { type: 'end' });
    trees.reconcile(actor, 0);
    expect(actor.snapshot?.status).toBe('done');
    const after = [trees.reduce(actor, { type: 'open' }), trees.reconcile(actor, 0)];
    for (const step of after) expect(step).toMatchObject({ changed: false, intents: [] });
  });

  it('is not done for an actor that is not placed, or was replaced', () => {
    const { trees, actor } = placed();
    const successor = actorOf('a');
    trees.place(successor);
    expect(trees.reduce(actor, { type: 'open' })).toBeUndefined();
    expect(trees.reconcile(actor, 0)).toBeUndefined();
    trees.remove(actor);
    expect(trees.find(actor.id)).toBe(successor);
  });
});

describe('A chart in a state that cannot be', () => {
  const shut = (trees: Trees, actor: Actor): void => {
    for (const type of ['open', 'shut']) {
      trees.reduce(actor, { type });
      trees.reconcile(actor, 0);
    }
  };

  it('fails the step', () => {
    const { trees, actor } = placed();
    shut(trees, actor);
    const error = trees.reconcile(actor, 0)?.thrown?.error;
    expect(error).toBeInstanceOf(CoppiceError);
    expect(error).toMatchObject({
      code: 'ASSERTION',
      message: 'podclique cannot be active.door.opened',
    });
  });

  it('is restored and told where the system restores charts', () => {
    const told: string[] = [];
    const { trees, actor } = placed(({ id }, what) => void told.push(`${id}: ${what}`));
    shut(trees, actor);
    expect(told).toEqual([`${actor.id}: podclique cannot be active.door.opened`]);
    expect(actor.snapshot?.value).toEqual({ active: { door: 'closed' } });
  });
});

describe('A tree', () => {
  it('is there as long as one of its actors is', () => {
    const trees = grove();
    const actors = Array.from({ length: 250 }, (_, at) => actorOf(`a${at}`));
    for (const actor of actors) trees.place(actor);
    const overview = () => [...trees.overview()].map(({ actors: all }) => all.size);
    expect(overview()).toEqual([250]);
    for (const actor of actors.slice(0, 100)) trees.remove(actor);
    expect(overview()).toEqual([150]);
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
});
