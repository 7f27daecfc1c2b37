// The status of a ComputeDomain: which nodes are listed, and whether that is Ready.
import { describe, expect, it } from 'vitest';
import { at } from '#machines/kubernetes/json.ts';
import { cliqueOf, daemonPod, domainRef, mesh } from '#test/support/nvidia.ts';
import type { DaemonOptions } from '#test/support/nvidia.ts';
import { NvidiaWorld } from '#test/support/nvidia-world.ts';
import {
  domain,
  deployed,
  later,
  statusOf,
  nodesOf,
  statuses,
  cliqueRef,
  podRef,
  setRows,
  a,
  b,
} from './sample.ts';

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

  it('HC-20, HC-66: are those without a fabric too, once their pods have an IP, as Ready as these', () => {
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

  it('A-91: is listed as the clique has it that its pod owns, where that has no label', () => {
    const world = deployed();
    world.create(cliqueOf(domain, 'c.1', [['a', '10.0.0.1', 0, 'NotReady']]));
    const { metadata } = world.create(daemonPod({ domain, node: 'a', ip: '10.0.0.7' }));
    world.create(cliqueOf(domain, 'c.2', [['a', '10.0.0.7', 5, 'Ready']]));
    expect(nodesOf(later(world))).toEqual(['a 10.0.0.1 c.1 0 NotReady']);
    const { name, uid = '' } = metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name, uid }];
    world.edit(cliqueRef('c.2'), { metadata: { ownerReferences } });
    expect(nodesOf(later(world))).toEqual(['a 10.0.0.7 c.2 5 Ready']);
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

  it('HC-8, HC-30, A-93: needs as many nodes as are wanted, all Ready, and goes back', () => {
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
    // It is made anew, of the rows alone.
    world.create(cliqueOf(domain, 'c.1', [b]));
    expect(statusOf(later(world))).toMatchObject({ status: 'NotReady', nodes: [{ name: 'b' }] });
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
