// The status of a ComputeDomain: what is listed, whether that is Ready, and when it is written.
import { describe, expect, it } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import {
  cliqueOf,
  daemonPod,
  domainKey,
  domainRef,
  labelOfDomain,
  mesh,
  rowsOf,
} from '#test/support/nvidia.ts';
import type { DaemonOptions, RowOf } from '#test/support/nvidia.ts';
import { NvidiaWorld } from '#test/support/nvidia-world.ts';
import type { NvidiaOptions } from '#test/support/nvidia-world.ts';

const domain = 'uid-1';
const interval = 2_000;

function deployed(options: NvidiaOptions = {}, spec = {}, status?: JsonObject): NvidiaWorld {
  const world = new NvidiaWorld(options);
  world.create(mesh(spec, status));
  return world.stabilize();
}

/** Time for whatever waits for the interval. */
const later = (world: NvidiaWorld): NvidiaWorld => world.stabilize().pass(interval);

const statusOf = (world: NvidiaWorld): unknown =>
  world.find('ComputeDomain', 'mesh', 'demo')?.['status'];
const nodesOf = (world: NvidiaWorld): readonly string[] =>
  list(at(statusOf(world), 'nodes')).map((node) => {
    const { name, ipAddress, cliqueID, index, status } = Object(node);
    return `${name} ${ipAddress} ${cliqueID || '-'} ${index} ${status}`;
  });
const statuses = (world: NvidiaWorld): number =>
  world.writes.filter((write) => write.startsWith('status')).length;
const saidOf = (world: NvidiaWorld): readonly string[] => world.events.map(({ reason }) => reason);

const cliqueRef = (id: string, namespace = 'driver') =>
  ({ kind: 'ComputeDomainClique', namespace, name: `${domain}.${id}` }) as const;
const podRef = (name: string) => ({ kind: 'Pod', namespace: 'driver', name }) as const;
const setRows = (world: NvidiaWorld, id: string, rows: readonly RowOf[]): void =>
  world.edit(cliqueRef(id), { daemons: rowsOf(id, rows) });

const a: RowOf = ['a', '10.0.0.1', 0, 'Ready'];
const b: RowOf = ['b', '10.0.0.2', 1, 'NotReady'];

describe('The nodes in the status of a ComputeDomain', () => {
  it('Q-1, A-90: are those of its cliques in all namespaces of the driver', () => {
    const world = deployed();
    world.create(cliqueOf(domain, 'c.1', [a, b]));
    world.create(cliqueOf(domain, 'c.2', [['c', '10.0.0.3', 0, 'Ready']], 'older'));
    world.create(cliqueOf(domain, 'c.3', [['d', '10.0.0.4', 0, 'Ready']], 'demo'));
    world.create(cliqueOf('uid-other', 'c.1', [['e', '10.0.0.5', 0, 'Ready']]));
    later(world);
    expect(statusOf(world)).toEqual({
      status: 'NotReady',
      nodes: [
        { name: 'a', ipAddress: '10.0.0.1', cliqueID: 'c.1', index: 0, status: 'Ready' },
        { name: 'b', ipAddress: '10.0.0.2', cliqueID: 'c.1', index: 1, status: 'NotReady' },
        { name: 'c', ipAddress: '10.0.0.3', cliqueID: 'c.2', index: 0, status: 'Ready' },
      ],
    });
    later(world.pass(60_000));
    expect(statuses(world)).toBe(2);
  });

  it('are those without a fabric too, once their pods have an IP, as Ready as these', () => {
    const world = deployed();
    world.create(daemonPod({ domain, node: 'n', clique: '', ip: '10.0.0.9' }));
    world.create(daemonPod({ domain, node: 'm', clique: '', ip: '10.0.0.8', isReady: false }));
    world.create(daemonPod({ domain, node: 'early', clique: '' }));
    world.create(daemonPod({ domain, node: 'x', clique: '', ip: '10.0.0.7', namespace: 'demo' }));
    later(world);
    expect(nodesOf(world)).toEqual(['m 10.0.0.8 - -1 NotReady', 'n 10.0.0.9 - -1 Ready']);
  });

  it('HC-19: are not those whose pods have not said yet in which clique they are', () => {
    const world = deployed();
    world.create(daemonPod({ domain, node: 'n', ip: '10.0.0.9' }));
    expect(nodesOf(later(world))).toEqual([]);
  });

  it('A-94: are no field at all where there are none', () => {
    const world = deployed();
    world.create(cliqueOf(domain, 'c.1', [a]));
    expect(nodesOf(later(world))).toHaveLength(1);
    world.drop(cliqueRef('c.1'));
    expect(statusOf(later(world))).toEqual({ status: 'Ready' });
    world.edit(domainRef, { status: { nodes: [] } });
    expect(statusOf(later(world))).toEqual({ status: 'Ready' });
  });

  it('keep what else is in the status', () => {
    const world = deployed({}, {}, { status: 'Ready', conditions: ['theirs'] });
    world.create(cliqueOf(domain, 'c.1', [b]));
    expect(at(statusOf(later(world)), 'conditions')).toEqual(['theirs']);
  });
});

