// What is told of requests: to whoever starts pods for them, in metrics, in the request log, and to
// traces that pass.
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { PodNames } from '#src/activator/proxy/pod-names.ts';
import { requestLogger, templateProblem } from '#src/activator/proxy/request-log.ts';
import { traceParentOf } from '#src/activator/proxy/trace.ts';
import { startActivator } from '#src/activator/start.ts';
import { sliceObject } from '#test/machines/activator/objects.ts';
import { FakeCluster } from '#test/support/fake-cluster.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { echo, hello, podOf } from './support/backends.ts';
import { until } from './support/client.ts';
import { headLines, TestPath } from './support/path.ts';

describe('Demand', () => {
  it('hears of a request when it comes, before there is a pod, and once of its end', async () => {
    const path = await TestPath.start();
    const asked = path.ask();
    await until(() => path.counted.queued === 1);
    expect(path.demand).toEqual([1]);
    await path.add(await podOf(hello));
    await asked;
    expect(path.demand).toEqual([1, -1]);
  });
});

describe('The metrics of requests', () => {
  it('are back at their start after any end, with an ending for each (H-101)', async () => {
    const path = await TestPath.start({ maxWaiting: 1, limit: 1, rules: { maxMs: 80 } });
    const timed = path.ask();
    await until(() => path.counted.queued === 1);
    await path.ask();
    await timed;
    const gone = path.raw(`GET / HTTP/1.1\r\n${headLines}\r\n`);
    await until(() => path.counted.queued === 1);
    gone.socket.destroy();
    await until(() => path.counted.queued === 0);
    await path.add(await podOf(hello));
    await path.ask();
    expect(path.counted).toMatchObject({
      queued: 0,
      active: 0,
      underWay: 0,
      received: 4,
      endings: { answered: 1, refused: 2, cancelled: 1, cut: 0 },
      classes: [1, 0, 1, 0, 0, 2],
    });
  });

  it('have the names and labels of Knative, and go with their revision', async () => {
    const path = await TestPath.with(podOf(hello), {
      rules: { service: 'shop', configuration: 'shop' },
    });
    await path.ask();
    const clock = new VirtualClock();
    const { metrics, plane } = startActivator({
      clock,
      random: seeded(1),
      ids: { next: () => 'i' },
      cluster: new FakeCluster(clock),
      probe: () => Promise.resolve({ isOk: true, id: undefined }),
      log: { line: () => undefined },
      withProcess: false,
      figures: path.figures,
    });
    plane.find = path.revisions.plane.find.bind(path.revisions.plane);
    const text = await metrics.render();
    const revision = 'k8s_namespace_name="demo",kn_revision_name="hello"';
    expect(text).toContain(`kn_revision_request_active{${revision}} 0`);
    expect(text).toContain(`kn_revision_request_queued{${revision}} 0`);
    expect(text).toContain(`activator_requests_total{${revision},ending="answered"} 1`);
    expect(text).toContain(`activator_responses_total{${revision},response_code_class="2xx"} 1`);
    const labels = `kn_service_name="shop",kn_configuration_name="shop",${revision}`;
    expect(text).toContain(`http_server_request_duration_seconds_count{${labels}} 1`);
    expect(text).toContain(`http_server_request_duration_seconds_bucket{le="+Inf",${labels}} 1`);
    path.retire();
    await until(() => path.revisions.plane.find('demo', 'hello') === undefined);
    await expect(metrics.render()).resolves.not.toContain('kn_revision_name="hello"');
  });
});

/** Of pods by UID: their names. */
const namedSlice = (name: string, pods: Readonly<Record<string, string>>): KubeObject => ({
  ...sliceObject([], { name }),
  endpoints: Object.entries(pods).map(([uid, pod]) => ({
    addresses: ['10.0.0.1'],
    targetRef: { kind: 'Pod', uid, name: pod },
  })),
});

