// A gauge that a module declares over what its actors show, in a whole process: jobs by printer, of
// which some are on a printer that is not counted.
import { expect, test } from 'vitest';
import type { Exposition } from '#test/support/exposition.ts';
import { withProcess } from './process.ts';
import { create, edit, pathOf, print100 } from './shop.ts';

const gauge = {
  name: 'print_server_jobs',
  help: 'Jobs by printer',
  why: { source: 'the print server' },
  actor: 'job',
  field: 'printer',
  values: ['inky', 'laser'],
} as const;

const counts = (metrics: Exposition): readonly number[] =>
  gauge.values.map((printer) => metrics.sum(gauge.name, { printer }));

test('A module counts actors by what they show, under a name of its own', () =>
  withProcess({ ...print100, gauges: [gauge] }, async ({ world, scrape }) => {
    expect(counts(await scrape())).toEqual([0, 0]);
    await create(world, 'Printer', 'inky', { trays: 1 });
    await create(world, 'Printer', 'laser', { trays: 1 });
    await create(world, 'Job', 'thesis', { printer: 'inky' });
    await create(world, 'Job', 'letter', { printer: 'inky' });
    await create(world, 'Job', 'poster', { printer: 'plotter' });
    await world.clock.advance(5_000);
    expect(counts(await scrape())).toEqual([2, 0]);
    await edit(world, 'Job', 'letter', { printer: 'laser' });
    await world.client.send({ method: 'DELETE', path: pathOf('Job', 'thesis') });
    await world.clock.advance(5_000);
    const metrics = await scrape();
    expect(counts(metrics)).toEqual([0, 1]);
    expect(metrics.of(gauge.name)).toHaveLength(2);
  }));

test('A module that declares no gauge has none', () =>
  withProcess(print100, async ({ scrape }) => {
    expect((await scrape()).of(gauge.name)).toEqual([]);
  }));
