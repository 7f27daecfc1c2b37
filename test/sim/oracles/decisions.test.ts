// The oracles themselves: a write is right or wrong by what its process was shown when it decided
// on it, not by what is true in the store or was true once.
import { describe, expect, it } from 'vitest';
import type { Stored } from '#src/devcluster/contract.ts';
import type { WatchSink } from '#src/kube/transport/transport.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { cliques, pods } from '../users/addresses.ts';
import { Decisions } from './decisions.ts';
import type { ReportedAnswers } from './reported-answers.ts';
import { Shown } from './shown.ts';
import { Tally } from './tally.ts';
import type { Waits } from './waits.ts';
import { Witness } from './witness.ts';

const clique = (replicas: number, version: number, more: object = {}): Stored => ({
  kind: 'PodClique',
  metadata: {
    name: 'c',
    namespace: 'default',
    uid: 'c',
    resourceVersion: String(version),
    ...more,
  },
  spec: { replicas },
});

const pod = (index: number, version: number, more: object = {}): Stored => ({
  kind: 'Pod',
  metadata: {
    name: `c-${index}`,
    namespace: 'default',
    uid: `pod-${index}`,
    resourceVersion: String(version),
    labels: { 'grove.io/podclique': 'c', 'grove.io/podclique-pod-index': String(index) },
    ownerReferences: [{ kind: 'PodClique', name: 'c', uid: 'c', controller: true }],
    ...more,
  },
  spec: { schedulingGates: [{ name: 'grove.io/podgang-pending-creation' }] },
});

/** One process, as its wire knows it. */
class Process {
  readonly clock = new VirtualClock();
  readonly violations: string[] = [];
  readonly tally = new Tally();
  readonly #sinks = new Map<string, WatchSink>();
  readonly witness: Witness;

  constructor() {
    const shown = new Shown(this.clock);
    const decisions = new Decisions({
      life: 1,
      shown,
      tally: this.tally,
      moment: () => 0,
      violate: (what) => this.violations.push(what),
      decided: () => {},
      deletesPod: () => {},
      mayTerminate: () => false,
      isDeaf: false,
    });
    const told = { judge: () => {}, hears: () => {} } as unknown as ReportedAnswers;
    const waits = { judge: () => {} } as unknown as Waits;
    this.witness = new Witness({ shown, told, decisions, waits });
  }

  /** Its lists show this, and a while passes. */
  async lists(...objects: readonly Stored[]): Promise<void> {
    for (const [path, kind] of [
      [cliques, 'PodClique'],
      [pods, 'Pod'],
    ] as const) {
      const items = objects.filter((each) => each['kind'] === kind);
      const body = { metadata: { resourceVersion: '100' }, items };
      this.witness.hears(
        { method: 'GET', path: `${path}?limit=500` },
        { status: 200, headers: {}, body },
      );
    }
    await this.clock.advance(1_000);
  }

  /** A later list shows the past: these pods, as of that version. */
  listsPast(version: string, ...items: readonly Stored[]): void {
    const body = { metadata: { resourceVersion: version }, items };
    this.witness.hears(
      { method: 'GET', path: `${pods}?limit=500` },
      { status: 200, headers: {}, body },
    );
  }

  /** Its watch tells this. */
  hears(type: string, object: Stored): void {
    const path = object['kind'] === 'Pod' ? pods : cliques;
    const sink =
      this.#sinks.get(path) ?? this.witness.overhears(path, { event: () => {}, closed: () => {} });
    this.#sinks.set(path, sink);
    sink.event({ type, object });
  }

  isRefused(): void {
    const response = { status: 429, headers: { 'retry-after': '9' }, body: {} };
    this.witness.hears({ method: 'POST', path: pods, body: {} }, response);
  }

  /** The answer to a write says that there is no such PodClique; with `details` it names it. */
  misses(details = {}): void {
    const response = { status: 404, headers: {}, body: { details } };
    this.witness.hears({ method: 'PATCH', path: `${cliques}/c`, body: {} }, response);
  }

  deletes(index: number): void {
    const body = { preconditions: { uid: `pod-${index}` } };
    this.witness.asks({ method: 'DELETE', path: `${pods}/c-${index}`, body });
  }

  /** Without an answer. */
  creates(index: number): void {
    this.witness.asks({ method: 'POST', path: pods, body: pod(index, 0) });
  }
}

