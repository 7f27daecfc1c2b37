// `coppice activator --workers N` as people start it, from the sources and from the bundle, whose
// worker is a file of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundleController } from '#src/bundle/build.ts';
import { eventually } from '#test/support/eventually.ts';
import { scrape } from '#test/support/exposition.ts';
import { Place } from '#test/support/place.ts';
import { startActivator } from './activator-stage.ts';

const patient = { timeout: 120_000 };
const place = new Place();
beforeAll(() => place.start(), 60_000);
afterAll(() => place.end());

const bundled = async (): Promise<{ readonly entry: string }> => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-bundle-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { entry: await bundleController(folder) };
};

test.each([
  ['the sources', () => Promise.resolve({})],
  ['the bundle', bundled],
])('Several workers of %s hold requests, and end with the process', patient, async (_, from) => {
  const flags = ['--workers', '3'];
  const { ask, health, program } = await startActivator(place, 'default', {
    ...(await from()),
    flags,
  });
  expect((await ask('unheard-of')).status).toBe(404);
  const clients = Array.from({ length: 12 }, () => new AbortController());
  const held = clients.map(({ signal }) => ask('web', signal).catch(() => 'cancelled'));
  const labels = { kn_revision_name: 'web' };
  await eventually(
    'all in the queue',
    () => scrape(health),
    (now) => now.sum('kn_revision_request_queued', labels) === 12,
  );
  for (const client of clients) client.abort();
  expect(await Promise.all(held)).toEqual(held.map(() => 'cancelled'));
  const now = await eventually(
    'their ends',
    () => scrape(health),
    (seen) => seen.sum('activator_requests_total', { ...labels, ending: 'cancelled' }) === 12,
  );
  expect(now.sum('activator_worker_deaths_total')).toBe(0);
  program.signal('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
});

test('A number of workers that cannot be is refused with what would be right', async () => {
  for (const [given, code, why] of [
    ['0', 2, /--workers must be a whole number from 1 to 64, not 0/],
    ['many', 1, /--workers: must be a whole number >= 0, but is "many"/],
  ] as const) {
    const program = place.programs.coppice('activator', '--workers', given);
    await program.line(why);
    expect((await program.ended).code).toBe(code);
  }
});
