// The chart of a behaviour whose actor outlives its object: back to awaited where the object is
// gone, and no other arrow than before for all others.
import { expect, test } from 'vitest';
import type { AnyMachineSnapshot } from 'xstate';
import type { ActorKey } from '#machines/contract/address.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import { defineBehaviour } from '#machines/statechart/define.ts';
import { classified, otherwise } from '#machines/statechart/region.ts';

interface Own {
  readonly deleting: boolean;
  readonly isReady: boolean;
}

interface Context {
  readonly key: ActorKey;
  readonly own: Own | undefined;
  readonly isGone: boolean;
  readonly made: number;
}

type Event = { readonly type: 'own'; readonly own?: Own } | { readonly type: 'gone' };

const behaviourThat = (more: { readonly outlives?: true }): Behaviour =>
  defineBehaviour<Context, Own, Event>({
    kind: 'podcliqueset',
    controller: 'test',
    own: { of: ({ own }) => own, isGone: ({ isGone }) => isGone, ...more },
    start: ({ key }) => ({ key, own: undefined, isGone: false, made: 0 }),
    reduce: (context, event) => {
      if (event.type === 'gone') return { ...context, isGone: true };
      return event.type === 'own' ? { ...context, own: event.own } : context;
    },
    chart: {
      active: {
        regions: { ready: classified({ yes: (_, { isReady }) => isReady, no: otherwise }) },
      },
    },
    whileAwaited: ({ made }) => ({
      intents: [{ type: 'decide', what: 'make', why: 'it is not there' }],
      changes: { made: made + 1 },
    }),
    steps: [],
    status: () => undefined,
    explain: {},
    fine: () => 'fine',
    view: () => ({}),
    hasNothing: ({ made }) => made > 2,
  });

const survivor = behaviourThat({ outlives: true });
const key = { kind: 'podcliqueset', namespace: 'default', name: 'demo' } as const;
const ready = { deleting: false, isReady: true };

/** The chart after each of these events and a reconcile, with what is intended. */
function after(behaviour: Behaviour, ...events: readonly Event[]) {
  let snapshot: AnyMachineSnapshot = behaviour.start({ key, root: key });
  const seen: unknown[] = [];
  for (const event of events) {
    const { snapshot: next, intents } = behaviour.reconcile(behaviour.reduce(snapshot, event), 0);
    snapshot = next;
    seen.push(intents.length > 0 ? [next.value, intents.length] : next.value);
  }
  return { seen, snapshot };
}

test('awaits its next object where the one before is gone, and makes it in the same step', () => {
  const { seen, snapshot } = after(
    survivor,
    { type: 'own', own: ready },
    { type: 'own' },
    { type: 'own', own: { ...ready, isReady: false } },
    { type: 'own', own: { ...ready, deleting: true } },
    { type: 'own' },
    { type: 'own' },
  );
  expect(seen).toEqual([
    { active: { ready: 'yes' } },
    ['awaited', 1],
    { active: { ready: 'no' } },
    'terminating',
    ['awaited', 1],
    ['awaited', 1],
  ]);
  expect(survivor.why(snapshot, 0)).toEqual(['PodCliqueSet demo is not there']);
  expect(survivor.isOver(snapshot)).toBe(true);
});

test('ends where it says that its object is gone for good', () => {
  const { seen, snapshot } = after(survivor, { type: 'own', own: ready }, { type: 'gone' });
  expect(seen.at(-1)).toBe('gone');
  expect(snapshot.status).toBe('done');
  const gone = after(survivor, { type: 'own', own: ready }, { type: 'own' }, { type: 'gone' });
  expect(gone.seen.at(-1)).toBe('gone');
});

test('has two arrows more than one that does not outlive it, which ends', () => {
  const arrows = ({ machine }: Behaviour, state: string): readonly string[] =>
    (machine.root.states[state]?.always ?? []).flatMap(({ target = [] }) =>
      target.map((node: { readonly key: string }) => node.key),
    );
  const mortal = behaviourThat({});
  expect(arrows(mortal, 'active')).toEqual(['gone', 'terminating']);
  expect(arrows(mortal, 'terminating')).toEqual(['gone']);
  expect(arrows(survivor, 'active')).toEqual(['gone', 'terminating', 'awaited']);
  expect(arrows(survivor, 'terminating')).toEqual(['gone', 'awaited']);
  expect([mortal.outlives, survivor.outlives]).toEqual([undefined, true]);
  expect(() => after(mortal, { type: 'own', own: ready }, { type: 'own' })).toThrow('cannot be');
});
