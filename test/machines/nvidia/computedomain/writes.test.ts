// When the status of a ComputeDomain is written, and with daemons of two kinds, or too many of
// them.
import { describe, expect, it } from 'vitest';
import type { Reconciled } from '#machines/contract/behaviour.ts';
import { at, list } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { computeDomain } from '#machines/nvidia/computedomain/behaviour.ts';
import {
  cliqueOf,
  daemonPod,
  domainKey,
  domainRef,
  labelOfDomain,
  mesh,
} from '#test/support/nvidia.ts';
import type { DaemonOptions, RowOf } from '#test/support/nvidia.ts';
import { NvidiaWorld } from '#test/support/nvidia-world.ts';
import {
  domain,
  interval,
  deployed,
  later,
  statusOf,
  nodesOf,
  statuses,
  saidOf,
  podRef,
  setRows,
  a,
  b,
} from './sample.ts';

/** What the actor would say if it were asked once more. */
function again(world: NvidiaWorld): Reconciled {
  const snapshot = world.snapshotOf(domainKey);
  if (snapshot === undefined) throw new Error('no actor');
  return computeDomain.reconcile(snapshot, world.now);
}

describe('The status of a ComputeDomain is written', () => {
  it('A-90, HC-22: at once, and then once in the interval, with what is known by then', () => {
    const world = deployed();
    world.create(cliqueOf(domain, 'c.1', []));
    world.pass(60_000);
    const before = statuses(world);
    for (let at = 0; at < 10_000; at += 100) {
      setRows(world, 'c.1', [['a', `10.0.0.${at / 100}`, 0, 'Ready']]);
      world.stabilize().pass(100);
      const written = Math.max(0, Math.floor((at - 1_900) / interval) * interval + 1_900);
      expect(nodesOf(world)).toEqual([`a 10.0.0.${written / 100} c.1 0 Ready`]);
      if (at === 500) expect(world.why('computedomain', 'mesh')[0]).toMatch(/every 2000 ms/);
    }
    world.pass(interval);
    expect(nodesOf(world)).toEqual(['a 10.0.0.99 c.1 0 Ready']);
    expect(statuses(world) - before).toBe(6);
  });

  it('A-92: never where the content is the same, in whatever order', () => {
    const world = deployed();
    world.create(cliqueOf(domain, 'c.1', [a, b]));
    later(world);
    const before = statuses(world);
    setRows(world, 'c.1', [b, a]);
    later(world);
    world.edit(domainRef, {
      status: { nodes: list(at(statusOf(world), 'nodes')).toReversed() as JsonObject[] },
    });
    later(world);
    later(world.restart());
    expect(statuses(world)).toBe(before);
  });

  it('again where somebody has changed it', () => {
    const world = deployed();
    world.create(cliqueOf(domain, 'c.1', [a]));
    later(world);
    world.edit(domainRef, { status: { status: 'NotReady', nodes: [] } });
    expect(nodesOf(later(world))).toEqual(['a 10.0.0.1 c.1 0 Ready']);
  });

  it('HC-55: anew, without a pause, where it was refused for another version', () => {
    const world = deployed();
    world.create(cliqueOf(domain, 'c.1', [a]));
    later(world).pass(60_000);
    world.options = { refuse: (op) => (op === 'status' ? 'CONFLICT' : undefined) };
    setRows(world, 'c.1', [a, b]);
    world.stabilize();
    setRows(world, 'c.1', [b]);
    world.stabilize();
    world.options = {};
    world.pass(1);
    expect(nodesOf(world)).toEqual(['b 10.0.0.2 c.1 1 NotReady']);
    expect(world.events).toEqual([]);
  });

  it('one at a time, with what is newest then', () => {
    const world = deployed();
    world.pass(60_000);
    world.options = { isSlow: true };
    world.create(cliqueOf(domain, 'c.1', [a]));
    later(world);
    setRows(world, 'c.1', [a, b]);
    later(world);
    expect(world.inFlight).toHaveLength(1);
    world.land();
    expect(nodesOf(world)).toHaveLength(1);
    expect(world.inFlight).toHaveLength(1);
    world.land();
    expect(nodesOf(world)).toHaveLength(2);
    expect(world.inFlight).toEqual([]);
  });

  it('A-95: not of a domain that is being deleted', () => {
    const world = deployed();
    world.edit(domainRef, { metadata: { finalizers: [labelOfDomain, 'theirs'] } });
    world.create(cliqueOf(domain, 'c.1', [a]));
    later(world);
    const before = statuses(world);
    world.pass(60_000);
    world.options = { isSlow: true };
    setRows(world, 'c.1', [b]);
    world.stabilize();
    const isStatus = ({ type }: { readonly type: string }): boolean => type === 'writeStatus';
    expect(again(world).intents.filter(isStatus)).toHaveLength(1);
    world.remove(domainRef);
    setRows(world, 'c.1', [a, b]);
    world.stabilize();
    expect(again(world).intents.filter(isStatus)).toEqual([]);
    world.options = { refuse: (op) => (op === 'status' ? 'CONFLICT' : undefined) };
    world.land();
    world.options = {};
    later(world.stabilize());
    expect(statuses(world)).toBe(before);
    expect(world.events).toEqual([]);
  });
});

