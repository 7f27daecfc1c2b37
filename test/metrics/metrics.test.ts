// What a scrape shows: names, labels and meaning that dashboards of controller-runtime expect.
import { describe, expect, it } from 'vitest';
import type { BusState } from '#actors/ports.ts';
import { errorTable } from '#machines/contract/errors.ts';
import { modules } from '#machines/index.ts';
import type { ActorKind } from '#machines/kinds.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { errorTypeOf, errorTypes } from '#src/metrics/error-types.ts';
import { createMetrics, type MetricsOptions } from '#src/metrics/metrics.ts';
import { createTelemetry } from '#src/metrics/telemetry.ts';
import { quietMetrics } from '#test/support/metrics.ts';

const controllers = ['podcliqueset-controller', 'podclique-controller', 'podgang-controller'];

const operators = modules.flatMap(({ operator }) => operator ?? []);

function setUp(asked: Partial<MetricsOptions> = {}) {
  let now = 0;
  const waiting: [string, number][] = [];
  const metrics = createMetrics({
    controllers,
    operators,
    now: () => now,
    bus: () => undefined,
    cacheAges: () => [['Pod', 1.5]],
    actors: () => waiting.map(([controller, mailbox]) => ({ controller, mailbox, state: 'x' })),
    withProcess: false,
    ...asked,
  });
  const samples = async (name: string) =>
    (await metrics.render()).split('\n').filter((line) => line.startsWith(name));
  return { metrics, samples, waiting, advance: (ms: number) => (now += ms) };
}

const set = 'podcliqueset-controller';
const key = { kind: 'podcliqueset', namespace: 'default', name: 'demo' } as const;

describe('The families of the webhooks', () => {
  it('count answers by path and status, refusals apart, and time them', async () => {
    const { metrics, samples } = setUp();
    const path = '/webhooks/validate-podcliqueset';
    metrics.answered({ path, status: 200, allowed: true, seconds: 0.002 });
    metrics.answered({ path, status: 200, allowed: false, seconds: 0.02 });
    metrics.answered({ path, status: 400, allowed: false, seconds: 0.001 });
    expect(await samples('controller_runtime_webhook_requests_total')).toEqual([
      `controller_runtime_webhook_requests_total{webhook="${path}",code="200"} 2`,
      `controller_runtime_webhook_requests_total{webhook="${path}",code="400"} 1`,
    ]);
    expect(await samples('coppice_admission_refused_total')).toEqual([
      `coppice_admission_refused_total{webhook="${path}"} 2`,
    ]);
    expect(await samples('controller_runtime_webhook_latency_seconds_count')).toEqual([
      `controller_runtime_webhook_latency_seconds_count{webhook="${path}"} 3`,
    ]);
  });
});

describe('The gauge of ComputeDomains', () => {
  it('counts actors by what they show, anew at each scrape, with a zero for the rest', async () => {
    const views = new Map<ActorKind, JsonObject[]>();
    const metrics = quietMetrics({
      gauges: modules.flatMap(({ gauges }) => gauges ?? []),
      views: (kind) => views.get(kind) ?? [],
    });
    const name = 'nvidia_dra_compute_domain_info';
    const samples = async (): Promise<readonly string[]> =>
      (await metrics.render()).split('\n').filter((line) => line.startsWith(name));
    expect(await samples()).toEqual([`${name}{status="Ready"} 0`, `${name}{status="NotReady"} 0`]);
    const shown = ['Ready', 'NotReady', 'Ready', ''].map((status) => ({ status }));
    views.set('computedomain', [...shown, {}, { status: 7 }]);
    views.set('clique', [{ status: 'Ready' }]);
    expect(await samples()).toEqual([`${name}{status="Ready"} 2`, `${name}{status="NotReady"} 1`]);
    views.set('computedomain', [{ status: 'NotReady' }]);
    expect(await samples()).toEqual([`${name}{status="Ready"} 0`, `${name}{status="NotReady"} 1`]);
  });
});

