// Drives an event along its road: the embedded cluster, NATS and a controller as processes of their
// own, a set that is up and quiet, and then the one event. main.ts prints what the recorder saw.
import { at, list, text } from '#machines/kubernetes/json.ts';
import { eventually } from '#test/support/eventually.ts';
import { Place } from '#test/support/place.ts';
import type { Program } from '#test/support/program.ts';
import { createNamespace, createSet, get, must, patchSet, setsIn } from '#test/support/workload.ts';
import type { Order, Recorded, Stretch } from './recorder.ts';

const namespace = 'road';
const name = 'set';
const set = `${setsIn(namespace)}/${name}`;
const pods = `/api/v1/namespaces/${namespace}/pods`;
const notReady = 'dev.coppice/ready';

/** Without a request of the controller for so long, nothing is under way. */
const quietMs = 1500;

export interface Road extends Recorded {
  readonly road: string;
}

/** Each once, in the order of the stations. */
export const filesOf = (stretches: readonly Stretch[]): readonly string[] => [
  ...new Set(stretches.flatMap(({ stations }) => stations.flat())),
];

export async function drive(say: (line: string) => void): Promise<readonly Road[]> {
  const place = new Place();
  try {
    say('starts a cluster and a controller');
    await place.start({ nodes: 3 });
    await createNamespace(place.client, namespace);
    const preload = new URL('recorder.ts', import.meta.url).href;
    const { program } = await place.controller({}, { preload });
    await program.line(/controller synced/);
    await createSet(place.client, namespace, { name, replicas: 3 });
    await available(place, 3);
    return [await podReady(place, program), await threeToFive(place, program)];
  } finally {
    await place.end();
  }
}

async function podReady(place: Place, controller: Program): Promise<Road> {
  const pod = text(at(list(at(await get(place.client, pods), 'items'))[0], 'metadata', 'name'));
  const clique = pod.slice(0, pod.lastIndexOf('-'));
  const annotate = (value: string | null): Promise<unknown> =>
    must(place.client, {
      method: 'PATCH',
      path: `${pods}/${pod}`,
      contentType: 'application/merge-patch+json',
      body: { metadata: { annotations: { [notReady]: value } } },
    });
  await annotate('false');
  await available(place, 2);
  const isReady = '"type":"Ready"[^}]*"status":"True"|"status":"True"[^}]*"type":"Ready"';
  const recorded = await record(controller, () => annotate(null), {
    line: `"MODIFIED".*"name":"${pod}".*(?:${isReady})`,
    requests: [
      {
        until: 'the PUT of the PodClique status',
        method: 'PUT',
        path: `/apis/grove.io/v1alpha1/namespaces/${namespace}/podcliques/${clique}/status`,
        count: 1,
      },
      {
        until: 'the PUT of the PodCliqueSet status',
        method: 'PUT',
        path: `${set}/status`,
        count: 1,
        body: '"availableReplicas":3',
      },
    ],
  });
  await available(place, 3);
  return { road: 'pod Ready to PodClique status to PodCliqueSet status', ...recorded };
}

async function threeToFive(place: Place, controller: Program): Promise<Road> {
  const scale = (): Promise<unknown> =>
    patchSet(place.client, namespace, name, { spec: { replicas: 5 } });
  const recorded = await record(controller, scale, {
    line: `"kind":"PodCliqueSet".*"spec":\\{.*"replicas":5`,
    requests: [
      { until: 'the POST of the last new pod', method: 'POST', path: pods, count: 4 },
      {
        until: 'the PUT of the PodCliqueSet status with 5 available',
        method: 'PUT',
        path: `${set}/status`,
        count: 1,
        body: '"availableReplicas":5',
      },
    ],
  });
  return { road: '3 to 5 replicas', ...recorded };
}

async function record(
  controller: Program,
  act: () => Promise<unknown>,
  order: Order,
): Promise<Recorded> {
  await controller.ask(order);
  const result = controller.ask({ ask: 'result' });
  await act();
  return (await result) as Recorded;
}

/** Until so many replicas are available and the controller has nothing left to do. */
async function available(place: Place, replicas: number): Promise<void> {
  await eventually(
    `${replicas} replicas available`,
    () => get(place.client, set),
    (one) => at(one, 'status', 'availableReplicas') === replicas,
  );
  for (let before = ''; ;) {
    const now = JSON.stringify(await place.requests());
    if (now === before) return;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, quietMs));
  }
}
