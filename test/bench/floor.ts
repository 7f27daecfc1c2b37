// The floor: a script that issues only the writes which the objects of a deploy cannot do without,
// replica by replica, with no thought between them. They are the objects that a controller has to
// write (floor-objects.ts), so that the server has the same to do. What a controller can at best
// come near to, on this machine, in this run. It has one watch of its own, of pods, to know when
// they are ready; the observer times it as it times a controller.
import { at, object, text } from '#machines/kubernetes/json.ts';
import { limited } from '#src/kube/transport/ratelimit.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { systemClock } from '#src/time/clock.ts';
import type { Limit } from '#test/cluster/commands.ts';
import { conditionOf, Onlooker } from '#test/support/onlooker.ts';
import { must } from '#test/support/workload.ts';
import { cliqueName, FloorObjects, floorSet, podNames, replicaName } from './floor-objects.ts';
import type { Measure } from './harness.ts';
import { writes } from './requests.ts';
import type { Result } from './statistics.ts';
import { usageKeys } from './usage.ts';
import { Window } from './window.ts';
import { namespace, podsPerReplica, settledAt } from './workload.ts';
import type { World } from './world.ts';

export interface FloorOptions {
  readonly replicas: number;
  readonly inFlight: number;
  /** Requests per second and at once, per kind; absent: no limit. */
  readonly rate?: Limit | undefined;
}

const core = `/api/v1/namespaces/${namespace}`;
const grove = `/apis/grove.io/v1alpha1/namespaces/${namespace}`;
const scheduler = `/apis/scheduler.grove.io/v1alpha1/namespaces/${namespace}`;

export async function runFloor(
  world: World,
  measure: Measure,
  options: FloorOptions,
): Promise<Result> {
  const { replicas, inFlight, rate } = options;
  const transport = world.connect(inFlight);
  const client = limited(transport, systemClock, {
    maxInFlight: inFlight,
    ...(rate === undefined ? {} : { rate }),
  });
  const onlooker = new Onlooker(transport, ['pods']);
  await onlooker.synced;
  const window = new Window(inFlight);
  const harness = measure(() => Promise.resolve({ 'send objects 2xx': window.sent }));
  const pods = replicas * podsPerReplica;
  try {
    const ownCpu = process.cpuUsage();
    let all: readonly Replica[] = [];
    const bringUpAll = async (): Promise<void> => {
      // The clock runs from the user's own write on, as it does for a controller.
      const objects = await owned(transport);
      all = indices(replicas).map((index) => ({ client, onlooker, objects, window, index }));
      await Promise.all(all.map(bringUp));
    };
    const up = await harness.phase('floor', bringUpAll, {
      floor_created_s: { podsEver: { least: pods } },
      floor_ready_s: { podsReady: { least: pods } },
    });
    const own = process.cpuUsage(ownCpu);
    const gone = await harness.phase('floor_gone', () => Promise.all(all.map(takeDown)), {
      floor_gone_s: settledAt(0),
    });
    return {
      replicas,
      ...up.milestones,
      ...gone.milestones,
      floor_writes: writes(up.requests),
      floor_writes_gone: writes(gone.requests),
      floor_in_flight: inFlight,
      floor_client_cpu_s: round((own.user + own.system) / 1e6),
      ...prefixed(usageKeys(up.usages)),
    };
  } finally {
    onlooker.stop();
  }
}

/** The objects of the floor belong to a PodCliqueSet, which nobody plans. */
async function owned(client: KubeTransport): Promise<FloorObjects> {
  const set = await must(client, {
    method: 'POST',
    path: `${grove}/podcliquesets`,
    body: floorSet,
  });
  return new FloorObjects(text(at(set, 'metadata', 'uid')));
}

const round = (value: number): number => Math.round(value * 100) / 100;

const prefixed = (result: Readonly<Record<string, number>>): Result =>
  Object.fromEntries(Object.entries(result).map(([key, value]) => [`floor_${key}`, value]));

interface Answered {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
}

interface Replica {
  readonly objects: FloorObjects;
  readonly client: KubeTransport;
  readonly onlooker: Onlooker;
  readonly window: Window;
  readonly index: number;
}

const indices = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

async function bringUp(replica: Replica): Promise<void> {
  const { objects, index } = replica;
  const [, clique] = await Promise.all([
    send(replica, 'POST', `${core}/services`, objects.service(index)),
    send(replica, 'POST', `${grove}/podcliques`, objects.podClique(index)),
  ]);
  const gang = await send(replica, 'POST', `${scheduler}/podgangs`, objects.podGang(index));
  await Promise.all(
    objects.pods(index, clique.uid).map((pod) => send(replica, 'POST', `${core}/pods`, pod)),
  );
  const gangStatus = `${scheduler}/podgangs/${gang.name}/status`;
  const pending = objects.podGangStatus(index, gang.version, 'Pending');
  const { version } = await send(replica, 'PUT', gangStatus, pending);
  await podsReady(replica);
  const counts = objects.podCliqueStatus(index, clique.version);
  const running = objects.podGangStatus(index, version, 'Running');
  await Promise.all([
    send(replica, 'PUT', `${grove}/podcliques/${clique.name}/status`, counts),
    send(replica, 'PUT', gangStatus, running),
  ]);
}

/** One DELETE an object, as nobody else would do it, and the finalizer of the PodClique. */
async function takeDown(replica: Replica): Promise<void> {
  const { index } = replica;
  const name = replicaName(index);
  await Promise.all([
    ...podNames(index).map((pod) => send(replica, 'DELETE', `${core}/pods/${pod}`)),
    endClique(replica),
    send(replica, 'DELETE', `${scheduler}/podgangs/${name}`),
    send(replica, 'DELETE', `${core}/services/${name}`),
  ]);
}

async function endClique(replica: Replica): Promise<void> {
  const path = `${grove}/podcliques/${cliqueName(replica.index)}`;
  await send(replica, 'DELETE', path);
  await send(replica, 'PATCH', path, { metadata: { finalizers: null } });
}

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

/** Sends when the window has room, replica by replica; resolves with what the answer says. */
async function send(
  { client, window, index }: Replica,
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Answered> {
  const request = {
    method,
    path,
    ...(body === undefined ? {} : { body }),
    ...(method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {}),
  };
  const reply = await window.run(index, () => must(client, request));
  const metadata = object(at(reply, 'metadata'));
  return {
    name: text(metadata['name']),
    uid: text(metadata['uid']),
    version: text(metadata['resourceVersion']),
  };
}