describe('The grove_operator_* families', () => {
  it('have 33 series, all there at zero from the start', async () => {
    const { samples } = setUp();
    const lines = await samples('grove_operator_');
    expect(lines).toHaveLength(33);
    expect(lines.every((line) => line.endsWith(' 0'))).toBe(true);
    expect(lines).toContain(
      'grove_operator_status_update_conflict_total{controller="podcliquescalinggroup-controller",target_kind="PodClique"} 0',
    );
  });

  it('count conflicts and errors by type and never grow', async () => {
    const { metrics, samples } = setUp();
    for (const controller of [...controllers, 'podgang-controller', 'unheard-of']) {
      for (const targetKind of ['PodCliqueSet', 'PodClique', 'PodGang', 'Pod'] as const) {
        metrics.numbers.statusConflict({ controller, targetKind });
      }
      for (const code of ['CONFLICT', 'GONE', 'ASSERTION'] as const) {
        metrics.numbers.reconcileError({ controller, code });
      }
    }
    expect(await samples('grove_operator_')).toHaveLength(33);
    expect(await samples('grove_operator_reconcile_errors_total{controller="podclique-')).toContain(
      'grove_operator_reconcile_errors_total{controller="podclique-controller",error_type="conflict"} 2',
    );
  });

  it('have an error type for every code, and eight types all in use', () => {
    expect(Object.keys(errorTypeOf).toSorted()).toEqual(Object.keys(errorTable).toSorted());
    expect(new Set(Object.values(errorTypeOf))).toEqual(new Set(errorTypes));
    expect(errorTypes).toHaveLength(8);
  });
});

describe('A reconcile', () => {
  it('is one reconcile with its time', async () => {
    const { metrics, samples } = setUp();
    metrics.numbers.reconciled({ controller: set, seconds: 0.02, result: 'success' });
    metrics.numbers.reconciled({ controller: set, seconds: 0.2, result: 'error' });
    expect(await samples(`controller_runtime_reconcile_total{controller="${set}"`)).toEqual([
      `controller_runtime_reconcile_total{controller="${set}",result="success"} 1`,
      `controller_runtime_reconcile_total{controller="${set}",result="error"} 1`,
      `controller_runtime_reconcile_total{controller="${set}",result="requeue_after"} 0`,
    ]);
    expect(
      await samples(`controller_runtime_reconcile_time_seconds_count{controller="${set}"`),
    ).toEqual([`controller_runtime_reconcile_time_seconds_count{controller="${set}"} 2`]);
    expect(await samples(`controller_runtime_reconcile_errors_total{controller="${set}"`)).toEqual([
      `controller_runtime_reconcile_errors_total{controller="${set}"} 1`,
    ]);
    expect(await samples(`workqueue_retries_total{name="${set}"`)).toEqual([
      `workqueue_retries_total{name="${set}",controller="${set}"} 1`,
    ]);
  });

  it('shows as active workers by its share of the time since the last scrape', async () => {
    const { metrics, samples, advance } = setUp();
    const active = () => samples(`controller_runtime_active_workers{controller="${set}"`);
    metrics.numbers.reconciled({ controller: set, seconds: 0.25, result: 'success' });
    advance(1000);
    expect(await active()).toEqual([`controller_runtime_active_workers{controller="${set}"} 0.25`]);
    advance(1000);
    expect(await active()).toEqual([`controller_runtime_active_workers{controller="${set}"} 0`]);
    expect(await samples('controller_runtime_max_concurrent_reconciles')).toHaveLength(3);
  });
});

describe('The work queue', () => {
  it('counts what was added, how many wait and how long they waited', async () => {
    const { metrics, samples, waiting } = setUp();
    metrics.numbers.queued({ controller: set, depth: 1, waitedSeconds: 0.2 });
    metrics.numbers.queued({ controller: set, depth: 3, waitedSeconds: 0.3 });
    waiting.push([set, 4], [set, 0], [set, 2], ['podclique-controller', 0]);
    const labels = `{name="${set}",controller="${set}"}`;
    expect(await samples(`workqueue_adds_total${labels}`)).toEqual([
      `workqueue_adds_total${labels} 2`,
    ]);
    expect(await samples(`workqueue_depth${labels}`)).toEqual([`workqueue_depth${labels} 2`]);
    expect(await samples(`workqueue_queue_duration_seconds_sum${labels}`)).toEqual([
      `workqueue_queue_duration_seconds_sum${labels} 0.5`,
    ]);
    expect(await samples('coppice_mailbox_depth')).toContain(
      `coppice_mailbox_depth{controller="${set}"} 6`,
    );
  });
});

