// What `/metrics` says of a module that nobody else has: under its own names, and what really
// happened. The counts are held to those that the server and the behaviours themselves keep.
import { describe, expect, it } from 'vitest';
import type { Module } from '#machines/contract/module.ts';
import type { RequestRecord } from '#src/devcluster/requests.ts';
import { errorTypes } from '#src/metrics/error-types.ts';
import { counters, gauges, histograms } from '#src/metrics/families.ts';
import type { World } from '#test/devcluster/controllers/support.ts';
import type { Exposition } from '#test/support/exposition.ts';
import { printKinds } from './kinds.ts';
import { type Process, withProcess } from './process.ts';
import { create, edit, kinds, pathOf, print100, printerKey } from './shop.ts';

/** Of the system that it replaces: jobs were not counted there. */
const operator = {
  source: 'the print server',
  statusConflicts: 'print_server_status_conflicts_total',
  reconcileErrors: 'print_server_errors_total',
  controllers: ['printer'],
  kinds: ['Printer'],
};

const named: Module = { ...print100, operator };

const controllers = ['printer', 'job'] as const;

/** Events of this kind reach the controller so much later. */
const lateNews = (kind: string, ms: number) => ({
  verb: 'watch',
  kind,
  user: 'controller',
  fault: { kind: 'lagWatch', ms } as const,
});

async function twoPrinters(world: World): Promise<void> {
  await create(world, 'Printer', 'inky', { trays: 3, paper: 'a4' });
  await create(world, 'Printer', 'laser', { trays: 1 });
  await world.clock.advance(5_000);
}

async function remove(world: World, path: string): Promise<void> {
  await world.client.send({ method: 'DELETE', path });
  await world.clock.advance(5_000);
}

/** By controller; NaN where it has no series. */
const each = (metrics: Exposition, family: string): readonly number[] =>
  controllers.map((controller) => {
    const samples = metrics.of(family, { controller });
    return samples.length === 0 ? Number.NaN : samples.reduce((sum, { value }) => sum + value, 0);
  });

const ofProcess = /^(process|nodejs)_/;

const labelled = (metrics: Exposition, label: string): ReadonlySet<string> =>
  new Set(
    metrics.samples
      .filter(({ name }) => !ofProcess.test(name))
      .flatMap(({ labels }) => labels[label] ?? []),
  );

const nonZero = (metrics: Exposition, name: string) =>
  metrics.of(name).flatMap(({ labels, value }) => (value === 0 ? [] : [{ ...labels, value }]));

/** Reconciles as counted and as done, which must be the same. */
function expectReconciles(metrics: Exposition, { reconciles }: Process['seen']): void {
  for (const controller of controllers) {
    const { all, thrown } = reconciles[controller];
    const name = 'controller_runtime_reconcile_total';
    expect(metrics.sum(name, { controller })).toBe(all);
    expect(metrics.sum(name, { controller, result: 'error' })).toBe(thrown);
    const length = 'controller_runtime_reconcile_time_seconds_count';
    expect(metrics.sum(length, { controller })).toBe(all);
    expect(metrics.sum('controller_runtime_reconcile_errors_total', { controller })).toBe(thrown);
  }
}

const outcomes: Readonly<Record<number, string>> = { 409: 'CONFLICT', 422: 'INVALID' };