describe('A node that moves', () => {
  const old: DaemonOptions = { domain, node: 'a', clique: 'c.1', ip: '10.0.0.1', name: 'old' };

  it('A-91, Q-2, HC-29: is listed once, as the clique of the pod has it that runs on', () => {
    const world = deployed();
    world.create(daemonPod(old));
    world.create(cliqueOf(domain, 'c.1', [a]));
    world.create(cliqueOf(domain, 'c.2', [['a', '10.0.0.7', 5, 'NotReady']]));
    expect(nodesOf(later(world))).toEqual(['a 10.0.0.1 c.1 0 Ready']);
    world.remove(podRef('old'));
    world.create(daemonPod({ ...old, name: 'new', clique: 'c.2', ip: '10.0.0.7' }));
    expect(nodesOf(later(world))).toEqual(['a 10.0.0.7 c.2 5 NotReady']);
  });

  it('A-91: is the younger one where both live', () => {
    const world = deployed();
    world.create(daemonPod(old));
    world.pass(60_000);
    world.create(daemonPod({ ...old, name: 'new', clique: '', ip: '10.0.0.7' }));
    world.create(cliqueOf(domain, 'c.1', [a]));
    expect(nodesOf(later(world))).toEqual(['a 10.0.0.7 - -1 Ready']);
  });

  it('A-91: stays where it was until its new clique has it', () => {
    const world = deployed();
    world.create(daemonPod(old));
    world.create(cliqueOf(domain, 'c.1', [a]));
    world.remove(podRef('old'));
    world.create(daemonPod({ ...old, name: 'new', clique: 'c.2', ip: '10.0.0.7' }));
    expect(nodesOf(later(world))).toEqual(['a 10.0.0.1 c.1 0 Ready']);
  });
});

describe('The global status of a ComputeDomain', () => {
  it('Q-20: is Ready where nothing is wanted and nothing is there', () => {
    expect(statusOf(deployed())).toEqual({ status: 'Ready' });
  });

  it('HC-30, A-93: needs as many nodes as are wanted, all Ready, and goes back', () => {
    const world = deployed({}, { numNodes: 2 });
    expect(statusOf(world)).toEqual({ status: 'NotReady' });
    expect(world.why('computedomain', 'mesh')).toContain('0 of 2 nodes have joined');
    world.create(cliqueOf(domain, 'c.1', [a]));
    expect(at(statusOf(later(world)), 'status')).toBe('NotReady');
    setRows(world, 'c.1', [a, b]);
    expect(at(statusOf(later(world)), 'status')).toBe('NotReady');
    expect(world.why('computedomain', 'mesh')).toContain('1 of 2 nodes are not ready: b');
    setRows(world, 'c.1', [a, ['b', '10.0.0.2', 1, 'Ready']]);
    expect(at(statusOf(later(world)), 'status')).toBe('Ready');
    setRows(world, 'c.1', [a]);
    expect(at(statusOf(later(world)), 'status')).toBe('NotReady');
  });

  it('Q-5: is not what a DaemonSet says of its pods', () => {
    const world = deployed({}, { numNodes: 1 });
    const [set] = world.all('DomainDaemonSet');
    const name = set?.metadata.name ?? '';
    world.edit(
      { kind: 'DomainDaemonSet', namespace: 'driver', name },
      { status: { numberReady: 1 } },
    );
    expect(statusOf(later(world))).toEqual({ status: 'NotReady' });
  });

  it('A-93: is NotReady with a node of which nothing is said', () => {
    const entry = { name: 'a', ipAddress: '10.0.0.1', cliqueID: 'c.1', index: 0 };
    const world = new NvidiaWorld({ settings: { featureGates: { ComputeDomainCliques: false } } });
    world.create(mesh({}, { status: 'Ready', nodes: [entry] }));
    world.create(daemonPod({ domain, node: 'a', clique: 'c.1', ip: '10.0.0.1' }));
    world.restart();
    expect(statusOf(world)).toEqual({
      status: 'NotReady',
      nodes: [{ ...entry, status: 'NotReady' }],
    });
  });
});

describe('The status of a ComputeDomain is written', () => {
  it('A-90: at once, and then once in the interval, with what is known by then', () => {
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
    world.remove(domainRef);
    setRows(world, 'c.1', [b]);
    later(world.stabilize());
    expect(statuses(world)).toBe(before);
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

  it('is not written over what a daemon puts there meanwhile', () => {
    const world = deployed({ settings });
    world.create(daemonPod(pod));
    world.create(daemonPod({ domain, node: 'n', clique: '', ip: '10.0.0.9' }));
    world.options = { settings, isSlow: true };
    world.stabilize();
    world.edit(domainRef, { status: { status: 'NotReady', nodes: [entry] } });
    world.stabilize();
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
    later(world).pass(10_000);
    expect(nodesOf(world)).toEqual(['a 10.0.0.1 c.1 0 Ready']);
    expect(saidOf(world)).toEqual(['ComputeDomainMixed']);
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
