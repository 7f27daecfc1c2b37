// A deploy on the embedded cluster as a collector of OpenTelemetry sees it, with a controller that
// is a process of its own: one trace from the edit to the last status, without secrets; and what
// the controller does without variables, and without a collector.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { at, object } from '#machines/kubernetes/json.ts';
import { bundleController } from '#src/bundle/build.ts';
import { eventually } from '#test/support/eventually.ts';
import { scrape } from '#test/support/exposition.ts';
import { freePort } from '#test/support/ports.ts';
import { type Collector, startCollector } from '#test/support/otlp/collector.ts';
import type { ReceivedSpan } from '#test/support/otlp/spans.ts';
import { Place, type Running } from '#test/support/place.ts';
import { createNamespace, must, patchSet, setBody, setsIn } from '#test/support/workload.ts';

const patient = { timeout: 120_000 };
const namespace = 'traces';
const canary = 'hunter2-hunter2';

const place = new Place();
beforeAll(async () => {
  await place.start({ nodes: 4 });
  await createNamespace(place.client, namespace);
}, 180_000);
afterAll(() => place.end());
afterEach(() => void vi.unstubAllEnvs());

/** Counts the modules of OpenTelemetry that a process loads, and says so when it is asked: but for
 *  its API, types and a no-op, which the client library of the metrics loads. */
const preload = `data:text/javascript,${encodeURIComponent(String.raw`
  import { registerHooks } from 'node:module';
  let loaded = 0;
  registerHooks({
    load: (url, context, next) => {
      if (/@opentelemetry\/(?!api\/)/.test(url)) loaded++;
      return next(url, context);
    },
  });
  process.on('message', () => process.send({ loaded }));
  process.channel?.unref();
`)}`;

async function controller(variables: Readonly<Record<string, string>>): Promise<Running> {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const running = await place.controller({}, { preload });
  vi.unstubAllEnvs();
  await running.program.line(/controller synced/);
  onTestFinished(() => running.program.kill());
  return running;
}

async function collecting(protocol: 'http' | 'grpc'): Promise<Collector> {
  const collector = await startCollector(protocol);
  onTestFinished(() => collector.close());
  return collector;
}

const set = (name: string) => {
  const env = [{ name: 'HF_TOKEN', value: canary }];
  const container = { name: 'main', image: 'busybox:1', env, args: [`--password=${canary}`] };
  const podSpec = { containers: [container] };
  const made = setBody({ name, replicas: 1, cliques: [{ name: 'worker', podSpec }] });
  return { ...made, metadata: { name, annotations: { 'example.com/api-token': canary } } };
};

const deploy = async (name: string, annotations = {}): Promise<void> => {
  const body = set(name);
  Object.assign(body.metadata.annotations, annotations);
  await must(place.client, { method: 'POST', path: setsIn(namespace), body });
  await available(name, 1);
};

const available = (name: string, count: number): Promise<unknown> =>
  eventually(
    `${name} available`,
    () => at(place.onlooker.one('podcliquesets', namespace, name), 'status', 'availableReplicas'),
    (now) => now === count,
    60_000,
  );

