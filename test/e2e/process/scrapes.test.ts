// What a controller and an activator serve at `/metrics`, as Prometheus' own linter sees it, after
// both had something to count.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { linted, withoutPromtool } from '#test/monitoring/promtool.ts';
import { eventually } from '#test/support/eventually.ts';
import { scrape } from '#test/support/exposition.ts';
import { Place } from '#test/support/place.ts';
import { createNamespace, createSet } from '#test/support/workload.ts';
import { startActivator } from './activator-stage.ts';

const patient = { timeout: 120_000 };
const namespace = 'scrapes';
const place = new Place();
beforeAll(() => place.start(), 60_000);
afterAll(() => place.end());

const served = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text();

describe.skipIf(withoutPromtool !== '')(`promtool check metrics${withoutPromtool}`, () => {
  test('passes on a controller that has deployed a set', patient, async () => {
    const { url } = await place.controller();
    const { client, onlooker } = place;
    await createNamespace(client, namespace);
    await createSet(client, namespace, { name: 'counted', replicas: 3 });
    const ready = (): number => onlooker.readyPods(namespace);
    await onlooker.until('ready', () => ready() > 0, ready);
    const metrics = await eventually(
      'writes in the metrics',
      () => scrape(url),
      (now) => now.sum('coppice_writes_total') > 0,
    );
    expect([...metrics.families]).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(await linted(await served(url))).toEqual([]);
  });

  test('passes on an activator that holds a request and has refused one', patient, async () => {
    const activator = await startActivator(place, namespace);
    const gone = new AbortController();
    const held = activator.ask('web', gone.signal).catch((error: unknown) => error);
    expect((await activator.ask('unheard-of')).status).toBeGreaterThanOrEqual(400);
    const labels = { kn_revision_name: 'web' };
    await eventually(
      'a request in the metrics',
      () => scrape(activator.health),
      (now) => now.sum('kn_revision_request_queued', labels) === 1,
    );
    expect(await linted(await served(activator.health))).toEqual([]);
    gone.abort();
    await held;
    const { families } = await eventually(
      'the end of the request in the metrics',
      () => scrape(activator.health),
      (now) => now.sum('activator_requests_total', { ...labels, ending: 'cancelled' }) === 1,
    );
    expect([...families]).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(await linted(await served(activator.health))).toEqual([]);
  });
});