describe('A live pod', () => {
  it('may be deleted when more are known than the newest wish', async () => {
    const process = new Process();
    await process.lists(clique(3, 1), pod(0, 2), pod(1, 3), pod(2, 4));
    process.hears('MODIFIED', clique(2, 101));
    process.deletes(2);
    expect(process.violations).toEqual([]);
    expect(process.tally.counts['delete of a live pod']?.judged).toBe(1);
  });

  it('may not be one too many on a scale-in', async () => {
    const process = new Process();
    await process.lists(clique(3, 1), pod(0, 2), pod(1, 3), pod(2, 4));
    process.hears('MODIFIED', clique(2, 101));
    process.deletes(2);
    process.deletes(1);
    expect(process.violations).toEqual([
      'controller 1 deletes live pod c-1 though 2 are wanted and it knows c-0, c-1',
    ]);
  });

  it('may not be deleted for a wish that was shown earlier, however lately', async () => {
    const process = new Process();
    await process.lists(clique(2, 1), pod(0, 2), pod(1, 3), pod(2, 4));
    process.hears('MODIFIED', clique(3, 101));
    await process.clock.advance(100);
    process.deletes(2);
    expect(process.violations).toHaveLength(1);
  });

  it('may be deleted for an earlier wish where the server held writes of pods up since', async () => {
    const process = new Process();
    await process.lists(clique(2, 1), pod(0, 2), pod(1, 3), pod(2, 4));
    process.isRefused();
    process.hears('MODIFIED', clique(3, 101));
    await process.clock.advance(100);
    process.deletes(2);
    expect(process.violations).toEqual([]);
    const abstained = process.tally.counts['delete of a live pod']?.abstained ?? {};
    expect(Object.values(abstained)).toEqual([1]);
    process.deletes(1);
    expect(process.violations).toHaveLength(1);
  });

  it('may be deleted for a wish that gave way within the time of a tick', async () => {
    const process = new Process();
    await process.lists(clique(2, 1), pod(0, 2), pod(1, 3), pod(2, 4));
    process.hears('MODIFIED', clique(3, 101));
    process.deletes(2);
    expect(process.violations).toEqual([]);
  });

  it('may be deleted for a wish that has changed where that was not shown', async () => {
    const process = new Process();
    await process.lists(clique(1, 1), pod(0, 2), pod(1, 3));
    process.deletes(1);
    expect(process.violations).toEqual([]);
  });

  it('goes with its PodClique, and is not judged by the wish', async () => {
    const process = new Process();
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    await process.lists(clique(1, 1, { deletionTimestamp }), pod(0, 2));
    process.deletes(0);
    expect(process.violations).toEqual([]);
    expect(process.tally.counts['delete with the PodClique']?.judged).toBe(1);
  });

  it('may be asked to go again, whatever the wish is by then', async () => {
    const process = new Process();
    await process.lists(clique(1, 1), pod(0, 2), pod(1, 3));
    process.deletes(1);
    process.hears('MODIFIED', clique(2, 101));
    await process.clock.advance(100);
    process.deletes(1);
    expect(process.violations).toEqual([]);
  });
});

describe('A new pod', () => {
  it('may fill what is missing under the newest wish, and no more', async () => {
    const process = new Process();
    await process.lists(clique(2, 1), pod(0, 2));
    process.creates(1);
    expect(process.violations).toEqual([]);
    process.creates(2);
    expect(process.violations).toEqual([
      'controller 1 creates pod c-2 though 2 are wanted and it knows c-0, c-1 (under way)',
    ]);
  });

  it('may not follow an old wish', async () => {
    const process = new Process();
    await process.lists(clique(3, 1), pod(0, 2));
    process.hears('MODIFIED', clique(1, 101));
    await process.clock.advance(100);
    process.creates(1);
    expect(process.violations).toHaveLength(1);
  });

  it('may take the place of one whose end was shown, and not of one that is there', async () => {
    const process = new Process();
    await process.lists(clique(1, 1), pod(0, 2));
    process.hears('DELETED', pod(0, 102));
    process.creates(1);
    expect(process.violations).toEqual([]);
    const other = new Process();
    await other.lists(clique(1, 1), pod(0, 2));
    other.creates(1);
    expect(other.violations).toHaveLength(1);
  });

  it('counts no pod that only a list of the past shows', async () => {
    const process = new Process();
    await process.lists(clique(1, 1));
    process.listsPast('90', pod(0, 80));
    process.creates(1);
    expect(process.violations).toEqual([]);
    process.listsPast('120', pod(2, 110));
    process.creates(3);
    expect(process.violations).toHaveLength(1);
  });

  it('may not come for a PodClique that is known to be going, or of which nothing is known', async () => {
    const process = new Process();
    await process.lists(clique(1, 1));
    process.hears('DELETED', clique(1, 101));
    await process.clock.advance(100);
    process.creates(0);
    expect(process.violations).toHaveLength(1);
    const other = new Process();
    other.creates(0);
    expect(other.violations).toHaveLength(1);
  });

  it('may come for a PodClique that newer news bring back from a 404, and not for one of older', async () => {
    for (const [version, violations] of [
      [4, 1],
      [101, 0],
    ] as const) {
      const process = new Process();
      await process.lists(clique(1, 5));
      process.misses();
      await process.clock.advance(100);
      process.hears('MODIFIED', clique(1, version));
      process.creates(0);
      expect(process.violations).toHaveLength(violations);
    }
  });

  it('may not come for a PodClique after a 404 that names it', async () => {
    const process = new Process();
    await process.lists(clique(1, 5));
    process.misses({ name: 'c', kind: 'podcliques', group: 'grove.io' });
    await process.clock.advance(100);
    process.hears('MODIFIED', clique(1, 101));
    process.creates(0);
    expect(process.violations).toHaveLength(1);
  });

  it('does not count one that late news bring back from before its end', async () => {
    const process = new Process();
    await process.lists(clique(1, 1), pod(0, 2));
    process.hears('DELETED', pod(0, 102));
    process.hears('MODIFIED', pod(0, 101));
    await process.clock.advance(100);
    process.creates(1);
    expect(process.violations).toEqual([]);
  });
});