/** Sends what waits. */
async function stopped({ program }: Running): Promise<void> {
  program.signal('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
}

/** Of the edit of a set. */
function traceOf({ spans }: Collector, name: string): readonly ReceivedSpan[] {
  const [edit] = spans.filter(
    (span) => span.name === 'edit PodCliqueSet' && span.attributes['k8s.object.name'] === name,
  );
  if (edit === undefined) throw new Error(`no edit of ${name} among ${spans.length} spans`);
  return spans.filter(({ traceId }) => traceId === edit.traceId);
}

const named = (spans: readonly ReceivedSpan[], name: string): readonly ReceivedSpan[] =>
  spans.filter((span) => span.name === name);

const loadedBy = async ({ program }: Running): Promise<number> =>
  Number(object(await program.ask({ ask: 'loaded' }))['loaded']);

const spansBy = async ({ url }: Running): Promise<Readonly<Record<string, number>>> =>
  Object.fromEntries(
    (await scrape(url))
      .of('coppice_trace_spans_total')
      .map(({ labels, value }) => [labels['result'] ?? '', value]),
  );

describe('A collector', () => {
  test('gets one trace of a deploy, from the edit to the last status', patient, async () => {
    const collector = await collecting('http');
    const running = await controller({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    await deploy('demo');
    await stopped(running);
    const trace = traceOf(collector, 'demo');
    const byId = new Map(trace.map((span) => [span.spanId, span]));
    expect(byId.size).toBe(trace.length);

    const first = trace.filter(({ parentSpanId }) => parentSpanId === '');
    expect(first.map(({ name }) => name)).toEqual(['edit PodCliqueSet']);
    expect(first[0]).toMatchObject({
      resource: { 'service.name': 'coppice', 'deployment.environment.name': 'test' },
      attributes: { 'k8s.namespace.name': namespace, 'coppice.edit.manager': 'coppice-test' },
    });
    const parents = trace.flatMap((span) => (span.parentSpanId === '' ? [] : [span.parentSpanId]));
    expect(parents.filter((id) => !byId.has(id))).toEqual([]);

    const writes = trace.filter(({ kind }) => kind === 3);
    for (const write of writes) {
      const reconcile = byId.get(write.parentSpanId);
      expect(reconcile?.name).toMatch(/^reconcile /);
      expect(reconcile?.attributes['coppice.reconcile.id']).toBe(
        write.attributes['coppice.reconcile.id'],
      );
      expect(write.attributes).toMatchObject({
        'k8s.namespace.name': namespace,
        'coppice.write.outcome': 'ok',
      });
      expect(write.end).toBeGreaterThanOrEqual(write.start);
    }
    expect(
      named(writes, 'create Pod').map(({ attributes }) => attributes['k8s.object.name']),
    ).toEqual(named(writes, 'create Pod').map(({ attributes }) => attributes['k8s.pod.name']));
    expect(named(writes, 'create Pod')).toHaveLength(2);
    for (const name of [
      'create PodClique',
      'create PodGang',
      'status PodClique',
      'status PodGang',
    ]) {
      expect(writes.map((span) => span.name)).toContain(name);
    }
    // The last write is the status by which a user sees that the set is there.
    const last = writes.toSorted((a, b) => a.end - b.end).at(-1);
    expect(last?.name).toBe('status PodCliqueSet');
    const told = new Set(trace.flatMap(({ events }) => events.map(({ name }) => name)));
    expect([...told]).toEqual(expect.arrayContaining(['observed', 'transition']));
  });

  test('gets no secret of an object', patient, async () => {
    const collector = await collecting('http');
    const running = await controller({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await deploy('secret');
    await patchSet(place.client, namespace, 'secret', {
      metadata: { annotations: { 'example.com/api-token': `${canary}-2` } },
      spec: { replicas: 2 },
    });
    await available('secret', 2);
    await stopped(running);
    const edits = named(collector.spans, 'edit PodCliqueSet');
    expect(edits.at(-1)?.attributes['coppice.edit.paths']).toEqual(
      expect.arrayContaining(['spec.replicas']),
    );
    expect(JSON.stringify(collector.spans)).not.toContain('hunter2');
  });

  test('gets the same over gRPC, in the trace of the client', patient, async () => {
    const collector = await collecting('grpc');
    const running = await controller({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      // Only what clients have sampled.
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    });
    const [trace, parent] = ['a'.repeat(32), 'b'.repeat(16)];
    const header = (flags: string): Readonly<Record<string, string>> => ({
      'opentelemetry.io/trace-context': JSON.stringify({
        traceparent: `00-${trace}-${parent}-${flags}`,
      }),
    });
    await deploy('unsampled', header('00'));
    await deploy('sampled', header('01'));
    await eventually(
      'counted',
      () => spansBy(running),
      ({ exported = 0 }) => exported > 0,
    );
    await stopped(running);
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([trace]));
    const names = collector.spans.map(({ attributes }) => String(attributes['k8s.object.name']));
    expect(names.filter((name) => !/\bsampled/.test(name))).toEqual([]);
    const [edit] = named(collector.spans, 'edit PodCliqueSet');
    expect(edit?.parentSpanId).toBe(parent);
  });
});

describe('A controller', () => {
  test(
    'without a variable loads nothing of OpenTelemetry, and counts no spans',
    patient,
    async () => {
      const running = await controller({
        OTEL_SERVICE_NAME: 'coppice',
        OTEL_TRACES_SAMPLER: 'always_on',
      });
      expect(await loadedBy(running)).toBe(0);
      expect(await spansBy(running)).toEqual({});
      await stopped(running);
      const other = await controller({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
      expect(await loadedBy(other)).toBeGreaterThan(5);
    },
  );

  test('whose collector is away works, says so once, and ends', patient, async () => {
    const running = await controller({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    });
    await deploy('alone');
    await eventually(
      'counted',
      () => spansBy(running),
      ({ failed = 0 }) => failed > 0,
    );
    await patchSet(place.client, namespace, 'alone', { spec: { replicas: 2 } });
    await available('alone', 2);
    await stopped(running);
    const said = running.program.stderr.filter((line) => line.includes('traces could not be sent'));
    expect(said).toHaveLength(1);
  });

  test('goes on without traces where a variable is wrong', patient, async () => {
    const running = await controller({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere at all',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'sometimes',
    });
    await running.program.line(/\$OTEL_TRACES_SAMPLER is \\"sometimes\\"/);
    await running.program.line(/no address of a collector.*no traces are sent/);
  });
});

/** Files that a file of the bundle loads before it runs, itself among them. */
function loadedFirst(folder: string, file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(folder, file), 'utf8');
  for (const [, next = ''] of text.matchAll(/^(?:import|export)[^;]*?["']\.\/([^"']+)["'];?$/gm)) {
    loadedFirst(folder, next, found);
  }
  return found;
}

test('The bundle has OpenTelemetry in files that only traces load', patient, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-bundle-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await bundleController(folder);
  const bin = join(folder, 'bin');
  const files = readdirSync(bin).filter((file) => file.endsWith('.mjs'));
  const having = (words: string): readonly string[] =>
    files.filter((file) => readFileSync(join(bin, file), 'utf8').includes(words));
  const [withIt, starting] = [having('BatchSpanProcessor'), having('function startController(')];
  expect([withIt.length, starting.length]).toEqual([1, 1]);
  for (const file of [...starting, 'coppice.mjs']) {
    expect([...loadedFirst(bin, file)].filter((one) => withIt.includes(one))).toEqual([]);
  }
});
