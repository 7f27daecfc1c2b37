// Where revisions and their pods come from: our configuration and Knative's objects, read from the
// embedded cluster, also while it fails.
import { describe, expect, it } from 'vitest';
import type { FaultRule } from '#src/devcluster/faults.ts';
import { namespace, sliceOfPods, sourcesWorld } from './support.ts';

const web = { revisions: [{ name: 'web', containerConcurrency: 2, probePath: '/healthz' }] };
const knative = { knative: { enabled: true } };

const revisionsPath = `/apis/serving.knative.dev/v1/namespaces/${namespace}/revisions`;
const serverlessPath = `/apis/networking.internal.knative.dev/v1alpha1/namespaces/${namespace}/serverlessservices`;

const revision = (name: string, containerConcurrency = 0) => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Revision',
  metadata: { name, namespace },
  spec: { containerConcurrency, containers: [{ name: 'user' }] },
});

const serverless = (name: string, mode = 'Proxy') => ({
  apiVersion: 'networking.internal.knative.dev/v1alpha1',
  kind: 'ServerlessService',
  metadata: { name, namespace },
  spec: { mode },
  status: { serviceName: name, privateServiceName: `${name}-private-7` },
});

describe('A revision of our configuration', () => {
  it('needs no CRD of Knative: its pods are the endpoints of its Service', async () => {
    const world = await sourcesWorld({ activator: web });
    await world.putSlice(sliceOfPods('web', ['10.0.0.1', '10.0.0.2']));
    const sources = world.start();
    expect(sources.ready.run()).toBe('waits for the first list of EndpointSlice');
    await world.clock.advance(1_000);
    expect(sources.ready.run()).toBeUndefined();
    expect(world.pods('web')).toEqual(['10.0.0.1:8080 ready', '10.0.0.2:8080 ready']);
    expect(world.plane.find(namespace, 'web')?.admission.table.limit).toBe(2);
    await world.deleteSlice('web-1');
    await world.clock.advance(1_000);
    expect(world.pods('web')).toEqual([]);
  });

  it('waits for Kubernetes where its pods are not asked (H-48)', async () => {
    const world = await sourcesWorld({ activator: { revisions: [{ name: 'web' }] } });
    world.start();
    await world.putSlice(sliceOfPods('web', ['10.0.0.1'], { ready: false }));
    await world.clock.advance(2_000);
    expect(world.pods('web')).toEqual([]);
    await world.putSlice(sliceOfPods('web', ['10.0.0.1']));
    await world.clock.advance(2_000);
    expect(world.pods('web')).toEqual(['10.0.0.1:8080 ready']);
  });

  it('asks pods that Kubernetes does not call ready yet (H-41)', async () => {
    const world = await sourcesWorld({ activator: web });
    world.start();
    await world.putSlice(sliceOfPods('web', ['10.0.0.1'], { ready: false }));
    await world.clock.advance(2_000);
    expect(world.pods('web')).toEqual(['10.0.0.1:8080 ready']);
  });

  it('has pods of all slices, which come and go in pieces', async () => {
    const world = await sourcesWorld({ activator: web });
    world.start();
    const piece = (name: string, ips: readonly string[]) => sliceOfPods('web', ips, { name });
    await world.putSlice(piece('a', ['10.0.0.1', '10.0.0.2']));
    await world.putSlice(piece('b', ['10.0.0.3']));
    await world.clock.advance(1_000);
    expect(world.pods('web')).toHaveLength(3);
    // A pod moves: for a while it is in both, then in one.
    await world.putSlice(piece('b', ['10.0.0.3', '10.0.0.2']));
    await world.clock.advance(1_000);
    await world.putSlice(piece('a', ['10.0.0.1']));
    await world.clock.advance(1_000);
    const all = ['10.0.0.1:8080 ready', '10.0.0.2:8080 ready', '10.0.0.3:8080 ready'];
    expect(world.pods('web')).toEqual(all);
    await world.deleteSlice('a');
    await world.clock.advance(1_000);
    expect(world.pods('web')).toEqual(all.slice(1));
    expect(world.audit('web')).toEqual([]);
  });

  it('holds, whatever Knative says of one with its name', async () => {
    const world = await sourcesWorld({ activator: { ...web, ...knative } });
    await world.installKnative();
    await world.send('POST', revisionsPath, revision('web', 9));
    world.start();
    await world.clock.advance(30_000);
    expect(world.plane.find(namespace, 'web')?.admission.table.limit).toBe(2);
    await world.send('DELETE', `${revisionsPath}/web`);
    await world.clock.advance(30_000);
    expect(world.plane.find(namespace, 'web')?.admission.table.limit).toBe(2);
  });
});