describe('With the gate ComputeDomainCliques off, the status of a ComputeDomain', () => {
  const settings = { featureGates: { ComputeDomainCliques: false } };
  const entry = { name: 'a', ipAddress: '10.0.0.1', cliqueID: 'c.1', index: 3, status: 'Ready' };
  const pod: DaemonOptions = { domain, node: 'a', clique: 'c.1', ip: '10.0.0.1' };

  it('keeps what daemons have put there as long as a pod has the IP', () => {
    const world = deployed({ settings });
    world.create(daemonPod(pod));
    world.create(daemonPod({ domain, node: 'n', clique: '', ip: '10.0.0.9' }));
    world.edit(domainRef, { status: { status: 'NotReady', nodes: [entry] } });
    later(world);
    expect(nodesOf(world)).toEqual(['n 10.0.0.9 - -1 Ready', 'a 10.0.0.1 c.1 3 Ready']);
    world.drop(podRef('daemon-a'));
    expect(nodesOf(later(world))).toEqual(['n 10.0.0.9 - -1 Ready']);
    expect(saidOf(world)).toEqual([]);
  });

  it('HC-62: keeps a node whose pod has said its clique and has no IP yet', () => {
    const world = deployed({ settings });
    world.create(daemonPod({ ...pod, ip: '' }));
    world.edit(domainRef, { status: { status: 'Ready', nodes: [entry] } });
    expect(nodesOf(later(world))).toEqual(['a 10.0.0.1 c.1 3 Ready']);
  });

  it('A-17: keeps the index that a daemon took, and the clique has only ours', () => {
    const world = deployed({ settings });
    world.create(daemonPod(pod));
    world.create(daemonPod({ domain, node: 'b', clique: 'c.1', ip: '10.0.0.2', isAgent: true }));
    world.edit(domainRef, { status: { status: 'Ready', nodes: [entry] } });
    later(world).pass(10_000).pass(10_000);
    expect(nodesOf(world)).toEqual(['b 10.0.0.2 c.1 0 Ready', 'a 10.0.0.1 c.1 3 Ready']);
    expect(saidOf(world)).toEqual([]);
  });

  it('is not written over what a daemon puts there meanwhile', () => {
    const world = deployed({ settings });
    world.pass(60_000);
    world.create(daemonPod(pod));
    world.create(daemonPod({ domain, node: 'n', clique: '', ip: '10.0.0.9' }));
    world.options = { settings, isSlow: true };
    world.stabilize();
    world.edit(domainRef, { status: { status: 'NotReady', nodes: [entry] } });
    world.stabilize();
    expect(world.inFlight).toHaveLength(1);
    const { snapshot, intents } = again(world);
    expect(at(snapshot.context, 'asked', 'isOpen')).toBe(false);
    expect(intents.filter(({ type }) => type === 'writeStatus')).toEqual([]);
    world.options = { settings, refuse: () => 'CONFLICT' };
    world.land();
    world.options = { settings };
    expect(nodesOf(later(world))).toEqual(['n 10.0.0.9 - -1 Ready', 'a 10.0.0.1 c.1 3 Ready']);
  });
});

