// Short histories that bring a warm pool into each state of its chart, for states.test.ts.
import type { ActorKind } from '#machines/contract/kind.ts';
import { PoolKit } from './kit.ts';
import { extensions, namespace, startError, templateObject } from './objects.ts';
import { unschedulableStatus } from './objects.ts';

type Trace = (kind: ActorKind, value: unknown) => void;

const traced = (kit: PoolKit, trace: Trace): PoolKit => {
  kit.trace = (value) => trace('sandboxwarmpool', value);
  return kit;
};

const claim = (name: string) => ({
  apiVersion: extensions,
  kind: 'SandboxClaim',
  metadata: { name, namespace },
  spec: { warmPoolRef: { name: 'pool' } },
});

export const poolHistories: Readonly<Record<string, (trace: Trace) => void>> = {
  'a warm pool that is filled, drained and deleted': (trace) => {
    const kit = traced(PoolKit.with({ replicas: 3 }), trace);
    kit.trace?.('awaited');
    kit.rest().ready().rest();
    kit.edit({ replicas: 1 }).reconcile();
    kit.rest();
    kit.server.slow.add('pool');
    kit.server.delete('SandboxWarmPool/pool');
    kit.rest();
    kit.server.remove('SandboxWarmPool/pool');
    kit.reconcile();
  },
  'a warm pool without its template': (trace) => {
    const kit = traced(PoolKit.with(), trace);
    kit.server.remove('SandboxTemplate/template');
    kit.rest();
  },
  'a warm pool whose members are refused': (trace) => {
    const kit = traced(PoolKit.with(), trace);
    kit.refuses = ({ type }) => (type === 'createObject' ? 'FORBIDDEN' : undefined);
    kit.rest();
  },
  'a warm pool whose members cannot start': (trace) => {
    const kit = traced(PoolKit.with(), trace);
    kit.server.put(startError('pod'));
    kit.rest();
  },
  'a warm pool whose members find no node': (trace) => {
    const kit = traced(PoolKit.with({ replicas: 1 }), trace).rest();
    kit.server.status(`Sandbox/${kit.names[0] ?? ''}`, unschedulableStatus(kit.now));
    kit.wait(600_000).rest();
  },
  'a warm pool whose template changes': (trace) => {
    const kit = traced(PoolKit.with({ strategy: 'Recreate' }), trace)
      .rest()
      .ready()
      .rest();
    const { metadata: _, ...changed } = templateObject('two');
    kit.edit(Object(changed['spec']), 'SandboxTemplate/template').rest();
  },
  'a warm pool with claims': (trace) => {
    const kit = traced(PoolKit.with({ replicas: 1 }), trace).rest();
    kit.server.put(claim('early'));
    kit.rest().ready().rest();
  },
};