describe('Requests, writes and actors', () => {
  it('are counted by bounded labels', async () => {
    const { metrics, samples } = setUp();
    metrics.request({ code: '200', method: 'GET', host: 'h:6443' });
    metrics.request({ code: '<error>', method: 'PUT', host: 'h:6443' });
    expect(await samples('rest_client_requests_total')).toEqual([
      'rest_client_requests_total{code="200",method="GET",host="h:6443"} 1',
      'rest_client_requests_total{code="<error>",method="PUT",host="h:6443"} 1',
    ]);
    metrics.numbers.wrote({
      controller: set,
      kind: 'Pod',
      op: 'create',
      outcome: 'ok',
      seconds: 0.1,
    });
    expect(await samples('coppice_writes_total')).toEqual([
      'coppice_writes_total{kind="Pod",op="create",outcome="ok"} 1',
    ]);
    metrics.numbers.actors({ controller: set, alive: 7, parked: 1 });
    metrics.numbers.restarted({ controller: set, key, error: new Error('x') });
    expect(await samples('coppice_actor')).toEqual(
      expect.arrayContaining([
        `coppice_actors{controller="${set}"} 7`,
        `coppice_actors_parked{controller="${set}"} 1`,
        `coppice_actor_restarts_total{controller="${set}"} 1`,
      ]),
    );
  });
});

describe('Messages that woke nobody', () => {
  it('are counted by reason', async () => {
    const counts = { unknown: 2, stale: 0 };
    const { samples } = setUp({ undelivered: () => counts });
    await samples('');
    counts.unknown = 5;
    expect(await samples('coppice_messages_dropped_total')).toEqual([
      'coppice_messages_dropped_total{reason="unknown"} 5',
      'coppice_messages_dropped_total{reason="stale"} 0',
    ]);
  });
});

describe('The bus and the cache', () => {
  it('are asked at each scrape; totals of the bus become counters', async () => {
    let state: BusState | undefined;
    const { samples } = setUp({ bus: () => state });
    expect(await samples('coppice_bus_round_trip_seconds')).toEqual([]);
    expect(await samples('coppice_bus_connected')).toEqual(['coppice_bus_connected 0']);
    state = { connected: true, dropped: 3, published: 10, rejected: 0, roundTripMs: 2 };
    await samples('');
    state = { connected: true, dropped: 4, published: 12, rejected: 5, roundTripMs: 2 };
    expect(await samples('coppice_bus_')).toEqual([
      'coppice_bus_dropped_total 4',
      'coppice_bus_published_total 12',
      'coppice_bus_rejected_total 5',
      'coppice_bus_connected 1',
      'coppice_bus_round_trip_seconds 0.002',
    ]);
    expect(await samples('coppice_cache_age')).toEqual([
      'coppice_cache_age_seconds{kind="Pod"} 1.5',
    ]);
  });
});

describe('The metrics of the process', () => {
  it('are there under their usual names', async () => {
    const metrics = quietMetrics({ controllers, operators, withProcess: true });
    const text = await metrics.render();
    expect(text).toMatch(/^process_cpu_seconds_total /m);
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m);
    expect(metrics.contentType).toContain('text/plain');
  });
});

describe('Telemetry', () => {
  it('writes a line for a crash and a parked actor and none for a reconcile', () => {
    const lines: unknown[] = [];
    const telemetry = createTelemetry(setUp().metrics.numbers, (level, message, fields) =>
      lines.push([level, message, fields['name'], fields['controller']]),
    );
    telemetry.reconciled({ controller: set, seconds: 0.01, result: 'success' });
    telemetry.restarted({ controller: set, key, error: new Error('boom') });
    telemetry.parked({ controller: set, key, error: 'boom' });
    telemetry.unparked({ controller: set, key, by: 'spec' });
    expect(lines).toEqual([
      ['warn', 'actor restarted after a crash', 'demo', set],
      ['error', 'actor parked: it failed too often', 'demo', set],
      ['info', 'actor unparked', 'demo', set],
    ]);
  });
});
