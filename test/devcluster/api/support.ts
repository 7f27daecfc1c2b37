// An embedded cluster on a virtual clock for the tests of the API server: no controllers, no HTTP,
// and short words for requests and for what a watch says.
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import type { Cluster } from '#src/devcluster/cluster.ts';
import { FaultPlan } from '#src/devcluster/faults.ts';
import type { KubeRequest, KubeTransport, WatchEnd } from '#src/kube/transport/transport.ts';
import { VirtualClock, seeded } from '#test/support/virtual-clock.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

export interface Watched {
  /** `ADDED name@version`, in order. */
  readonly seen: string[];
  readonly objects: JsonObject[];
  end: WatchEnd | undefined;
  readonly close: () => void;
}

export class Bench {
  readonly clock = new VirtualClock();
  readonly faults = new FaultPlan();
  readonly cluster: Cluster;
  readonly transport: KubeTransport;

  constructor(seed = 1) {
    const { clock, faults } = this;
    const options = { clock, faults, random: seeded(seed), controllers: false } as const;
    this.cluster = createCluster(options);
    this.transport = this.cluster.transport();
  }

  async send(request: KubeRequest): Promise<Answered> {
    const sent = this.transport.request(request);
    const state = { answered: false };
    const stabilize = (): void => {
      state.answered = true;
    };
    const settled = sent.then(stabilize, stabilize);
    await Promise.resolve();
    while (!state.answered) {
      await this.clock.drain();
      if (!state.answered) await this.clock.advance(1000);
    }
    await settled;
    const { status, headers, body } = await sent;
    return { status, headers, body: isObject(body) ? body : { text: String(body) } };
  }

  get(path: string, accept?: string): Promise<Answered> {
    return this.send({ method: 'GET', path, ...(accept === undefined ? {} : { accept }) });
  }

  post(path: string, body: unknown): Promise<Answered> {
    return this.send({ method: 'POST', path, body });
  }

  put(path: string, body: unknown): Promise<Answered> {
    return this.send({ method: 'PUT', path, body });
  }

  delete(path: string, body?: unknown): Promise<Answered> {
    return this.send({ method: 'DELETE', path, ...(body === undefined ? {} : { body }) });
  }

  patch(path: string, body: unknown, type = 'merge-patch+json'): Promise<Answered> {
    return this.send({ method: 'PATCH', path, body, contentType: `application/${type}` });
  }

  watch(path: string): Watched {
    const seen: string[] = [];
    const objects: JsonObject[] = [];
    const close = this.transport.watch(path, {
      event: ({ type, object }) => {
        if (!isObject(object)) throw new Error('a watch event without an object');
        const meta = objectAt(object, 'metadata');
        seen.push(`${type} ${textAt(meta, 'name')}@${textAt(meta, 'resourceVersion')}`);
        objects.push(object);
      },
      closed: (end) => (watched.end = end),
    });
    const watched: Watched = { seen, objects, end: undefined, close };
    return watched;
  }
}

/** Runs with a started cluster and stops it. */
export async function withBench(run: (bench: Bench) => Promise<void>, seed = 1): Promise<void> {
  const bench = new Bench(seed);
  await bench.cluster.start();
  try {
    await run(bench);
  } finally {
    await bench.cluster.stop();
  }
}

export const configMaps = '/api/v1/namespaces/default/configmaps';
export const pods = '/api/v1/namespaces/default/pods';

export const configMap = (
  name: string,
  data: JsonObject = {},
  labels?: JsonObject,
): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...(labels === undefined ? {} : { labels }) },
  data,
});

export const pod = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'main', image: 'example/image:1' }], ...spec },
});

export const widgets = '/apis/example.io/v1/namespaces/default/widgets';

/** A CRD `widgets.example.io` with status and scale. */
export const widgetDefinition = (): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.io' },
  spec: {
    group: 'example.io',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        additionalPrinterColumns: [{ name: 'Wanted', type: 'integer', jsonPath: '.spec.replicas' }],
        schema: { openAPIV3Schema: widgetSchema },
      },
    ],
  },
});

const widgetSchema: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer', default: 1, minimum: 0 },
        color: { type: 'string', enum: ['red', 'blue'] },
      },
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' } } },
  },
};

export const widget = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'example.io/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
});

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export const meta = (object: JsonObject): JsonObject => objectAt(object, 'metadata') ?? {};
export const versionOf = (object: JsonObject): string => textAt(meta(object), 'resourceVersion');
export const names = (list: JsonObject): string[] =>
  objectsAt(list, 'items').map((item) => textAt(meta(item), 'name'));
