// What a controller process keeps when all sets are gone: no more sockets, timers, watches and
// actors than before the first. The simulator asks the same of its processes
// (test/sim/oracles/footprint.ts); here Node and the kernel count.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { scrape } from '#test/support/exposition.ts';
import { Place } from '#test/support/place.ts';
import { createNamespace, createSet, deleteSet } from '#test/support/workload.ts';

const place = new Place();
beforeAll(() => place.start(), 60_000);
afterAll(() => place.end());

const namespace = 'leftovers';
/** More than there are sockets that wait for a next request: each set's leftover would show. */
const sets = Array.from({ length: 40 }, (_, index) => `set-${index}`);
const pods = 2 * sets.length;
/** Sockets that wait for a next request are closed within a minute. */
const idleMs = 90_000;

test(
  'A controller whose sets are all gone has what it had before',
  { timeout: 240_000 },
  async () => {
    const { program, url } = await place.controller();
    await program.line(/controller synced/);
    const before = await footprint(url);
    const { client, onlooker } = place;
    await createNamespace(client, namespace);
    await Promise.all(sets.map((name) => createSet(client, namespace, { name, replicas: 1 })));
    const ready = (): number => onlooker.readyPods(namespace);
    await onlooker.until('ready', () => ready() === pods, ready);
    expect((await footprint(url)).get('actors')).toBeGreaterThanOrEqual(pods);
    await Promise.all(sets.map((name) => deleteSet(client, namespace, name)));
    await eventually(
      'back to the start',
      async () =>
        [...(await footprint(url))].filter(([what, now]) => now > (before.get(what) ?? 0)),
      (found) => found.length === 0,
      idleMs,
    );
  },
);

/** Timers, pipes and sockets that keep the process alive (watches are sockets), each by Node's name
 *  for it; whatever is open in the kernel; actors. */
async function footprint(url: string): Promise<ReadonlyMap<string, number>> {
  const metrics = await scrape(url);
  return new Map([
    ...metrics
      .of('nodejs_active_resources')
      .map(({ labels, value }) => [labels['type'] ?? '', value] as const),
    ['open files', metrics.sum('process_open_fds')],
    ['actors', metrics.sum('coppice_actors')],
  ]);
}