describe('The request log', () => {
  it('has a line for each request, as the template says', async () => {
    const lines: string[] = [];
    const path = await TestPath.with(podOf(hello), {
      requestLog: {
        template:
          '{"m":"{{.Request.Method}}","url":"{{js .Request.RequestURI}}","s":{{.Response.Code}},' +
          '"n":{{.Response.Size}},"ua":"{{js .Request.UserAgent}}",' +
          '"x":"{{js (index .Request.Header "X-A" 0)}}","r":"{{.Revision.Namespace}}/{{.Revision.Name}}"}',
        write: (line) => void lines.push(line),
      },
    });
    await path.ask({ path: '/a?b="', headers: { 'User-Agent': 'curl', 'X-A': 'one' } });
    expect(lines).toEqual([
      '{"m":"GET","url":"/a?b\\u003D\\"","s":200,"n":5,"ua":"curl","x":"one","r":"demo/hello"}',
    ]);
  });

  it('names the pod of each request, as the endpoints do, and none for one that got none', async () => {
    const lines: string[] = [];
    const names = new PodNames();
    const path = await TestPath.start({
      requestLog: {
        template: '{{.Revision.PodName}} {{.Revision.PodIP}} {{.Response.Code}}',
        write: (line) => void lines.push(line),
      },
      podNameOf: names.find,
      maxWaiting: 0,
    });
    await path.ask();
    const pod = await podOf(hello);
    names.seen(namedSlice('a', { [`pod-${pod.port}`]: 'hello-0' }));
    await path.add(pod);
    await path.ask();
    expect(lines).toEqual(['  503', `hello-0 ${pod.dest} 200`]);
  });

  it('keeps no name of a pod that no slice lists any more', () => {
    const names = new PodNames();
    names.seen(namedSlice('a', { one: 'hello-1', two: 'hello-2' }));
    names.seen(namedSlice('b', { two: 'hello-2' }));
    names.seen(namedSlice('a', {}));
    expect(['one', 'two'].map(names.find)).toEqual(['', 'hello-2']);
    names.gone('demo', 'b');
    expect(names.find('two')).toBe('');
  });

  it.each([
    '{{.Request.Method',
    '{{.Nothing}}',
    '{{toString}}',
    '{{range .Request.Header}}{{end}}',
  ])('refuses the template %s at the start, and says what there is', (template) => {
    const start = (): unknown => requestLogger({ template, write: () => undefined });
    expect(start).toThrow(/^requestLog\.template has \{\{/);
    expect(templateProblem(template)).toMatch(/^has \{\{/);
  });
});

describe('A trace', () => {
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const span = 'b7ad6b7169203331';

  it('passes in both styles of headers, and the one of W3C is made of the other (H-100)', async () => {
    const path = await TestPath.with(podOf(echo));
    const got = await path.ask({
      headers: { 'X-B3-TraceId': trace, 'X-B3-SpanId': span, 'X-B3-Sampled': '1' },
    });
    const seen = String(got.headers['x-seen']).toLowerCase();
    expect(seen).toContain(`"traceparent","00-${trace}-${span}-01"`);
    expect(seen).toContain(`"x-b3-traceid","${trace}"`);
  });

  it.each([
    [{ b3: `${trace}-${span}-1` }, `00-${trace}-${span}-01`],
    [{ b3: `${trace}-${span}-0` }, `00-${trace}-${span}-00`],
    [{ 'x-b3-traceid': span, 'x-b3-spanid': span }, `00-${'0'.repeat(16)}${span}-${span}-00`],
    [{ b3: '0' }, undefined],
    [{ b3: `${'0'.repeat(32)}-${span}-1` }, undefined],
    [{ b3: `${trace}-${span}`, traceparent: 'there' }, undefined],
    [{}, undefined],
  ])('with the headers %j has the parent %s (H-100)', (headers, parent) => {
    expect(traceParentOf(headers)).toBe(parent);
  });
});
