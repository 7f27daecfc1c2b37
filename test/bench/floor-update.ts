// The floor of a rolling update: what the floor of a deploy has made goes to another template by no
// more writes than spec controllers 5.4 to 5.10 asks for (floor-writes.ts lists them), in the same
// order: one replica after the other, in it one pod after the other, and each choice is written
// before it is acted upon.
import { at, text } from '#machines/kubernetes/json.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { must } from '#test/support/workload.ts';
import { bringUp, indices, owned, prefixed, type Replica, round } from './floor.ts';
import { core, FloorClient, type FloorOptions, grove, scheduler } from './floor-client.ts';
import { cliqueName, floorSet, podNames, replicaName } from './floor-objects.ts';
import { replaced, replacing, setStatus, waiting } from './floor-statuses.ts';
import { patienceMs } from './floor-writes.ts';
import type { Measure } from './harness.ts';
import { writes } from './requests.ts';
import type { Result } from './statistics.ts';
import { usageKeys } from './usage.ts';
import { newTemplate, settledAt, updatedAt } from './workload.ts';

interface UpdateFloorOptions extends FloorOptions {
  /** Absent: as in floor-writes.ts. */
  readonly patienceMs?: number;
}

export async function runUpdateFloor(
  world: { connect(sockets: number): KubeTransport },
  measure: Measure,
  options: UpdateFloorOptions,
): Promise<Result> {
  const { replicas, inFlight } = options;
  const transport = world.connect(inFlight);
  const client = await FloorClient.open(transport, options);
  const harness = measure(() => Promise.resolve(client.requests));
  try {
    let all: readonly Updating[] = [];
    const deploy = async (): Promise<void> => {
      const objects = await owned(transport);
      const made = indices(replicas).map(async (index) => {
        const replica = { client, objects, index };
        const { uid, version } = await bringUp(replica);
        return new Updating(replica, uid, version, options.patienceMs);
      });
      all = await Promise.all(made);
    };
    await harness.phase('floor_deploy', deploy, { floor_ready_s: settledAt(replicas) });
    const ownCpu = process.cpuUsage();
    const { milestones, requests, usages } = await harness.phase(
      'floor_update',
      () => updateAll(transport, client, all),
      { floor_update_s: updatedAt(replicas) },
    );
    const own = process.cpuUsage(ownCpu);
    return {
      replicas,
      ...milestones,
      floor_writes: writes(requests),
      floor_in_flight: inFlight,
      floor_client_cpu_s: round((own.user + own.system) / 1e6),
      ...prefixed(usageKeys(usages)),
      floor_requests: requests,
    };
  } finally {
    client.stop();
  }
}

/** From the user's change of the set on. */
async function updateAll(
  user: KubeTransport,
  client: FloorClient,
  all: readonly Updating[],
): Promise<void> {
  const path = `${grove}/podcliquesets/${floorSet.metadata.name}`;
  const contentType = 'application/merge-patch+json';
  const set = await must(user, { method: 'PATCH', path, contentType, body: newTemplate });
  const told = Promise.all(all.map((replica) => replica.takeSpec()));
  let version = text(at(set, 'metadata', 'resourceVersion'));
  const tell = async (turn: number): Promise<void> => {
    const body = setStatus(version, all.length, turn);
    ({ version } = await client.send(turn, 'PUT', `${path}/status`, body));
  };
  for (const [turn, replica] of all.entries()) {
    await tell(turn);
    await replica.replaceAll();
  }
  await told;
  await tell(all.length);
}

/** A replica in an update. */
class Updating {
  readonly #replica: Replica;
  readonly #uid: string;
  /** Of the PodClique after its last write. */
  #version: string;
  readonly #patienceMs: number;
  #hasSpec: Promise<unknown> = Promise.resolve();
  #late: NodeJS.Timeout | undefined;

  constructor(replica: Replica, uid: string, version: string, patience = patienceMs) {
    this.#replica = replica;
    this.#uid = uid;
    this.#version = version;
    this.#patienceMs = patience;
  }

  /** And says so, where its turn does not come soon. */
  takeSpec(): Promise<unknown> {
    const { objects } = this.#replica;
    this.#hasSpec = this.#write('PATCH', '', objects.newCliqueSpec()).then(() => {
      this.#late = setTimeout(() => {
        this.#hasSpec = this.#tell(waiting);
      }, this.#patienceMs);
    });
    return this.#hasSpec;
  }

  async replaceAll(): Promise<void> {
    await this.#hasSpec;
    clearTimeout(this.#late);
    await this.#hasSpec;
    const { index } = this.#replica;
    const names = podNames(index);
    const fresh = names.map((name) => `${name}-new`);
    for (const [pod, name] of names.entries()) {
      await this.#tell(replacing(name, names.slice(0, pod)));
      const listed = [...fresh.slice(0, pod + 1), ...names.slice(pod + 1)];
      await this.#replace(name, fresh[pod] ?? '', pod, listed);
    }
    await this.#tell(replaced);
  }

  async #replace(old: string, name: string, pod: number, listed: readonly string[]): Promise<void> {
    const { client, objects, index } = this.#replica;
    const gang = `${scheduler}/podgangs/${replicaName(index)}`;
    await Promise.all([
      client.send(index, 'DELETE', `${core}/pods/${old}`),
      client.send(index, 'PATCH', gang, objects.newReferences(index, listed)),
    ]);
    await client.send(index, 'POST', `${core}/pods`, objects.newPod(index, name, pod, this.#uid));
    await client.podsReady([name]);
  }

  #tell(changes: object): Promise<void> {
    const { objects, index } = this.#replica;
    return this.#write('PUT', '/status', objects.podCliqueStatus(index, this.#version, changes));
  }

  async #write(method: 'PUT' | 'PATCH', subresource: string, body: unknown): Promise<void> {
    const { client, index } = this.#replica;
    const path = `${grove}/podcliques/${cliqueName(index)}${subresource}`;
    this.#version = (await client.send(index, method, path, body)).version;
  }
}
