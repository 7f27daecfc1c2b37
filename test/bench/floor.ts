// The floor: a script that issues only the writes which the objects of a deploy cannot do without,
// replica by replica, with no thought between them. They are the objects that a controller has to
// write (floor-objects.ts), so that the server has the same to do. What a controller can at best
// come near to, on this machine, in this run. It has one watch of its own, of pods, to know when
// they are ready; the observer times it as it times a controller.
import { at, text } from '#machines/kubernetes/json.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { must } from '#test/support/workload.ts';
import {
  type Answered,
  core,
  FloorClient,
  type FloorOptions,
  grove,
  scheduler,
} from './floor-client.ts';
import { cliqueName, FloorObjects, floorSet, podNames, replicaName } from './floor-objects.ts';
import type { Measure } from './harness.ts';
import { writes } from './requests.ts';
import type { Result } from './statistics.ts';
import { usageKeys } from './usage.ts';
import { podsPerReplica, settledAt } from './workload.ts';
import type { World } from './world.ts';

export async function runFloor(
  world: World,
  measure: Measure,
  options: FloorOptions,
): Promise<Result> {
  const { replicas, inFlight } = options;
  const transport = world.connect(inFlight);
  const client = await FloorClient.open(transport, options);
  const harness = measure(() => Promise.resolve(client.requests));
  const pods = replicas * podsPerReplica;
  try {
    const ownCpu = process.cpuUsage();
    let all: readonly Replica[] = [];
    const bringUpAll = async (): Promise<void> => {
      // The clock runs from the user's own write on, as it does for a controller.
      const objects = await owned(transport);
      all = indices(replicas).map((index) => ({ client, objects, index }));
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
    client.stop();
  }
}

/** The objects of the floor belong to a PodCliqueSet, which nobody plans. */
export async function owned(client: KubeTransport): Promise<FloorObjects> {
  const set = await must(client, {
    method: 'POST',
    path: `${grove}/podcliquesets`,
    body: floorSet,
  });
  return new FloorObjects(text(at(set, 'metadata', 'uid')));
}

export const round = (value: number): number => Math.round(value * 100) / 100;

export const prefixed = (result: Readonly<Record<string, number>>): Result =>
  Object.fromEntries(Object.entries(result).map(([key, value]) => [`floor_${key}`, value]));

export interface Replica {
  readonly objects: FloorObjects;
  readonly client: FloorClient;
  readonly index: number;
}

export const indices = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => index);

/** Resolves with the PodClique as its last write left it. */
export async function bringUp({ client, objects, index }: Replica): Promise<Answered> {
  const [, clique] = await Promise.all([
    client.send(index, 'POST', `${core}/services`, objects.service(index)),
    client.send(index, 'POST', `${grove}/podcliques`, objects.podClique(index)),
  ]);
  const gang = await client.send(index, 'POST', `${scheduler}/podgangs`, objects.podGang(index));
  await Promise.all(
    objects.pods(index, clique.uid).map((pod) => client.send(index, 'POST', `${core}/pods`, pod)),
  );
  const gangStatus = `${scheduler}/podgangs/${gang.name}/status`;
  const pending = objects.podGangStatus(index, gang.version, 'Pending');
  const { version } = await client.send(index, 'PUT', gangStatus, pending);
  await client.podsReady(podNames(index));
  const counts = objects.podCliqueStatus(index, clique.version);
  const running = objects.podGangStatus(index, version, 'Running');
  const [done] = await Promise.all([
    client.send(index, 'PUT', `${grove}/podcliques/${clique.name}/status`, counts),
    client.send(index, 'PUT', gangStatus, running),
  ]);
  return done;
}

/** One DELETE an object, as nobody else would do it, and the finalizer of the PodClique. */
async function takeDown({ client, index }: Replica): Promise<void> {
  const name = replicaName(index);
  await Promise.all([
    ...podNames(index).map((pod) => client.send(index, 'DELETE', `${core}/pods/${pod}`)),
    endClique(client, index),
    client.send(index, 'DELETE', `${scheduler}/podgangs/${name}`),
    client.send(index, 'DELETE', `${core}/services/${name}`),
  ]);
}

async function endClique(client: FloorClient, index: number): Promise<void> {
  const path = `${grove}/podcliques/${cliqueName(index)}`;
  await client.send(index, 'DELETE', path);
  await client.send(index, 'PATCH', path, { metadata: { finalizers: null } });
}
