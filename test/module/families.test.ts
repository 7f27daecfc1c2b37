// Families that a module declares and its behaviours count by intents, in a whole process: jobs and
// their pages, once each however often a job is reconciled.
import { expect, test } from 'vitest';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import type { Intent } from '#machines/contract/intents.ts';
import type { MeasuredFamily } from '#machines/contract/module.ts';
import { withProcess } from './process.ts';
import { create, edit, print100 } from './shop.ts';

const why = { source: 'the print server' };

const families: readonly MeasuredFamily[] = [
  { type: 'counter', name: 'print_jobs_total', help: 'Jobs', why, labels: ['queue', 'owner'] },
  {
    type: 'histogram',
    name: 'print_job_pages',
    help: 'Pages',
    why,
    labels: ['owner'],
    buckets: [1, 5],
  },
];

const numbers: readonly Intent[] = [
  { type: 'measure', family: 'print_jobs_total', labels: { queue: 'a', owner: 'me' }, value: 1 },
  { type: 'measure', family: 'print_job_pages', labels: { owner: 'me' }, value: 3 },
  { type: 'measure', family: 'print_job_inks', labels: {}, value: 1 },
];

/** Each job says its numbers at its first reconcile. */
function measuring(behaviour: Behaviour): Behaviour {
  const told = new Set<string>();
  if (behaviour.kind !== 'job') return behaviour;
  return {
    ...behaviour,
    reconcile: (snapshot, now, options) => {
      const result = behaviour.reconcile(snapshot, now, options);
      const name = JSON.stringify(behaviour.view(snapshot)['name'] ?? '');
      if (told.has(name)) return result;
      told.add(name);
      return { ...result, intents: [...result.intents, ...numbers] };
    },
  };
}

test('A module counts what its behaviours measure, under names of its own', () =>
  withProcess(
    { ...print100, families, behaviours: print100.behaviours.map(measuring) },
    async ({ world, scrape, seen }) => {
      expect((await scrape()).of('print_jobs_total')).toEqual([]);
      await create(world, 'Job', 'thesis', { printer: 'inky' });
      await world.clock.advance(5_000);
      await edit(world, 'Job', 'thesis', { printer: 'laser' });
      await world.clock.advance(5_000);
      expect(seen.reconciles.job.all).toBeGreaterThan(1);
      expect(seen.reconciles.job.thrown).toBe(0);
      const metrics = await scrape();
      expect(metrics.sum('print_jobs_total', { queue: 'a', owner: 'me' })).toBe(1);
      expect(metrics.sum('print_job_pages_sum', { owner: 'me' })).toBe(3);
      expect(metrics.sum('print_job_pages_bucket', { owner: 'me', le: '1' })).toBe(0);
      expect(metrics.sum('print_job_pages_bucket', { owner: 'me', le: '5' })).toBe(1);
      expect(metrics.of('print_job_inks')).toEqual([]);
    },
  ));
