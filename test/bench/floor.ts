// The floor: a script that issues only the writes which the objects of a deploy cannot do without,
// replica by replica, with no thought between them. What a controller can at best come near to, on
// this machine, in this run.
import type { HttpTransport } from '#src/kube/http.ts';
import { Observer } from './observer.ts';
import type { ScaleResult } from './scale.ts';
import { limited } from '#src/kube/ratelimit.ts';
import type { KubeTransport } from '#src/kube/transport.ts';
import { systemClock } from '#src/time/clock.ts';
import type { Limit } from '#test/cluster/commands.ts';
import { Window } from './window.ts';
import { namespace, podSpec, podsPerReplica } from './workload.ts';

export interface FloorOptions {
  readonly replicas: number;
  readonly inFlight: number;
  /** Requests per second and at once, per kind; absent: no limit. */
  readonly rate?: Limit | undefined;
  readonly say: (line: string) => void;
}

const limitSeconds = 600;
const core = `/api/v1/namespaces/${namespace}`;
const grove = `/apis/grove.io/v1alpha1/namespaces/${namespace}`;
const scheduler = `/apis/scheduler.grove.io/v1alpha1/namespaces/${namespace}`;
const labels = {
  'app.kubernetes.io/managed-by': 'grove-operator',
  'app.kubernetes.io/part-of': 'floor',
};

export async function runFloor(
  transport: HttpTransport,
  options: FloorOptions,
): Promise<ScaleResult> {
  const { replicas, inFlight, rate, say } = options;
  const pods = replicas * podsPerReplica;
  const observer = new Observer(transport);
  const client = limited(transport, systemClock, {
    maxInFlight: inFlight,
    ...(rate === undefined ? {} : { rate }),
  });
  observer.start();
  try {
    const window = new Window(inFlight);
    const created = observer.until('created', (now) => now.podsEverCreated >= pods, limitSeconds);
    const ready = observer.until('ready', (now) => now.podsReady >= pods, limitSeconds);
    await Promise.all(
      indices(replicas).map((index) => bringUp({ client, observer, window, index })),
    );
    const [created_s, ready_s] = [await created, await ready];
    const gone = observer.until(
      'gone',
      ({ alive }) => Object.values(alive).every((count) => count === 0),
      limitSeconds,
    );
    await Promise.all(
      indices(replicas).map((index) => takeDown({ client, observer, window, index })),
    );
    const gone_s = await gone;
    const result = { floor_created_s: created_s, floor_ready_s: ready_s, floor_gone_s: gone_s };
    say(
      `floor: created ${created_s.toFixed(1)} s, ready ${ready_s.toFixed(1)} s, gone ${gone_s.toFixed(1)} s`,
    );
    return { ...result, floor_writes: window.sent };
  } finally {
    observer.stop();
  }
}

interface Replica {
  readonly client: KubeTransport;
  readonly observer: Observer;
  readonly window: Window;
  readonly index: number;
}

const indices = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const podNames = (index: number): string[] =>
  indices(podsPerReplica).map((pod) => `floor-${index}-w-${pod}`);

async function bringUp(replica: Replica): Promise<void> {
  const { index, observer } = replica;
  const name = `floor-${index}`;
  const clique = `${name}-w`;
  const spec = { clusterIP: 'None', publishNotReadyAddresses: true, selector: labels };
  const [, cliqueVersion] = await Promise.all([
    send(replica, 'POST', `${core}/services`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, labels },
      spec,
    }),
    send(replica, 'POST', `${grove}/podcliques`, {
      apiVersion: 'grove.io/v1alpha1',
      kind: 'PodClique',
      metadata: { name: clique, labels },
      spec: { roleName: 'w', replicas: podsPerReplica, minAvailable: podsPerReplica, podSpec },
    }),
  ]);
  const podReferences = podNames(index).map((pod) => ({ namespace, name: pod }));
  const gangVersion = await send(replica, 'POST', `${scheduler}/podgangs`, {
    apiVersion: 'scheduler.grove.io/v1alpha1',
    kind: 'PodGang',
    metadata: { name, labels },
    spec: { podgroups: [{ name: clique, minReplicas: podsPerReplica, podReferences }] },
  });
  await Promise.all(
    podNames(index).map((pod) =>
      send(replica, 'POST', `${core}/pods`, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: pod, labels },
        spec: { ...podSpec, hostname: pod, subdomain: name },
      }),
    ),
  );
  await send(replica, 'PUT', `${scheduler}/podgangs/${name}/status`, {
    apiVersion: 'scheduler.grove.io/v1alpha1',
    kind: 'PodGang',
    metadata: { name, resourceVersion: gangVersion },
    status: { phase: 'Pending', conditions: [condition('Initialized', 'PodGangPodsCreated')] },
  });
  await observer.podsReady(podNames(index).map((pod) => `${namespace}/${pod}`));
  await send(replica, 'PUT', `${grove}/podcliques/${clique}/status`, {
    apiVersion: 'grove.io/v1alpha1',
    kind: 'PodClique',
    metadata: { name: clique, resourceVersion: cliqueVersion },
    status: {
      ...counters,
      conditions: [condition('PodCliqueScheduled', 'SufficientScheduledPods')],
    },
  });
}

/** One DELETE an object: nobody else would do it. */
async function takeDown(replica: Replica): Promise<void> {
  const name = `floor-${replica.index}`;
  await Promise.all([
    ...podNames(replica.index).map((pod) => send(replica, 'DELETE', `${core}/pods/${pod}`)),
    send(replica, 'DELETE', `${grove}/podcliques/${name}-w`),
    send(replica, 'DELETE', `${scheduler}/podgangs/${name}`),
    send(replica, 'DELETE', `${core}/services/${name}`),
  ]);
}

const counters = {
  observedGeneration: 1,
  replicas: podsPerReplica,
  readyReplicas: podsPerReplica,
  scheduledReplicas: podsPerReplica,
  scheduleGatedReplicas: 0,
  updatedReplicas: podsPerReplica,
};

const condition = (type: string, reason: string): Readonly<Record<string, string>> => ({
  type,
  status: 'True',
  reason,
  message: 'as the floor has it',
  lastTransitionTime: new Date(0).toISOString(),
});

/** Sends when the window has room, replica by replica; resolves with the new resourceVersion. */
async function send(
  replica: Replica,
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<string> {
  const { client, window, index } = replica;
  const reply = await window.run(index, () =>
    client.request({ method, path, ...(body === undefined ? {} : { body }) }),
  );
  if (reply.status >= 300)
    throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return (
    (reply.body as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion ?? ''
  );
}
