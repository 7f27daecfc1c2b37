// Histories that lead the chart of a clique through every state: told to whoever traces states.
// Used by test/machines/states.test.ts.
import type { ActorKey } from '#machines/contract/address.ts';
import { CliqueKit } from './kit.ts';
import { cliqueObject, daemon, domain, ownedBy, row } from './objects.ts';

type Trace = (kind: ActorKey['kind'], value: unknown) => void;

function life(trace: Trace): void {
  const kit = new CliqueKit();
  const show = (): void => trace('clique', kit.state);
  show();
  const pod = { node: 'a', ip: '10.0.0.1', maxNodes: 1 };
  kit.given(domain(), daemon(pod)).reconcile();
  show();
  kit.carryOut();
  show();
  kit.given(daemon({ ...pod, ready: true, version: 2 })).carryOut();
  show();
  kit.given(daemon({ ...pod, version: 3 })).carryOut();
  show();
  kit.given(daemon({ ...pod, node: 'b', ip: '10.0.0.2', created: 2 })).carryOut();
  show();
  kit.gone(daemon({ ...pod, node: 'b' }), daemon(pod)).reconcile();
  show();
  kit.carryOut();
  show();
}

function heldByOthers(trace: Trace): void {
  const metadata = {
    ownerReferences: ownedBy('daemon-a'),
    deletionTimestamp: '2026-01-01T00:00:00Z',
    finalizers: ['example.org/hold'],
  };
  const kit = new CliqueKit()
    .given(cliqueObject([row({ node: 'a', index: 0, ip: '10.0.0.1' })], metadata))
    .given(daemon({ node: 'a', ip: '10.0.0.1' }));
  kit.carryOut();
  trace('clique', kit.state);
}

function elsewhere(trace: Trace): void {
  const kit = new CliqueKit({ driverNamespace: 'other' });
  kit.given(cliqueObject([row({ node: 'a', index: 0 })])).reconcile();
  trace('clique', kit.state);
}

export const cliqueHistories: Readonly<Record<string, (trace: Trace) => void>> = {
  'the life of a clique': life,
  'a clique whose object others hold': heldByOthers,
  'a clique outside of the namespaces of the driver': elsewhere,
};
