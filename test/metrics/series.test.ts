// How many series a family can have: the number that docs/metrics.md says is no less than what is
// served when every label has had every value.
import { describe, expect, it } from 'vitest';
import { podArrows } from '#machines/activator/pod/chart.ts';
import { errorTable } from '#machines/contract/errors.ts';
import { modules } from '#machines/index.ts';
import { allKinds, kindRow } from '#machines/kinds.ts';
import { createMetrics } from '#src/metrics/metrics.ts';
import { spanFamilies } from '#src/tracing/families.ts';
import { Exposition } from '#test/support/exposition.ts';
import { allFamilies } from '#test/surface/families.ts';
import { chartStates, seriesOf } from '#test/surface/series.ts';

const controllers = modules.flatMap(({ behaviours }) => behaviours.map((one) => one.controller));
const own = allFamilies.filter(({ why }) => 'nearest' in why);
const outcomes = ['ok', ...Object.keys(errorTable)];
const isOutcome = (name: string): name is 'ok' | keyof typeof errorTable => outcomes.includes(name);

/** A process in which all that can be counted was counted. */
async function full(): Promise<Exposition> {
  const metrics = createMetrics({
    controllers,
    operators: modules.flatMap(({ operator }) => operator ?? []),
    now: () => 0,
    bus: () => ({ connected: true, dropped: 1, published: 1, rejected: 1, roundTripMs: 1 }),
    cacheAges: () => allKinds().map((kind) => [kind, 1] as const),
    actors: () =>
      modules.flatMap(({ behaviours }) =>
        behaviours.flatMap((behaviour) =>
          [...chartStates(behaviour), 'alive', 'waiting', 'parked'].map((state) => ({
            controller: behaviour.controller,
            mailbox: 1,
            state,
          })),
        ),
      ),
    undelivered: () => ({ stale: 1, refused: 1, unknown: 1 }),
    leases: () => ({ held: 1, shards: 2, changes: 1, isSure: true, sinceRenewalMs: 1 }),
    certificates: () => [
      ['webhooks', 1],
      ['questions', 1],
    ],
    sampled: (registry) => spanFamilies(registry, () => ({ exported: 1, failed: 1, dropped: 1 })),
    withProcess: false,
  });
  for (const kind of allKinds()) {
    for (const op of kindRow(kind).writes) {
      for (const outcome of outcomes.filter(isOutcome)) {
        metrics.numbers.wrote({ controller: 'podgang', kind, op, outcome, seconds: 1 });
      }
    }
  }
  return new Exposition(await metrics.render());
}

describe('The greatest number of series', () => {
  it('is known of every family that is ours', () => {
    for (const { name, labels } of own) expect(seriesOf(name, labels).count).toBeGreaterThan(0);
    expect(() => seriesOf('coppice_new_total', ['object'])).toThrow('coppice_new_total');
  });

  it('is what a process serves that has counted everything', async () => {
    const served = await full();
    // Those of webhooks come with their first answer, and there is none here.
    const counted = own.filter(
      ({ name }) => name.startsWith('coppice_') && name !== 'coppice_admission_refused_total',
    );
    const line = (name: string, count: number): string => `${name} ${count}`;
    expect(counted.map(({ name }) => line(name, served.of(name).length))).toEqual(
      counted.map(({ name, labels }) => line(name, seriesOf(name, labels).count)),
    );
  });

  it('of pods of an activator is that of the arrows of their chart', () => {
    const name = 'activator_pod_state_transitions_total';
    const arrows = podArrows.flatMap(({ from, to, cause }) =>
      from.map((one) => `${one} ${to} ${cause}`),
    );
    expect(seriesOf(name, ['from', 'to', 'cause']).count).toBe(new Set(arrows).size);
  });
});

describe('A family of ours', () => {
  const known =
    /^(?:controller_runtime|workqueue|rest_client|leader_election|certwatcher|apiserver|kube|kn|http_server|activator)_\w+$|^up$/;

  it.each(own)(
    '$name names a family of others, or of its own part, that comes nearest',
    ({ name, why }) => {
      expect('nearest' in why && known.test(why.nearest)).toBe(true);
      expect('nearest' in why && why.nearest).not.toBe(name);
      expect('gap' in why && why.gap.length).toBeGreaterThan(20);
    },
  );

  it.each(own)('$name has a name of ours', ({ name }) => {
    expect(name).toMatch(/^(?:coppice|activator)_/);
  });
});
