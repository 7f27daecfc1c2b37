// One PodCliqueSet of 100 whose plan throws, on the embedded cluster over HTTPS with a real NATS:
// the others do not notice, everybody who looks can see why it stands still, and a new spec brings
// it back.
import { readFileSync } from 'node:fs';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatSubject } from '#bus/subjects.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { decodeText } from '#src/config/decode.ts';
import { type Controller, startController } from '#src/controller/start.ts';
import { createLog } from '#src/log/log.ts';
import { moduleEdges } from '#src/modules/index.ts';
import { systemClock, systemIds, systemRandom } from '#src/time/clock.ts';
import { eventually } from '#test/support/eventually.ts';
import { type Exposition, scrape } from '#test/support/exposition.ts';
import { natsSkip } from '#test/support/nats.ts';
import { conditionOf } from '#src/bench/onlooker.ts';
import { Place } from '#test/support/place.ts';
import { createNamespace, createSet, get, patchSet } from '#test/support/workload.ts';

const patient = { timeout: 120_000 };
const bad = { kind: 'podcliqueset', namespace: 'with', name: 'set-50' } as const;
const names = Array.from({ length: 100 }, (_, index) => `set-${index}`);
const controllerName = 'podcliqueset-controller';

/** Throws in the reconcile of the one set as long as its spec is the first. */
function poisoned(behaviour: Behaviour): Behaviour {
  if (behaviour.kind !== bad.kind) return behaviour;
  return {
    ...behaviour,
    reconcile: (snapshot, now, options) => {
      const { key, set } = snapshot.context;
      const isBad = key?.namespace === bad.namespace && key?.name === bad.name;
      if (isBad && set?.generation === 1) throw new Error('a bad plan');
      return behaviour.reconcile(snapshot, now, options);
    },
  };
}

