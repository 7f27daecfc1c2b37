// The oracles over shards that change hands, as the wire of one process tells them: it sends
// nothing that it decided in an earlier epoch, and looks before it plans what it takes over.
import { describe, expect, it } from 'vitest';
import { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { cliques, leases, pods } from '../users/addresses.ts';
import type { Oracles } from './oracles.ts';
import { Tally } from './tally.ts';
import type { Witness } from './witness.ts';
import { Witnesses } from './witnesses.ts';

const lease = (name: string, holder: string, epoch: number): Stored => ({
  kind: 'Lease',
  metadata: { name: `coppice-${name}`, namespace: 'default', uid: name },
  spec: { holderIdentity: `controller-${holder}-x`, leaseTransitions: epoch },
});

const pod = (name: string): Stored => ({
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    uid: `pod-${name}`,
    labels: { 'app.kubernetes.io/part-of': 'alpha', 'grove.io/podclique-pod-index': name },
    ownerReferences: [{ kind: 'PodClique', name: 'c', uid: 'c', controller: true }],
  },
  spec: { schedulingGates: [{ name: 'grove.io/podgang-pending-creation' }] },
});

const clique: Stored = {
  kind: 'PodClique',
  metadata: {
    name: 'c',
    namespace: 'default',
    uid: 'c',
    labels: { 'app.kubernetes.io/part-of': 'alpha' },
  },
  spec: { replicas: 3 },
};

/** Controller 1, which is shown what is in the store when it looks. */
class Process {
  readonly clock = new VirtualClock();
  readonly store = new Store();
  readonly violations: string[] = [];
  readonly #witness: Witness;

  constructor() {
    const oracles: Oracles = {
      violations: this.violations,
      violate: (what) => this.violations.push(what),
      decided: () => {},
      deletesPod: () => {},
      stop: () => {},
    };
    const witnesses = new Witnesses({
      store: this.store,
      clock: this.clock,
      tally: new Tally(),
      oracles,
      terminations: { mayDelete: () => false },
      shards: 1,
      moment: () => 0,
      isMisled: () => false,
      isDeaf: false,
    });
    this.#witness = witnesses.call(1);
    this.put('grove.io/podcliques', clique);
    this.hears(cliques, 'grove.io/podcliques');
  }

  put(collection: string, object: Stored): void {
    const into = this.store.collection(collection);
    const copy = { ...object, metadata: { ...object.metadata } };
    this.store.put(into, copy, into.get('default', String(object.metadata['name'])));
  }

  /** A list of these. */
  hears(path: string, collection: string): void {
    const items = this.store.collection(collection).list();
    const metadata = { resourceVersion: String(this.store.version) };
    const request = { method: 'GET', path: `${path}?limit=500` } as const;
    this.#witness.asks(request);
    this.#witness.hears(request, { status: 200, headers: {}, body: { metadata, items } });
  }

  /** Its shard, or that of another, in this epoch; and a while passes. */
  async leases(holder: string, epoch: number): Promise<void> {
    this.put('coordination.k8s.io/leases', lease(`member-controller-${holder}-x`, holder, 0));
    this.put('coordination.k8s.io/leases', lease('shard-0', holder, epoch));
    this.hears(leases, 'coordination.k8s.io/leases');
    await this.clock.advance(1_000);
  }

  /** The status of the PodClique. */
  tells(): void {
    const path = `${cliques}/c/status`;
    this.#witness.asks({ method: 'PUT', path, body: { metadata: { uid: 'c' } } });
  }

  /** The pod is asked for, and goes on the wire when that is called. */
  creates(name: string): () => void {
    const request = { method: 'POST', path: pods, body: pod(name) } as const;
    this.#witness.asks(request);
    return () => this.#witness.sends(request);
  }
}

describe('A write that waited', () => {
  it('may be sent in the epoch in which it was decided', async () => {
    const process = new Process();
    await process.leases('1', 4);
    const send = process.creates('a');
    await process.clock.advance(1_000);
    send();
    expect(process.violations).toEqual([]);
  });

  it('may not be sent when its shard was lost and gained meanwhile', async () => {
    const process = new Process();
    await process.leases('1', 4);
    const send = process.creates('a');
    await process.leases('2', 5);
    await process.leases('1', 6);
    send();
    expect(process.violations).toEqual([
      expect.stringContaining('controller 1 sends what it decided in epoch 4, in 6 of shard 0'),
    ]);
  });
});

describe('A process that takes a shard over', () => {
  it('may create pods when it has listed those that are there', async () => {
    const process = new Process();
    process.put('/pods', pod('there'));
    await process.leases('1', 4);
    process.hears(pods, '/pods');
    process.creates('new');
    expect(process.violations).toEqual([]);
  });

  it('may create none while it does not know one that was there', async () => {
    const process = new Process();
    process.hears(pods, '/pods');
    process.put('/pods', pod('there'));
    await process.leases('1', 4);
    process.creates('new');
    expect(process.violations).toEqual([
      'controller 1 took shard 0 over, has not listed pods since, and creates pod new without ' +
        'knowing there',
    ]);
  });

  it('may tell no status then either', async () => {
    const process = new Process();
    process.put('/pods', pod('there'));
    await process.leases('1', 4);
    process.tells();
    expect(process.violations).toEqual([
      'controller 1 took shard 0 over, has not listed pods since, and tells the status of c ' +
        'without knowing there',
    ]);
  });

  it('need not know what came later', async () => {
    const process = new Process();
    process.hears(pods, '/pods');
    await process.leases('1', 4);
    process.put('/pods', pod('later'));
    process.creates('new');
    expect(process.violations).toEqual([]);
  });
});
