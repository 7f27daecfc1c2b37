// The gang scenarios of spec controllers 10.3 on the real control plane: pods that name
// kai-scheduler are placed by the second profile of kube-scheduler. That one knows no PodGangs, so
// where pods must be placed together a Workload of Kubernetes itself says so.
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { hasGangScheduling } from '#test/cluster/recipe.ts';
import { eventually } from '#test/support/eventually.ts';
import { installBackends } from './backend-crds.ts';
import type { KubeObject } from './kube.ts';
import { describeReal, type Stage } from './stage.ts';

const kai = 'kai-scheduler';
const nodeLabel = 'e2e.coppice.dev/room';

interface CliqueOptions {
  readonly name: string;
  readonly replicas: number;
  readonly minAvailable: number;
  /** A node of 64 CPUs has room for 64 / cpus pods. */
  readonly cpus: number;
  readonly room: string;
  readonly more?: JsonObject;
}

const clique = ({ name, replicas, minAvailable, cpus, room, more }: CliqueOptions): JsonObject => ({
  name,
  spec: {
    roleName: name,
    replicas,
    minAvailable,
    podSpec: {
      schedulerName: kai,
      tolerations: [{ operator: 'Exists' }],
      nodeSelector: { [nodeLabel]: room },
      containers: [
        {
          name: 'main',
          image: 'registry.example/none:1',
          resources: { requests: { cpu: String(cpus) } },
        },
      ],
      ...more,
    },
  },
});

/** a (2 pods), and group x of b (1) and c (3) twice: 10 pods. */
const set = (name: string, least: number, cliques: JsonObject[]): JsonObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name, annotations: { 'kai.scheduler/queue': 'q' } },
  spec: {
    replicas: 1,
    template: {
      cliques,
      podCliqueScalingGroups: [
        { name: 'x', cliqueNames: ['b', 'c'], replicas: 2, minAvailable: least },
      ],
    },
  },
});

const cliqueOf = (pod: KubeObject): string => pod.metadata.labels?.['grove.io/podclique'] ?? '';
const isGated = (pod: unknown): boolean => list(at(pod, 'spec', 'schedulingGates')).length > 0;

/** How many pods of each PodClique have a node. */
function placed(pods: readonly KubeObject[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const pod of pods.filter(({ spec }) => spec?.nodeName !== undefined)) {
    counts[cliqueOf(pod)] = (counts[cliqueOf(pod)] ?? 0) + 1;
  }
  return counts;
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, one) => all + one, 0);