describe(`One PodCliqueSet of 100 whose plan throws${natsSkip}`, () => {
  const place = new Place();
  let controller: Controller;
  let nats: NatsConnection;
  let without: Exposition;
  let withBad: Exposition;
  let before: Exposition;

  beforeAll(async () => {
    await place.start();
    const read = decodeText(readFileSync(place.writeConfiguration(), 'utf8'));
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    controller = await startController({
      configuration: read.configuration,
      connection: place.connection,
      clock: systemClock,
      random: systemRandom,
      ids: systemIds(),
      log: createLog({
        level: 'error',
        format: 'json',
        destination: { write: () => {} },
        now: systemClock.now,
      }),
      version: 'test',
      modules: moduleEdges.map((edge) => ({
        ...edge,
        module: (...given) => {
          const module = edge.module(...given);
          return { ...module, behaviours: module.behaviours.map(poisoned) };
        },
      })),
    });
    await controller.synced;
    nats = await connect({ servers: place.nats?.url ?? '' });
  }, 60_000);
  afterAll(async () => {
    await nats?.close();
    await controller?.stop();
    await place.end();
  });

  const available = (namespace: string, name: string): unknown =>
    at(place.onlooker.one('podcliquesets', namespace, name), 'status', 'availableReplicas');

  /** Makes 100 sets and waits until these are available and nothing is left to do. */
  async function deploy(namespace: string, wanted: readonly string[]): Promise<Exposition> {
    await createNamespace(place.client, namespace);
    await Promise.all(
      names.map((name) => createSet(place.client, namespace, { name, replicas: 1 })),
    );
    const open = (): string[] => wanted.filter((name) => available(namespace, name) !== 1);
    await place.onlooker.until('available', () => open().length === 0, open);
    return scrape(controller.metricsUrl);
  }

  const state = (): unknown => place.onlooker.one('podcliquesets', bad.namespace, bad.name);
  const isParked = (): boolean => conditionOf(state(), 'Parked') === 'True';

  async function ask(question: string): Promise<unknown> {
    const subject = formatSubject({ type: 'ask', about: bad, question });
    if (!subject.ok) throw new Error(JSON.stringify(subject));
    return (await nats.request(subject.value, '{}', { timeout: 5000 })).json();
  }

  test.skipIf(natsSkip !== '')(
    'keeps the other 99 from nothing: as many writes as without it',
    patient,
    async () => {
      const none = await scrape(controller.metricsUrl);
      without = await deploy('without', names);
      before = await eventually(
        'at rest',
        () => scrape(controller.metricsUrl),
        (now) => now.sum('workqueue_depth') === 0,
      );
      withBad = await deploy(
        bad.namespace,
        names.filter((name) => name !== bad.name),
      );
      const grown = (a: Exposition, b: Exposition, labels: Record<string, string>): number =>
        b.sum('coppice_writes_total', labels) - a.sum('coppice_writes_total', labels);
      const created = (kind: string): readonly number[] =>
        [[none, without] as const, [before, withBad] as const].map(([from, to]) =>
          grown(from, to, { kind, op: 'create', outcome: 'ok' }),
        );
      expect(created('Pod')).toEqual([200, 198]);
      expect(created('PodClique')).toEqual([100, 99]);
      expect(created('PodGang')).toEqual([100, 99]);
      expect(created('Service')).toEqual([100, 99]);
      const all = [grown(none, without, {}), grown(before, withBad, {})];
      expect(all[1]).toBeLessThan((all[0] ?? 0) * 1.1);
      expect(
        withBad.sum('coppice_writes_total') -
          withBad.sum('coppice_writes_total', { outcome: 'ok' }),
      ).toBe(0);
      // No other actor was started again.
      expect(withBad.sum('coppice_actor_restarts_total')).toBe(
        withBad.sum('coppice_actor_restarts_total', { controller: controllerName }),
      );
      expect(place.onlooker.all('podcliques', bad.namespace).size).toBe(99);
    },
  );

  test.skipIf(natsSkip !== '')('is parked where everybody can see it', patient, async () => {
    await place.onlooker.until('parked', isParked, state);
    const condition = list(at(state(), 'status', 'conditions')).find(
      (row) => at(row, 'type') === 'Parked',
    );
    expect(condition).toMatchObject({ reason: 'RestartIntensityExceeded' });
    expect(text(at(condition, 'message'))).toContain('a bad plan');

    const events = await eventually(
      'told by an Event',
      () => get(place.client, `/api/v1/namespaces/${bad.namespace}/events`),
      (answer) => list(at(answer, 'items')).some((event) => at(event, 'reason') === 'ActorParked'),
    );
    const event = list(at(events, 'items')).find((row) => at(row, 'reason') === 'ActorParked');
    expect(event).toMatchObject({
      type: 'Warning',
      involvedObject: { kind: 'PodCliqueSet', name: bad.name },
    });
    expect(text(at(event, 'message'))).toContain('a bad plan');

    const query = `namespace=${bad.namespace}&name=${bad.name}`;
    const tree: unknown = await (await fetch(`${controller.healthUrl}/actors?${query}`)).json();
    const [row] = list(at(list(at(tree, 'trees'))[0], 'actors'));
    expect(row).toMatchObject({ parked: true, state: 'parked', restarts: 5 });

    const metrics = await scrape(controller.metricsUrl);
    expect(metrics.sum('coppice_actors_parked', { controller: controllerName })).toBe(1);
    expect(metrics.sum('coppice_actors_parked')).toBe(1);
    expect(metrics.sum('coppice_actor_restarts_total', { controller: controllerName })).toBe(5);

    expect(at(await ask('state'), 'data')).toMatchObject({ parked: true, restarts: 5 });
    const [because] = list(at(await ask('why'), 'data', 'because'));
    expect(because).toMatch(/^parked after 5 restarts: .*a bad plan/);
  });

  test.skipIf(natsSkip !== '')(
    'recovers when its spec is changed, and the condition goes',
    patient,
    async () => {
      await patchSet(place.client, bad.namespace, bad.name, { spec: { replicas: 2 } });
      await place.onlooker.until(
        'available',
        () => available(bad.namespace, bad.name) === 2 && !isParked(),
        state,
      );
      expect(conditionOf(state(), 'Parked')).toBe('');
      expect((await scrape(controller.metricsUrl)).sum('coppice_actors_parked')).toBe(0);
      expect(at(await ask('state'), 'data')).toMatchObject({ parked: false, error: '' });
    },
  );
});
