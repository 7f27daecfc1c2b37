// Spans on their way to a collector: over HTTP and gRPC, and what happens where it does not answer.
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readEnvironment } from '#src/tracing/environment.ts';
import { startExport } from '#src/tracing/otel/export.ts';
import type { FinishedSpan } from '#src/tracing/span.ts';
import { eventually } from '#test/support/eventually.ts';
import { freePort } from '#test/support/ports.ts';
import { type Collector, startCollector } from '#test/support/otlp/collector.ts';

afterEach(() => void vi.unstubAllEnvs());

const traceId = '1'.repeat(32);
const parent = { traceId, spanId: '2'.repeat(16) };

const span = (more: Partial<FinishedSpan> = {}): FinishedSpan => ({
  ...{ traceId, spanId: '3'.repeat(16), parent, name: 'create Pod', kind: 'client' },
  ...{ start: 1_795_154_400_120.25, end: 1_795_154_400_129.5, error: undefined, dropped: 0 },
  attributes: { 'k8s.object.name': 'demo', 'coppice.edit.paths': ['spec.replicas'], count: 2 },
  events: [
    { name: 'observed', at: 1_795_154_400_119, attributes: { 'coppice.observed.kind': 'Pod' } },
  ],
  links: [{ traceId: '4'.repeat(32), spanId: '5'.repeat(16) }],
  ...more,
});

/** As the process would: the exporters read the variables themselves. */
function started(variables: Readonly<Record<string, string>>) {
  const all = { OTEL_BSP_SCHEDULE_DELAY: '10', ...variables };
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
  const { settings } = readEnvironment(all);
  if (settings === undefined) throw new Error('traces are off');
  const lines: string[] = [];
  const told: object[] = [];
  const log = {
    line: (_level: string, message: string, fields: object) => {
      lines.push(message);
      told.push(fields);
    },
  };
  const made = startExport({ settings, environment: all, version: '1.2.3', log });
  return { made, lines, told };
}

async function collecting(protocol: 'http' | 'grpc', port = 0): Promise<Collector> {
  const collector = await startCollector(protocol, port);
  onTestFinished(() => collector.close());
  return collector;
}

const arrived = (collector: Collector, count: number) =>
  eventually(
    `${count} spans`,
    () => collector.spans,
    ({ length }) => length >= count,
  );

