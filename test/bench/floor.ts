// The floor: a script that issues only the writes which the objects of a deploy cannot do without,
// replica by replica, with no thought between them. What a controller can at best come near to, on
// this machine, in this run. It has one watch of its own, of pods, to know when they are ready; the
// observer times it as it times a controller.
import { at, text } from '#machines/json.ts';
import { limited } from '#src/kube/ratelimit.ts';
import type { KubeTransport } from '#src/kube/transport.ts';
import { systemClock } from '#src/time/clock.ts';
import type { Limit } from '#test/cluster/commands.ts';
import { conditionOf, Onlooker } from '#test/support/onlooker.ts';
import { must } from '#test/support/workload.ts';
import { machineMs } from './observer/claims.ts';
import type { Result } from './statistics.ts';
import { between, usageKeys } from './usage.ts';
import { Window } from './window.ts';
import { namespace, podSpec, podsPerReplica, settledAt } from './workload.ts';
import type { World } from './world.ts';

export interface FloorOptions {
  readonly replicas: number;
  readonly inFlight: number;
  /** Requests per second and at once, per kind; absent: no limit. */
  readonly rate?: Limit | undefined;
  readonly say: (line: string) => void;
}

const core = `/api/v1/namespaces/${namespace}`;
const grove = `/apis/grove.io/v1alpha1/namespaces/${namespace}`;
const scheduler = `/apis/scheduler.grove.io/v1alpha1/namespaces/${namespace}`;
const labels = {
  'app.kubernetes.io/managed-by': 'grove-operator',
  'app.kubernetes.io/part-of': 'floor',
};

export async function runFloor(world: World, options: FloorOptions): Promise<Result> {
  const { replicas, inFlight, rate, say } = options;
  const { observer } = world;
  const transport = world.connect(inFlight);
  const client = limited(transport, systemClock, {
    maxInFlight: inFlight,
    ...(rate === undefined ? {} : { rate }),
  });
  const onlooker = new Onlooker(transport, ['pods']);
  await onlooker.synced;
  const window = new Window(inFlight);
  const all = indices(replicas).map((index) => ({ client, onlooker, window, index }));
  const pods = replicas * podsPerReplica;
  try {
    const before = await world.usages();
    const ownCpu = process.cpuUsage();
    const begun = machineMs();
    const created = observer.until('created', { podsEver: { least: pods } });
    const ready = observer.until('ready', { podsReady: { least: pods } });
    await Promise.all([created, ready, ...all.map(bringUp)]);
    const up = { created: seconds(begun, await created), ready: seconds(begun, await ready) };
    const own = process.cpuUsage(ownCpu);
    const used = usageKeys(between(before, await world.usages()));
    const bringingUp = window.sent;
    const ended = machineMs();
    const gone = observer.until('gone', settledAt(0));
    await Promise.all([gone, ...all.map(takeDown)]);
    const goneSeconds = seconds(ended, await gone);
    say(`floor: created ${up.created} s, ready ${up.ready} s, gone ${goneSeconds} s`);
    return {
      replicas,
      floor_created_s: up.created,
      floor_ready_s: up.ready,
      floor_gone_s: goneSeconds,
      floor_writes: bringingUp,
      floor_writes_gone: window.sent - bringingUp,
      floor_in_flight: inFlight,
      floor_client_cpu_s: round((own.user + own.system) / 1e6),
      ...prefixed(used),
    };
  } finally {
    onlooker.stop();
  }
}

const round = (value: number): number => Math.round(value * 100) / 100;
const seconds = (from: number, to: number): number => round((to - from) / 1000);

const prefixed = (result: Readonly<Record<string, number>>): Result =>
  Object.fromEntries(Object.entries(result).map(([key, value]) => [`floor_${key}`, value]));

interface Replica {
  readonly client: KubeTransport;
  readonly onlooker: Onlooker;
  readonly window: Window;
  readonly index: number;
}

const indices = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const podNames = (index: number): string[] =>
  indices(podsPerReplica).map((pod) => `floor-${index}-w-${pod}`);

async function bringUp(replica: Replica): Promise<void> {
  const { index } = replica;
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
  await podsReady(replica);
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

function podsReady({ onlooker, index }: Replica): Promise<void> {
  const names = podNames(index);
  const areReady = (): boolean =>
    names.every((pod) => conditionOf(onlooker.one('pods', namespace, pod), 'Ready') === 'True');
  return new Promise((resolve) => {
    if (areReady()) return resolve();
    const end = onlooker.onSight(({ name }) => {
      if (!names.includes(name) || !areReady()) return;
      end();
      resolve();
    });
  });
}

/** Sends when the window has room, replica by replica; resolves with the new resourceVersion. */
async function send(
  { client, window, index }: Replica,
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<string> {
  const request = { method, path, ...(body === undefined ? {} : { body }) };
  const reply = await window.run(index, () => must(client, request));
  return text(at(reply, 'metadata', 'resourceVersion'));
}