const tally = (keys: readonly string[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
};

/** Writes to the kinds of the module, as the server has answered them. */
const answered = (requests: readonly RequestRecord[]): Readonly<Record<string, number>> =>
  tally(
    requests.flatMap(({ verb, resource, subresource, code }) => {
      const kind = kinds.find((one) => printKinds[one].plural === resource);
      const op = subresource === 'status' && verb === 'update' ? 'status' : verb;
      if (kind === undefined || !['create', 'patch', 'status', 'delete'].includes(op)) return [];
      return [`${op} ${kind} ${code < 300 ? 'ok' : (outcomes[code] ?? code)}`];
    }),
  );

const written = (metrics: Exposition): Readonly<Record<string, number>> =>
  Object.fromEntries(
    metrics
      .of('coppice_writes_total')
      .map(({ labels: { op, kind, outcome }, value }) => [`${op} ${kind} ${outcome}`, value]),
  );

describe('The metrics of a second module', () => {
  it('are of its own controllers and kinds, and all there from the start', () =>
    withProcess(named, async ({ scrape }) => {
      const metrics = await scrape();
      for (const label of ['controller', 'name']) {
        expect(labelled(metrics, label)).toEqual(new Set(controllers));
      }
      expect(labelled(metrics, 'kind')).toEqual(new Set(kinds));
      expect(labelled(metrics, 'target_kind')).toEqual(new Set(['Printer']));
      const own = [operator.statusConflicts, operator.reconcileErrors];
      const known = [...Object.keys({ ...counters, ...gauges, ...histograms }), ...own];
      const served = [...metrics.families].filter((name) => !ofProcess.test(name));
      expect(new Set(served)).toEqual(new Set(known));
      const { controller_runtime_max_concurrent_reconciles: _, ...others } = gauges;
      const byController = Object.entries({ ...counters, ...others })
        // States have a series once an actor is in them.
        .filter(([name]) => name !== 'coppice_actor_states')
        .filter(([, { labels }]) => labels.some((one) => one === 'controller'))
        .map(([name]) => name);
      expect(byController.map((name) => [name, ...each(metrics, name)])).toEqual(
        byController.map((name) => [name, 0, 0]),
      );
      expect(each(metrics, 'controller_runtime_max_concurrent_reconciles')).toEqual([1, 1]);
      expect(metrics.of('controller_runtime_reconcile_total')).toHaveLength(2 * 3);
      expect(metrics.of(operator.reconcileErrors)).toHaveLength(errorTypes.length);
      expect(metrics.of(operator.statusConflicts)).toHaveLength(1);
    }));

  it('hold no word of a module that is not served, whatever happens', () =>
    withProcess(print100, async ({ world, scrape }) => {
      await twoPrinters(world);
      await edit(world, 'Printer', 'laser', { trays: 1000 });
      const metrics = await scrape();
      expect(metrics.sum('controller_runtime_reconcile_errors_total')).toBeGreaterThan(0);
      const words = [...metrics.families, ...metrics.samples.map((one) => JSON.stringify(one))];
      expect(words.filter((word) => /grove|pod|print_server/i.test(word))).toEqual([]);
    }));

  it('count reconciles by controller, and actors as they come, move and go', () =>
    withProcess(print100, async ({ world, seen, scrape }) => {
      expect(each(await scrape(), 'coppice_actors')).toEqual([0, 0]);
      await twoPrinters(world);
      const before = await scrape();
      expect(each(before, 'coppice_actors')).toEqual([2, 0]);
      expect(seen.reconciles.printer.all).toBeGreaterThanOrEqual(2);
      expectReconciles(before, seen);
      await create(world, 'Job', 'thesis', { printer: 'inky' });
      await world.clock.advance(5_000);
      await edit(world, 'Job', 'thesis', { printer: 'laser' });
      const moved = await scrape();
      expect(each(moved, 'coppice_actors')).toEqual([2, 1]);
      expect(seen.reconciles.job.all).toBeGreaterThanOrEqual(2);
      expectReconciles(moved, seen);
      await remove(world, pathOf('Job', 'thesis'));
      await remove(world, pathOf('Printer', 'laser'));
      const after = await scrape();
      expect(each(after, 'coppice_actors')).toEqual([1, 0]);
      expectReconciles(after, seen);
      await world.clock.advance(60_000);
      expect(each(await scrape(), 'controller_runtime_reconcile_total')).toEqual(
        each(after, 'controller_runtime_reconcile_total'),
      );
    }));

  it('tell of the mail that waits, and of how many it waits for', () =>
    withProcess(print100, async ({ world, system, scrape }) => {
      await twoPrinters(world);
      const lend = (who: string) =>
        system.ask({ about: printerKey('inky'), question: 'lend', payload: { who } });
      const answers = [lend('ann'), lend('bob')];
      const waiting = await scrape();
      expect(each(waiting, 'coppice_mailbox_depth')).toEqual([2, 0]);
      expect(each(waiting, 'workqueue_depth')).toEqual([1, 0]);
      await world.clock.advance(5_000);
      expect(await Promise.all(answers)).toMatchObject([{ ok: true }, { ok: true }]);
      const after = await scrape();
      expect(each(after, 'coppice_mailbox_depth')).toEqual([0, 0]);
      expect(each(after, 'workqueue_depth')).toEqual([0, 0]);
    }));

  it('count an actor that a view wakes as queued, once', () =>
    withProcess(print100, async ({ world, scrape }) => {
      for (const name of ['a4', 'letter']) await create(world, 'Paper', name, { size: 'same' });
      await twoPrinters(world);
      await create(world, 'Job', 'thesis', { printer: 'inky' });
      await world.clock.advance(5_000);
      const before = await scrape();
      await edit(world, 'Printer', 'inky', { paper: 'letter' });
      const after = await scrape();
      for (const family of ['workqueue_adds_total', 'controller_runtime_reconcile_total']) {
        expect(each(after, family)).toEqual(each(before, family).map((count) => count + 1));
      }
      expect(written(after)).toEqual(written(before));
    }));

  it('count every write as the server has answered it', () =>
    withProcess(print100, async ({ world, seen, scrape, system }) => {
      await twoPrinters(world);
      const payload = { who: 'ann' };
      const lent = system.ask({ about: printerKey('inky'), question: 'lend', payload });
      await create(world, 'Job', 'thesis', { printer: 'inky' });
      await edit(world, 'Printer', 'laser', { trays: 0 });
      await create(world, 'Printer', 'p'.repeat(250), { trays: 1 });
      await world.clock.advance(5_000);
      expect(await lent).toMatchObject({ ok: true });
      const metrics = await scrape();
      expect(written(metrics)).toMatchObject({
        'create Tray ok': 4,
        'create Tray INVALID': 1,
        'patch Tray ok': 1,
        'delete Tray ok': 1,
        'status Job ok': 1,
      });
      expect(written(metrics)).toEqual(answered(seen.requests));
    }));
});

describe('What goes wrong in a second module', () => {
  it('is counted as a conflict where a status met a newer object', () =>
    withProcess(
      named,
      async ({ world, seen, scrape }) => {
        await twoPrinters(world);
        const labels = { seen: 'late' };
        await world.client.mergePatch(pathOf('Printer', 'inky'), { metadata: { labels } });
        await create(world, 'Job', 'thesis', { printer: 'inky' });
        await world.clock.advance(5_000);
        const metrics = await scrape();
        expect(nonZero(metrics, operator.statusConflicts)).toEqual([
          { controller: 'printer', target_kind: 'Printer', value: 1 },
        ]);
        expect(nonZero(metrics, operator.reconcileErrors)).toEqual([
          { controller: 'printer', error_type: 'conflict', value: 1 },
        ]);
        expect(written(metrics)).toMatchObject({ 'status Printer CONFLICT': 1 });
        expect(written(metrics)).toEqual(answered(seen.requests));
        const put = { method: 'PUT', code: '409', host: 'embedded' };
        expect(metrics.sum('rest_client_requests_total', put)).toBe(1);
        expect(each(metrics, 'controller_runtime_reconcile_errors_total')).toEqual([0, 0]);
      },
      [lateNews('Printer', 2_000)],
    ));

  it('is counted only where the module says so', () =>
    withProcess(
      named,
      async ({ world, scrape }) => {
        await twoPrinters(world);
        await create(world, 'Job', 'thesis', { printer: 'inky' });
        await world.clock.advance(5_000);
        const labels = { seen: 'late' };
        await world.client.mergePatch(pathOf('Job', 'thesis'), { metadata: { labels } });
        await create(world, 'Paper', 'a4', { size: '210x297' });
        await world.clock.advance(5_000);
        const metrics = await scrape();
        expect(written(metrics)).toMatchObject({ 'status Job CONFLICT': 1 });
        expect(nonZero(metrics, operator.statusConflicts)).toEqual([]);
        expect(nonZero(metrics, operator.reconcileErrors)).toEqual([]);
      },
      [lateNews('Job', 2_000)],
    ));

  it('is counted by type where the server refuses a write', () =>
    withProcess(named, async ({ world, scrape }) => {
      await create(world, 'Printer', 'p'.repeat(250), { trays: 2 });
      await world.clock.advance(5_000);
      const metrics = await scrape();
      expect(nonZero(metrics, operator.reconcileErrors)).toEqual([
        { controller: 'printer', error_type: 'invalid', value: 2 },
      ]);
      expect(written(metrics)).toMatchObject({ 'create Tray INVALID': 2 });
      expect(each(metrics, 'coppice_actors_parked')).toEqual([0, 0]);
    }));

  it('is counted with each restart of a root, until it is parked and back', () =>
    withProcess(named, async ({ world, seen, scrape }) => {
      await twoPrinters(world);
      await edit(world, 'Printer', 'laser', { trays: 1000 });
      await world.clock.advance(120_000);
      const parked = await scrape();
      expect(each(parked, 'coppice_actors_parked')).toEqual([1, 0]);
      expect(each(parked, 'coppice_actors')).toEqual([1, 0]);
      expect(each(parked, 'coppice_actor_restarts_total')).toEqual([5, 0]);
      expect(each(parked, 'controller_runtime_reconcile_errors_total')).toEqual([6, 0]);
      expect(each(parked, 'workqueue_retries_total')).toEqual([6, 0]);
      expect(nonZero(parked, operator.reconcileErrors)).toEqual([
        { controller: 'printer', error_type: 'internal', value: 6 },
      ]);
      expectReconciles(parked, seen);
      await edit(world, 'Printer', 'laser', { trays: 2 });
      const back = await scrape();
      expect(each(back, 'coppice_actors_parked')).toEqual([0, 0]);
      expect(each(back, 'coppice_actors')).toEqual([2, 0]);
      expect(each(back, 'controller_runtime_reconcile_errors_total')).toEqual([6, 0]);
      expectReconciles(back, seen);
    }));
});
