// An actor whose object has no status: where it is parked, nothing tries to write one.
import { expect, test } from 'vitest';
import type { Route } from '#machines/contract/route.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import type { KindRow } from '#machines/contract/kind.ts';
import { addKinds } from '#machines/kinds.ts';
import { defineBehaviour } from '#machines/statechart/define.ts';
import { stage } from '../fixtures/stage.ts';

const kinds = {
  Ledger: {
    apiVersion: 'example.dev/v1',
    plural: 'ledgers',
    writes: ['patch'],
    owners: [],
  },
} as const satisfies Record<string, KindRow>;

declare module '#machines/contract/kind.ts' {
  interface KindNames extends Record<keyof typeof kinds, true> {}
  interface ActorNames {
    readonly ledger: true;
  }
}

addKinds(kinds, { ledger: 'Ledger' });

const key: ActorKey = { kind: 'ledger', namespace: 'default', name: 'one' };

interface Own {
  readonly deleting: boolean;
}

interface Context {
  readonly key: ActorKey;
  readonly own: Own | undefined;
}

const ledger: Behaviour = defineBehaviour<Context, Own, { readonly type: 'seen' }>({
  kind: 'ledger',
  controller: 'ledger',
  own: { of: ({ own }) => own, isGone: () => false },
  start: (input) => ({ key: input.key, own: undefined }),
  reduce: (context) => ({ ...context, own: { deleting: false } }),
  chart: {},
  steps: [
    {
      in: ['active'],
      do: function fail() {
        throw new Error('it is not balanced');
      },
    },
  ],
  status: () => undefined,
  explain: {},
  fine: () => 'fine',
  view: () => ({}),
  hasNothing: () => true,
});

const route: Route = {
  kind: 'Ledger',
  decode: (object) => object,
  deliver: () => [{ to: key, root: key, event: { type: 'seen' } }],
  forget: () => [],
};

test('is parked without a write: an Event, a fact and a metric say so', async () => {
  const world = stage({ behaviours: [ledger], routes: [route] });
  world.system.synced();
  world.cluster.apply('Ledger', 'one', { spec: {} });
  await world.clock.advance(60_000);
  expect(await world.view(key)).toMatchObject({
    mode: 'parked',
    error: 'Error: it is not balanced',
  });
  expect(world.cluster.log).toEqual([]);
  expect(world.cluster.events).toMatchObject([{ reason: 'ActorParked', severity: 'Warning' }]);
  expect(world.facts.filter(({ what }) => what === 'parked')).toHaveLength(1);
  expect(world.telemetry.calls.parked).toHaveLength(1);
  expect(world.system.idle()).toBe(true);
});