describe('A ComputeDomain whose gate was switched while it lived', () => {
  const entry = { name: 'a', ipAddress: '10.0.0.1', cliqueID: 'c.1', index: 3, status: 'Ready' };

  function mixed(ip: string): NvidiaWorld {
    const world = new NvidiaWorld();
    world.create(mesh({}, { status: 'Ready', nodes: [entry] }));
    world.create(daemonPod({ domain, node: 'a', clique: 'c.1', ip }));
    return world.restart();
  }

  it('A-105, HC-67: keeps the nodes of older daemons while their pods live, and says so', () => {
    const world = mixed('10.0.0.1');
    world.create(daemonPod({ domain, node: 'b', clique: 'c.1', ip: '10.0.0.2' }));
    world.create(cliqueOf(domain, 'c.1', [['b', '10.0.0.2', 0, 'Ready']]));
    later(world);
    expect(nodesOf(world)).toEqual(['b 10.0.0.2 c.1 0 Ready', 'a 10.0.0.1 c.1 3 Ready']);
    expect(saidOf(world)).toEqual([]);
    expect(world.why('computedomain', 'mesh')[0]).toMatch(
      /^1 nodes are listed in the status alone/,
    );
    world.pass(10_000).pass(10_000);
    expect(saidOf(world)).toEqual(['ComputeDomainMixed']);
    expect(world.view(domainKey)).toMatchObject({ isMixed: true });
    world.drop(podRef('daemon-a'));
    later(world);
    expect(nodesOf(world)).toEqual(['b 10.0.0.2 c.1 0 Ready']);
    expect(world.view(domainKey)).toMatchObject({ isMixed: false });
  });

  it('A-105: lists the nodes of newer daemons where the gate was switched off', () => {
    const world = deployed({ settings: { featureGates: { ComputeDomainCliques: false } } });
    world.create(cliqueOf(domain, 'c.1', [a]));
    world.create(daemonPod({ domain, node: 'a', clique: 'c.1', ip: '10.0.0.1' }));
    later(world).pass(10_000);
    expect(nodesOf(world)).toEqual(['a 10.0.0.1 c.1 0 Ready']);
    expect(saidOf(world)).toEqual(['ComputeDomainMixed']);
  });

  it('is not taken for mixed because of a row whose daemon is gone', () => {
    const featureGates = { ComputeDomainCliques: false };
    const world = deployed({ settings: { featureGates }, list: 'fails' });
    world.create(cliqueOf(domain, 'c.1', [a]));
    later(world).pass(10_000).pass(10_000);
    expect(nodesOf(world)).toHaveLength(1);
    expect(saidOf(world)).toEqual([]);
  });

  it('A-105: does not keep a node whose index another node has by now', () => {
    const world = mixed('10.0.0.1');
    world.create(cliqueOf(domain, 'c.1', [['b', '10.0.0.2', 3, 'Ready']]));
    expect(nodesOf(later(world))).toEqual(['b 10.0.0.2 c.1 3 Ready']);
  });

  it('does not keep a node whose pod has another IP by now', () => {
    expect(nodesOf(later(mixed('10.0.0.8')))).toEqual([]);
  });
});

describe('A ComputeDomain with very many nodes', () => {
  const fabric = '8f6b1c2e-3d4a-4b5c-9e7f-0a1b2c3d4e5f.32766';
  const rows = (count: number): readonly RowOf[] =>
    Array.from({ length: count }, (_, index) => [
      `node-${index}`,
      '10.200.200.200',
      index,
      'Ready',
    ]);

  it('A-97: says that its status comes near the limit, and when it is beyond', () => {
    const world = deployed();
    world.create(cliqueOf(domain, fabric, rows(5_500)));
    later(world);
    expect(nodesOf(world)).toHaveLength(5_500);
    expect(saidOf(world)).toEqual(['ComputeDomainStatusTooLarge']);
    setRows(world, fabric, rows(8_000));
    later(world);
    expect(nodesOf(world)).toHaveLength(5_500);
    expect(saidOf(world)).toHaveLength(2);
    expect(world.why('computedomain', 'mesh').join()).toMatch(/is not written any more/);
    setRows(world, fabric, rows(10));
    later(world);
    expect(nodesOf(world)).toHaveLength(10);
    expect(saidOf(world)).toHaveLength(2);
  });
});