describe.each([
  ['http/protobuf', 'http', '/v1/traces'],
  ['http/json', 'http', '/v1/traces'],
  ['grpc', 'grpc', '/opentelemetry.proto.collector.trace.v1.TraceService/Export'],
] as const)('A span over %s', (protocol, kind, path) => {
  test('arrives as it is, with the resource and the headers of the variables', async () => {
    const collector = await collecting(kind);
    const { made } = started({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc,x-team=a',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_SERVICE_NAME: 'ours',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=theirs',
    });
    made.take(span());
    made.take(span({ error: 'refused', isRemote: true, parent: undefined, kind: 'internal' }));
    await made.stop();
    const [first, second] = collector.spans;
    expect(first).toMatchObject({
      ...{ traceId, spanId: '3'.repeat(16), parentSpanId: '2'.repeat(16), name: 'create Pod' },
      ...{ kind: 3, start: 1_795_154_400_120.25, end: 1_795_154_400_129.5, scope: 'coppice' },
      attributes: span().attributes,
      events: span().events,
      links: span().links,
      status: { code: 0, message: '' },
      resource: {
        'service.name': 'ours',
        'service.version': '1.2.3',
        'deployment.environment.name': 'test',
      },
    });
    expect(second).toMatchObject({
      parentSpanId: '',
      kind: 1,
      status: { code: 2, message: 'refused' },
    });
    expect(collector.requests).toMatchObject([
      { path, headers: { authorization: 'Bearer abc', 'x-team': 'a' } },
    ]);
    expect(made.numbers).toEqual({ exported: 2, failed: 0, dropped: 0 });
  });

  test('is refused once in the log and each time in the numbers, and the next ones arrive', async () => {
    const collector = await collecting(kind);
    const { made, lines } = started({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    });
    collector.answer = kind === 'http' ? 400 : 3;
    for (let failed = 1; failed <= 3; failed++) {
      made.take(span());
      await eventually(
        `${failed} failures`,
        () => made.numbers.failed,
        (now) => now === failed,
      );
    }
    expect(lines).toEqual(['traces could not be sent']);
    collector.answer = kind === 'http' ? 200 : 0;
    made.take(span());
    await arrived(collector, 1);
    await made.stop();
    expect(lines).toEqual(['traces could not be sent', 'traces are sent again']);
    expect(made.numbers).toEqual({ exported: 1, failed: 3, dropped: 0 });
  });

  test('is sent again where the collector is busy', async () => {
    const collector = await collecting(kind);
    const { made } = started({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    });
    collector.answer = kind === 'http' ? 503 : 14;
    made.take(span());
    await eventually(
      'a refusal',
      () => collector.requests,
      ({ length }) => length === 1,
    );
    collector.answer = kind === 'http' ? 200 : 0;
    await arrived(collector, 1);
    await made.stop();
    expect(made.numbers).toEqual({ exported: 1, failed: 0, dropped: 0 });
  });

  test('waits in a queue that ends, while a collector says nothing', async () => {
    const collector = await collecting(kind);
    const { made, lines } = started({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
      OTEL_BSP_MAX_QUEUE_SIZE: '5',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2',
    });
    collector.answer = 'never';
    for (let index = 0; index < 20; index++) made.take(span());
    // Two are on their way, and five wait.
    expect(made.numbers.dropped).toBe(13);
    await made.stop();
    expect(made.numbers).toEqual({ exported: 0, failed: 7, dropped: 13 });
    expect(lines.toSorted()).toEqual([
      'spans are dropped: the queue is full',
      'traces could not be sent',
    ]);
  });

  test('fails where nobody listens, and the connection comes back by itself', async () => {
    const port = await freePort();
    const { made, lines } = started({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    });
    made.take(span());
    await eventually(
      'a failure',
      () => made.numbers.failed,
      (failed) => failed === 1,
    );
    const collector = await collecting(kind, port);
    made.take(span());
    await arrived(collector, 1);
    expect(lines).toEqual(['traces could not be sent', 'traces are sent again']);
    await made.stop();
  });
});

describe('A refusal over gRPC', () => {
  test.each([
    ['as%20the test wants', 'gRPC status 3: as the test wants'],
    ['the queue is 100% full', 'gRPC status 3: the queue is 100% full'],
  ])('is logged with its message: %s', async (message, error) => {
    const collector = await collecting('grpc');
    Object.assign(collector, { answer: 3, message });
    const { made, told } = started({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    });
    made.take(span());
    await made.stop();
    expect(told).toEqual([{ spans: 1, error }]);
  });
});

describe('A sampler', () => {
  const ids = Array.from({ length: 2_000 }, (_, index) =>
    ((index + 1) * 2_654_435_761).toString(16).padStart(8, '0').slice(-8).repeat(3).padEnd(32, '7'),
  );
  const share = (sampler: string, isSampled?: boolean): number => {
    const { made } = started({
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_TRACES_SAMPLER: sampler,
      OTEL_TRACES_SAMPLER_ARG: '0.1',
    });
    const remote = isSampled === undefined ? undefined : { ...parent, isSampled };
    return ids.filter((id) => made.isSampled(id, 'observed', remote)).length / ids.length;
  };

  test('takes about its ratio of the traces', () => {
    expect(share('traceidratio')).toBeCloseTo(0.1, 1);
    expect(share('traceidratio', true)).toBeCloseTo(0.1, 1);
    expect(share('always_on')).toBe(1);
    expect(share('always_off')).toBe(0);
  });

  test('does as the client does, where there is one', () => {
    expect(share('parentbased_traceidratio')).toBeCloseTo(0.1, 1);
    expect(share('parentbased_traceidratio', true)).toBe(1);
    expect(share('parentbased_traceidratio', false)).toBe(0);
    expect(share('parentbased_always_off', true)).toBe(1);
  });
});
