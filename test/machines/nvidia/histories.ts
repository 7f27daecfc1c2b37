// Histories that lead the charts of ComputeDomains and of their children through every state: told
// to whoever traces states. Used by states.test.ts.
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import {
  childOf,
  cliqueOf,
  daemonPod,
  domainRef,
  labelledNode,
  labelsOf,
  mesh,
} from '#test/support/nvidia.ts';
import type { RowOf } from '#test/support/nvidia.ts';
import { NvidiaWorld } from '#test/support/nvidia-world.ts';
import type { NvidiaOptions } from '#test/support/nvidia-world.ts';
import { refOf } from '#test/support/world-store.ts';

type Trace = NonNullable<NvidiaOptions['trace']>;

const held = { metadata: { finalizers: ['theirs'] } };
const uid = 'uid-1';

function lifeOfDomain(trace: Trace): void {
  const world = new NvidiaWorld({ trace });
  world.create(mesh());
  world.create(labelledNode('a', uid));
  world.stabilize();
  world.remove(domainRef);
  world.stabilize();
}

function mixedDaemons(trace: Trace): void {
  const entry = { name: 'a', ipAddress: '10.0.0.1', cliqueID: 'c.1', index: 0, status: 'Ready' };
  const world = new NvidiaWorld({ trace });
  world.create(mesh({}, { status: 'Ready', nodes: [entry] }));
  world.create(daemonPod({ domain: uid, node: 'a', clique: 'c.1', ip: '10.0.0.1' }));
  world.restart();
}

function largeStatus(trace: Trace): void {
  const world = new NvidiaWorld({ trace });
  world.create(mesh());
  world.stabilize();
  for (const count of [6_000, 9_000]) {
    const rows = Array.from({ length: count }, (_, index): RowOf => [
      `node-${index}`,
      '10.200.200.200',
      index,
      'Ready',
    ]);
    const clique = cliqueOf(uid, 'c.1', rows);
    world.drop({ kind: 'ComputeDomainClique', namespace: 'driver', name: clique.metadata.name });
    world.create(clique);
    world.pass(60_000);
  }
}

const children: readonly KubeObject[] = ['driver', 'demo'].flatMap((namespace) => [
  childOf('DaemonSet', { namespace, name: 'd' }, labelsOf(uid)),
  childOf('ResourceClaimTemplate', { namespace, name: 'c' }, labelsOf(uid, 'Daemon')),
]);

/** Of what others hold too, so that it stays for a while. */
function childrenThatStay(trace: Trace, hasDomain: boolean): void {
  const world = new NvidiaWorld({ trace, list: 'fails' });
  if (hasDomain) world.create(mesh());
  const node = labelledNode('a', hasDomain ? uid : 'uid-lost');
  const all = [node, ...children].map((one) => world.create(one));
  world.stabilize();
  const refs = all.map(refOf);
  for (const ref of refs) {
    world.edit(ref, held);
    world.remove(ref);
  }
  world.stabilize();
  world.options = { trace, refuse: () => 'FORBIDDEN' };
  world.pass(60_000);
  world.options = { trace };
  world.pass(60_000);
  for (const ref of refs) world.drop(ref);
  world.stabilize();
}

function orphansThatLive(trace: Trace): void {
  const world = new NvidiaWorld({ trace });
  for (const one of [labelledNode('a', 'uid-lost'), ...children]) world.create(one);
  world.stabilize();
}

export const nvidiaHistories: Readonly<Record<string, (trace: Trace) => void>> = {
  'the life of a ComputeDomain': lifeOfDomain,
  'a ComputeDomain with daemons of two kinds': mixedDaemons,
  'a ComputeDomain with very many nodes': largeStatus,
  'children that others hold, with their domain': (trace) => childrenThatStay(trace, true),
  'children that others hold, without a domain': (trace) => childrenThatStay(trace, false),
  'children without a domain': orphansThatLive,
};