describeReal('The gang scenarios on the real control plane', (stageNow) => {
  let stage: Stage;
  const undo: (() => Promise<unknown>)[] = [];
  let nodes: readonly string[] = [];

  beforeAll(async () => {
    stage = stageNow();
    // Other tests take some away.
    const all = await stage.kube.send({ method: 'GET', path: '/api/v1/nodes' });
    nodes = list(at(all, 'items')).map((node) => text(at(node, 'metadata', 'name')));
    undo.push(await installBackends(stage.kube));
    await stage.controller({ settings: { scheduler: { profiles: [{ name: kai }] } } });
  });
  afterAll(async () => {
    const ends = await Promise.allSettled(undo.toReversed().map((step) => step()));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  });

  /** Gives the node with this number, of those that there are, to those who ask for such a room. */
  async function open(node: number, room: string): Promise<void> {
    const label = (value: string | null): Promise<unknown> =>
      stage.kube.send({
        method: 'PATCH',
        path: `/api/v1/nodes/${nodes[node]}`,
        contentType: 'application/merge-patch+json',
        body: { metadata: { labels: { [nodeLabel]: value } } },
      });
    undo.push(() => label(null));
    await label(room);
  }

  const pods = (here: string) => (): Promise<readonly KubeObject[]> =>
    stage.kube.list(here, 'pods');
  const until = (here: string, what: string, isSo: (seen: readonly KubeObject[]) => boolean) =>
    eventually(what, pods(here), isSo, 120_000);
  const gangs = async (here: string): Promise<readonly string[]> =>
    (await stage.kube.list(here, 'podgangs')).map(({ metadata }) => metadata.name).toSorted();

  /** Events of its scheduler say who placed a pod. */
  async function schedulers(here: string): Promise<readonly string[]> {
    const events = await stage.kube.list(here, 'events');
    const scheduled = events.filter(({ reason }) => reason === 'Scheduled');
    return [...new Set(scheduled.map((event) => text(event['reportingComponent'])))];
  }

  const isWithoutGangs = !hasGangScheduling();
  test.skipIf(isWithoutGangs)(
    `W1, one node short, is pending as a whole (10.3 scenario 1)`,
    async () => {
      const here = await stage.namespace('e2e-gangs-w1');
      await stage.kube.send({
        method: 'POST',
        path: `/apis/scheduling.k8s.io/v1alpha1/namespaces/${here}/workloads`,
        body: {
          apiVersion: 'scheduling.k8s.io/v1alpha1',
          kind: 'Workload',
          metadata: { name: 'w1' },
          spec: { podGroups: [{ name: 'all', policy: { gang: { minCount: 10 } } }] },
        },
      });
      const more = { workloadRef: { name: 'w1', podGroup: 'all' } };
      const of = { cpus: 7, room: 'w1', more };
      await open(0, 'w1');
      const cliques = [
        clique({ name: 'a', replicas: 2, minAvailable: 2, ...of }),
        clique({ name: 'b', replicas: 1, minAvailable: 1, ...of }),
        clique({ name: 'c', replicas: 3, minAvailable: 3, ...of }),
      ];
      await stage.kube.create(here, 'podcliquesets', set('w', 2, cliques));
      await until(
        here,
        'ten pods, one told that it finds no room',
        (seen) => seen.length === 10 && seen.some(isUnschedulable),
      );
      await stage.idle(2_000); // in which a scheduler without gangs would have placed nine
      const waiting = await pods(here)();
      expect(await gangs(here)).toEqual(['w-0']);
      expect(waiting.filter(isGated)).toEqual([]);
      expect(placed(waiting)).toEqual({});
      await open(1, 'w1');
      await until(here, 'all placed', (seen) => sum(placed(seen)) === 10);
      expect(await schedulers(here)).toEqual([kai]);
    },
  );

  test('W2, room for three, has its minimum placed first (10.3 scenario 2)', async () => {
    const here = await stage.namespace('e2e-gangs-w2');
    // One pod of a clique to a node: the room is for one of each.
    const one = { minAvailable: 1, cpus: 40 };
    const cliques = [
      clique({ name: 'a', replicas: 2, room: 'w2-a', ...one }),
      clique({ name: 'b', replicas: 1, room: 'w2-b', ...one }),
      clique({ name: 'c', replicas: 3, room: 'w2-c', ...one }),
    ];
    await stage.kube.create(here, 'podcliquesets', set('w', 1, cliques));
    const scaled = ['w-0-x-1-b', 'w-0-x-1-c', 'w-0-x-1-c', 'w-0-x-1-c'];
    const gated = (seen: readonly KubeObject[]): readonly string[] =>
      seen.filter(isGated).map(cliqueOf).toSorted();
    // The base gang's pods lose their gates when their PodGang lists them, a moment after the last.
    const isBaseFree = (seen: readonly KubeObject[]): boolean =>
      seen.length === 10 && isDeepStrictEqual(gated(seen), scaled);
    await until(here, 'ten pods, the scaled gang held', isBaseFree);
    await open(2, 'w2-a');
    await open(3, 'w2-b');
    expect(gated(await pods(here)())).toEqual(scaled);
    await open(4, 'w2-c');
    const three = await until(here, 'the gates open', (seen) => gated(seen).length === 0);
    expect(await gangs(here)).toEqual(['w-0', 'w-0-x-0']);
    expect(placed(three)).toEqual({ 'w-0-a': 1, 'w-0-x-0-b': 1, 'w-0-x-0-c': 1 });
    await open(5, 'w2-b');
    await until(here, 'one more', (seen) => placed(seen)['w-0-x-1-b'] === 1);
    for (const node of [6, 7, 8]) await open(node, 'w2-c');
    // Two more of c are the base gang's, so one of three is the scaled gang's.
    await until(here, 'its minimum', (seen) => (placed(seen)['w-0-x-1-c'] ?? 0) >= 1);
    expect(await schedulers(here)).toEqual([kai]);
  });

  test('W2, scaled to three, waits for the base gang (10.3 scenario 3)', async () => {
    const here = await stage.namespace('e2e-gangs-w3');
    const of = { minAvailable: 1, cpus: 1, room: 'w3' };
    const cliques = [
      clique({ name: 'a', replicas: 2, ...of }),
      clique({ name: 'b', replicas: 1, ...of }),
      clique({ name: 'c', replicas: 3, ...of }),
    ];
    await stage.kube.create(here, 'podcliquesets', set('w', 1, cliques));
    await until(here, 'ten pods', (seen) => seen.length === 10);
    await stage.kube.scale(here, 'podcliquescalinggroups', 'w-0-x', 3);
    const isOneFree = (seen: readonly KubeObject[]): boolean =>
      seen.length === 14 && seen.filter(isGated).length === 8;
    const waiting = await until(here, 'fourteen pods, two gangs held', isOneFree);
    expect(await gangs(here)).toEqual(['w-0', 'w-0-x-0', 'w-0-x-1']);
    const more = waiting.filter((pod) => cliqueOf(pod).startsWith('w-0-x-2-'));
    expect(more).toHaveLength(4);
    expect(more.filter((pod) => !isGated(pod))).toEqual([]);
    await open(9, 'w3');
    const seen = await until(here, 'all placed', (all) => sum(placed(all)) === 14);
    expect(seen.filter(isGated)).toEqual([]);
    expect(await schedulers(here)).toEqual([kai]);
  });
});

const isUnschedulable = (pod: KubeObject): boolean =>
  list(at(pod, 'status', 'conditions')).some(
    (condition) => at(condition, 'reason') === 'Unschedulable',
  );