describe('A revision of Knative', () => {
  it('has the pods of its private Service, by the name that Knative gave it (H-59)', async () => {
    const world = await sourcesWorld({ activator: knative });
    await world.installKnative();
    await world.send('POST', revisionsPath, revision('hello', 3));
    await world.putSlice(sliceOfPods('hello-private', ['10.0.0.1'], { number: 8012 }));
    await world.putSlice(sliceOfPods('hello-private-7', ['10.0.0.7'], { number: 8012 }));
    world.start();
    await world.clock.advance(5_000);
    expect(world.pods('hello')).toEqual(['10.0.0.1:8012 ready']);
    await world.send('POST', serverlessPath, serverless('hello'));
    await world.clock.advance(5_000);
    expect(world.pods('hello')).toEqual(['10.0.0.7:8012 ready']);
  });

  it('is served in whichever mode its ServerlessService is', async () => {
    const world = await sourcesWorld({ activator: knative });
    await world.installKnative();
    await world.send('POST', revisionsPath, revision('hello'));
    await world.send('POST', serverlessPath, serverless('hello', 'Serve'));
    await world.putSlice(sliceOfPods('hello-private-7', ['10.0.0.7'], { number: 8012 }));
    world.start();
    await world.clock.advance(5_000);
    expect(world.pods('hello')).toEqual(['10.0.0.7:8012 ready']);
  });

  it('is gone with its object, and so is its table (H-69, H-70)', async () => {
    const world = await sourcesWorld({ activator: knative });
    await world.installKnative();
    await world.send('POST', revisionsPath, revision('hello'));
    world.start();
    await world.clock.advance(5_000);
    expect(world.plane.find(namespace, 'hello')).toBeDefined();
    await world.send('DELETE', `${revisionsPath}/hello`);
    await world.clock.advance(5_000);
    expect(world.plane.find(namespace, 'hello')).toBeUndefined();
    // Its endpoints go later, which is no news to anybody.
    await world.putSlice(sliceOfPods('hello-private', ['10.0.0.1']));
    await world.clock.advance(5_000);
    expect(world.plane.find(namespace, 'hello')).toBeUndefined();
    expect(world.telemetry.calls.restarted).toEqual([]);
  });

  it('is found when its CRDs come later than the activator', async () => {
    const world = await sourcesWorld({ activator: { ...web, ...knative } });
    const sources = world.start();
    await world.clock.advance(5_000);
    expect(sources.ready.run()).toBeUndefined();
    await world.installKnative();
    await world.send('POST', revisionsPath, revision('hello'));
    await world.clock.advance(600_000);
    expect(world.plane.find(namespace, 'hello')).toBeDefined();
  });
});

