// What a process watches before an actor lives in it and from then on, and when its actors may
// reconcile: on a scripted API server, with a system that notes what it is told.
import { describe, expect, it } from 'vitest';
import type { ActorKey } from '#machines/contract/address.ts';
import type { Kind } from '#machines/kinds.ts';
import { startWatches, lateKinds } from '#src/controller/watches.ts';
import { createKubeClient } from '#src/kube/client.ts';
import { list } from '#test/kube/support/objects.ts';
import { ScriptedTransport } from '#test/kube/support/scripted-transport.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';

const kinds: readonly Kind[] = ['PodCliqueSet', 'Service', 'PodClique', 'PodGang'];
const set: ActorKey = { kind: 'podcliqueset', namespace: 'default', name: 'demo' };

function scene(late: readonly Kind[]) {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport();
  const told: string[] = [];
  const listeners = new Set<(key: ActorKey) => void>();
  const client = createKubeClient({
    ...{ clock, transport, random: seeded(1), host: 'server:6443' },
    log: () => {},
  });
  const watches = startWatches({
    ...{ kube: client, clock, kinds, late },
    system: {
      observe: () => {},
      served: () => {},
      echoed: () => {},
      onRow: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      listing: () => told.push('listing'),
      listed: (unwatched) => told.push(`listed without ${unwatched.join(' and ')}`),
      synced: () => told.push('synced'),
    },
    lost: () => told.push('lost'),
  });
  watches.synced.then(
    () => told.push('ready'),
    () => told.push('stopped'),
  );
  return {
    ...{ clock, told, watches, listeners },
    /** An actor is born or changes. */
    row: () => {
      for (const listener of listeners) listener(set);
    },
    /** The kinds whose lists were asked for, by what their paths end with. */
    asked: () => transport.requests.map(({ path }) => /(\w+)\?/.exec(path)?.[1]),
    answer: async (count: number) => {
      for (const request of transport.requests.slice(-count)) request.answer(200, list(5, []));
      await clock.drain();
    },
  };
}

describe('A process that shares the work', () => {
  const late = lateKinds(kinds, ['podcliqueset', 'podclique', 'podgang']);

  it('watches what has actors, and the rest from the first actor on', async () => {
    const { clock, told, watches, asked, answer, row, listeners } = scene(late);
    await clock.drain();
    expect(late).toEqual(['Service', 'PodGang']);
    expect(asked()).toEqual(['podcliquesets', 'podcliques']);
    expect(watches.waitsFor()).toBe('waits for the first list of PodCliqueSet, PodClique');
    await answer(2);
    expect(told).toEqual(['listed without Service and PodGang', 'ready']);
    expect(watches.waitsFor()).toBeUndefined();
    expect(watches.health().map(({ kind }) => kind)).toEqual(['PodCliqueSet', 'PodClique']);
    row();
    row();
    expect(listeners.size).toBe(0);
    await clock.drain();
    expect(asked().slice(2)).toEqual(['services', 'podgangs']);
    expect(told.slice(2)).toEqual(['listing']);
    await answer(2);
    expect(told.slice(3)).toEqual(['synced']);
    watches.begin();
    expect([asked().length, told.length]).toEqual([4, 4]);
    watches.stop();
  });

  it('reconciles after all lists where an actor comes before the first are in', async () => {
    const { clock, told, watches, row, answer } = scene(late);
    await clock.drain();
    row();
    await clock.drain();
    expect(watches.waitsFor()).toContain('PodCliqueSet, PodClique, Service, PodGang');
    await answer(4);
    expect(told).toEqual(['listing', 'synced', 'ready']);
    watches.stop();
  });

  it('stays ready while it lists the rest, but not for long', async () => {
    const { clock, watches, row, answer } = scene(late);
    await clock.drain();
    await answer(2);
    row();
    await clock.advance(29_000);
    expect(watches.waitsFor()).toBeUndefined();
    await clock.advance(1_000);
    expect(watches.waitsFor()).toContain('waits for the first list of Service');
    watches.stop();
  });

  it('tells nothing any more once it was stopped', async () => {
    const { clock, told, watches, row, listeners } = scene(late);
    await clock.drain();
    watches.stop();
    row();
    await clock.drain();
    expect([told, listeners.size]).toEqual([['stopped'], 0]);
  });
});

describe('A process that is alone', () => {
  it('watches everything at once', async () => {
    const { clock, told, watches, asked, answer, listeners } = scene([]);
    await clock.drain();
    expect(asked()).toEqual(['podcliquesets', 'services', 'podcliques', 'podgangs']);
    expect([told, listeners.size]).toEqual([['listing'], 0]);
    await answer(4);
    expect(told).toEqual(['listing', 'synced', 'ready']);
    watches.stop();
  });
});
