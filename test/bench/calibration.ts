// What the server can do at all, on this machine and in this run: POST of pods and PUT of statuses
// a second at several numbers of requests in flight, on a cluster and in a namespace of their own.
// With gates on the pods neither the scheduler nor a kubelet has a part in it.
import { object } from '#machines/kubernetes/json.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { must } from '#test/support/workload.ts';
import type { Measure } from './harness.ts';
import { machineMs } from './observer/claims.ts';
import type { Result } from './statistics.ts';
import { namespace, podSpec } from './workload.ts';
import type { World } from './world.ts';

export const levels = [1, 10, 50] as const;

export interface CalibrationOptions {
  /** Per kind and level. */
  readonly requests: number;
  readonly say: (line: string) => void;
}

const pods = `/api/v1/namespaces/${namespace}/pods`;
const cliques = `/apis/grove.io/v1alpha1/namespaces/${namespace}/podcliques`;

/** `post_pod_10_per_s` and `put_status_10_per_s` for each level. */
export async function runCalibration(
  world: World,
  measure: Measure,
  { requests, say }: CalibrationOptions,
): Promise<Result> {
  const rates: Record<string, number> = {};
  const harness = measure();
  const rated = (name: string, act: () => Promise<number>): Promise<unknown> =>
    harness.phase(name, async () => {
      rates[`${name}_per_s`] = await act();
    });
  for (const level of levels) {
    const client = world.connect(level);
    await rated(`post_pod_${level}`, () => postPods(client, level, requests));
    await rated(`put_status_${level}`, () => putStatuses(client, level, requests));
    const [post, put] = [rates[`post_pod_${level}_per_s`], rates[`put_status_${level}_per_s`]];
    say(`${level} in flight: POST pod ${post}/s, PUT status ${put}/s`);
  }
  return rates;
}

const postPods = (client: KubeTransport, level: number, requests: number): Promise<number> =>
  rate(level, requests, (index) =>
    must(client, {
      method: 'POST',
      path: pods,
      body: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `calibration-${level}-${index}` },
        spec: { ...podSpec, schedulingGates: [{ name: 'bench.coppice.dev/never' }] },
      },
    }),
  );

/** Each worker writes an object of its own again and again, so there are no conflicts. */
async function putStatuses(
  client: KubeTransport,
  level: number,
  requests: number,
): Promise<number> {
  const objects = await Promise.all(
    Array.from({ length: level }, (_, worker) =>
      must(client, {
        method: 'POST',
        path: cliques,
        body: clique(`calibration-${level}-${worker}`),
      }),
    ),
  );
  return rate(level, requests, async (index, worker) => {
    const body = object(objects[worker]);
    const path = `${cliques}/calibration-${level}-${worker}/status`;
    const status = { observedGeneration: 1, replicas: 2, readyReplicas: index % 1000 };
    objects[worker] = await must(client, { method: 'PUT', path, body: { ...body, status } });
  });
}

const clique = (name: string): unknown => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodClique',
  metadata: { name },
  spec: { roleName: 'w', replicas: 2, minAvailable: 2, podSpec },
});

/** Requests a second with so many workers, each of which sends its next when it has an answer. The
 *  first of each worker opens its socket and does not count. */
async function rate(
  workers: number,
  requests: number,
  send: (index: number, worker: number) => Promise<unknown>,
): Promise<number> {
  let next = 0;
  const all = Array.from({ length: workers }, (_, worker) => worker);
  await Promise.all(all.map((worker) => send(next++, worker)));
  const end = next + requests;
  const begun = machineMs();
  await Promise.all(
    all.map(async (worker) => {
      while (next < end) await send(next++, worker);
    }),
  );
  return Math.round((requests / (machineMs() - begun)) * 1000);
}
