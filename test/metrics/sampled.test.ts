// What a process is asked for at every scrape: states of actors, writes that fail, certificates,
// shards.
import { describe, expect, it } from 'vitest';
import type { MetricsOptions } from '#src/metrics/metrics.ts';
import { quietMetrics } from '#test/support/metrics.ts';

const set = 'podcliqueset-controller';
const controllers = [set, 'podclique-controller', 'podgang-controller'];

/** The lines of a scrape that begin with a text. */
function asked(
  options: Partial<MetricsOptions> = {},
): (name: string) => Promise<readonly string[]> {
  const metrics = quietMetrics({ controllers, ...options });
  return async (name) =>
    (await metrics.render()).split('\n').filter((line) => line.startsWith(name));
}

describe('The states of actors', () => {
  it('are counted in each region, anew at each scrape', async () => {
    const controller = 'computedomainclique';
    let actors = [
      { controller, mailbox: 0, state: { active: { membership: 'forming', table: 'agreed' } } },
      { controller, mailbox: 0, state: { active: { membership: 'complete', table: 'agreed' } } },
      { controller, mailbox: 0, state: 'parked' },
    ];
    const samples = asked({ actors: () => actors });
    const line = (state: string, count: number): string =>
      `coppice_actor_states{controller="${controller}",state="${state}"} ${count}`;
    expect(await samples('coppice_actor_states')).toEqual([
      line('active.membership.forming', 1),
      line('active.table.agreed', 2),
      line('active.membership.complete', 1),
      line('parked', 1),
    ]);
    actors = actors.slice(2);
    expect(await samples('coppice_actor_states')).toEqual([line('parked', 1)]);
  });
});

describe('Writes that fail', () => {
  it('show by the one that has failed longest, and by 0 where none does', async () => {
    let failing: [string, number][] = [
      [set, 3],
      [set, 70],
      [set, 12],
    ];
    const samples = asked({ failing: () => failing });
    const ofSet = () => samples(`coppice_write_failing_seconds{controller="${set}"`);
    expect(await ofSet()).toEqual([`coppice_write_failing_seconds{controller="${set}"} 70`]);
    failing = [];
    expect(await ofSet()).toEqual([`coppice_write_failing_seconds{controller="${set}"} 0`]);
    expect(await samples('coppice_write_failing_seconds')).toHaveLength(controllers.length);
  });
});

describe('Certificates', () => {
  it('show when they end, while there is one', async () => {
    let until: number | undefined;
    const samples = asked({
      certificates: () => [
        ['webhooks', 1_790_000_000_000],
        ['questions', until],
      ],
    });
    const family = 'coppice_certificate_not_after_seconds';
    expect(await samples(family)).toEqual([`${family}{name="webhooks"} 1790000000`]);
    until = 1_800_000_000_500;
    expect(await samples(family)).toContain(`${family}{name="questions"} 1800000000.5`);
  });
});

describe('Shards', () => {
  const state = { held: 3, shards: 16, changes: 0, isSure: true, sinceRenewalMs: undefined };

  it('are said with and without those that are held, and not at all without leases', async () => {
    const samples = asked({ leases: () => state });
    expect(await samples('coppice_shards')).toEqual(['coppice_shards 16']);
    expect(await samples('coppice_leases_held')).toEqual(['coppice_leases_held 3']);
    expect(await asked()('coppice_shards')).toEqual([]);
  });
});