describe('Activators that share pods', () => {
  const service = `${namespace}/activators`;
  const six = [1, 2, 3, 4, 5, 6].map((last) => `10.0.0.${last}`);
  const place = { address: '10.1.0.2' };
  const routable = (pods: readonly string[]) => pods.filter((pod) => pod.endsWith(' ready'));

  it('each take a slice of them by their place, and keep it while they are not listed (T-U7, H-17, H-19, H-20)', async () => {
    const world = await sourcesWorld({ activator: { ...web, service }, settings: place });
    await world.putSlice(sliceOfPods('web', six));
    world.start();
    await world.clock.advance(1_000);
    expect(routable(world.pods('web'))).toHaveLength(6);
    await world.putSlice(sliceOfPods('activators', ['10.1.0.1', '10.1.0.2', '10.1.0.3']));
    await world.clock.advance(1_000);
    const own = ['10.0.0.3:8080 ready', '10.0.0.4:8080 ready'];
    expect(routable(world.pods('web'))).toEqual(own);
    expect(world.pods('web')).toHaveLength(6);
    await world.putSlice(sliceOfPods('activators', ['10.1.0.1', '10.1.0.20']));
    await world.clock.advance(1_000);
    expect(routable(world.pods('web'))).toEqual(own);
    await world.putSlice(sliceOfPods('activators', ['10.1.0.2']));
    await world.clock.advance(1_000);
    expect(routable(world.pods('web'))).toHaveLength(6);
    expect(world.audit('web')).toEqual([]);
  });

  it('keep what the others have for hours, and move nothing when they are told the same (H-18)', async () => {
    const world = await sourcesWorld({ activator: { ...web, service }, settings: place });
    await world.putSlice(sliceOfPods('activators', ['10.1.0.1', '10.1.0.2']));
    await world.putSlice(sliceOfPods('web', six));
    world.start();
    await world.clock.advance(7_200_000);
    const own = routable(world.pods('web'));
    expect(own).toHaveLength(3);
    const told = world.told('web');
    await world.putSlice(sliceOfPods('activators', ['10.1.0.2', '10.1.0.1']));
    await world.clock.advance(10_000);
    expect(routable(world.pods('web'))).toEqual(own);
    expect(world.told('web')).toBe(told);
    expect(world.telemetry.calls.restarted).toEqual([]);
    expect(world.audit('web')).toEqual([]);
  });

  it('of Knative are the endpoints of the public Service, at the port of the protocol (H-61)', async () => {
    const world = await sourcesWorld({ activator: knative, settings: place });
    await world.installKnative();
    await world.send('POST', revisionsPath, revision('hello', 1));
    await world.send('POST', serverlessPath, serverless('hello'));
    await world.putSlice(sliceOfPods('hello-private-7', six, { number: 8012 }));
    await world.putSlice(sliceOfPods('hello', ['10.1.0.2', '10.1.0.9'], { number: 8012 }));
    const other = { name: 'hello-2', port: 'http2', number: 8013 };
    await world.putSlice(sliceOfPods('hello', ['10.1.0.0', '10.1.0.1'], other));
    world.start();
    await world.clock.advance(5_000);
    const first = ['10.0.0.1:8012 ready', '10.0.0.2:8012 ready', '10.0.0.3:8012 ready'];
    expect(routable(world.pods('hello'))).toEqual(first);
  });
});

const endpoints = { kind: 'endpointslices.discovery.k8s.io', times: 1_000 } as const;

describe('While the API server fails', () => {
  it.each<[string, FaultRule]>([
    [
      'breaks watches',
      { ...endpoints, verb: 'watch', fault: { kind: 'dropWatch', afterEvents: 1 } },
    ],
    ['expires watches', { ...endpoints, verb: 'watch', rate: 0.5, fault: { kind: 'expire' } }],
    [
      'refuses lists',
      { ...endpoints, verb: 'list', rate: 0.7, fault: { kind: 'error', code: 500 } },
    ],
    ['lags', { ...endpoints, verb: 'watch', fault: { kind: 'lagWatch', ms: 3_000 } }],
  ])('and %s, tables stay, and are right afterwards', async (_what, rule) => {
    const world = await sourcesWorld({ activator: web, seed: 3 });
    world.start();
    await world.putSlice(sliceOfPods('web', ['10.0.0.1']));
    await world.clock.advance(1_000);
    world.cluster.faults.add(rule);
    for (let round = 2; round < 20; round++) {
      await world.putSlice(sliceOfPods('web', [`10.0.0.${round}`], { name: `web-${round % 4}` }));
      await world.clock.advance(1_000);
    }
    world.cluster.faults.clear();
    await world.clock.advance(120_000);
    expect(world.pods('web')).toEqual([16, 17, 18, 19].map((last) => `10.0.0.${last}:8080 ready`));
    expect(world.audit('web')).toEqual([]);
    expect(world.telemetry.calls.restarted).toEqual([]);
  });

  it('and is away, it serves from its tables, and is ready all the same', async () => {
    const world = await sourcesWorld({ activator: web });
    const sources = world.start();
    await world.putSlice(sliceOfPods('web', ['10.0.0.1']));
    await world.clock.advance(1_000);
    const away = { times: 100_000, fault: { kind: 'dropRequest' } } as const;
    world.cluster.faults.add(away);
    world.cluster.faults.add({ ...away, verb: 'watch', fault: { kind: 'dropWatch', afterMs: 1 } });
    await world.clock.advance(300_000);
    expect(world.pods('web')).toEqual(['10.0.0.1:8080 ready']);
    expect(sources.ready.run()).toBeUndefined();
    const admission = world.plane.find(namespace, 'web')?.admission;
    expect(admission?.admit()).toBe(0);
    world.cluster.faults.clear();
    await world.putSlice(sliceOfPods('web', ['10.0.0.1', '10.0.0.2']));
    await world.clock.advance(120_000);
    expect(world.pods('web')).toEqual(['10.0.0.1:8080 ready', '10.0.0.2:8080 ready']);
  });
});
