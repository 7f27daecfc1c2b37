// The gates of scaled gangs on the real control plane: nothing polls, so they open within a second
// of the last pod of the base gang being scheduled (spec controllers 3.4, 10.2 gap 4).
import { expect, test } from 'vitest';
import { at, isObject, list, text } from '#machines/kubernetes/json.ts';
import { eventually } from '#test/support/eventually.ts';
import { atMost } from '#test/support/optional.mjs';
import { describeReal } from './stage.ts';

const nodeLabel = 'e2e.coppice.dev/base';

const clique = (name: string, replicas: number): object => ({
  name,
  spec: {
    roleName: name,
    replicas,
    minAvailable: 1,
    podSpec: {
      tolerations: [{ operator: 'Exists' }],
      nodeSelector: { [nodeLabel]: 'yes' },
      containers: [{ name: 'main', image: 'registry.example/none:1' }],
    },
  },
});

/** A base gang of 6 pods, and nine scaled gangs of 4 pods each. */
const grouped = {
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name: 'gates' },
  spec: {
    replicas: 1,
    template: {
      cliques: [clique('a', 2), clique('b', 1), clique('c', 3)],
      podCliqueScalingGroups: [
        { name: 'x', cliqueNames: ['b', 'c'], replicas: 10, minAvailable: 1 },
      ],
    },
  },
};

const base = new Set(['gates-0-a', 'gates-0-x-0-b', 'gates-0-x-0-c']);
const cliqueOf = (pod: unknown): string =>
  text(at(pod, 'metadata', 'labels', 'grove.io/podclique'));
const isGated = (pod: unknown): boolean => list(at(pod, 'spec', 'schedulingGates')).length > 0;
const isScheduled = (pod: unknown): boolean =>
  list(at(pod, 'status', 'conditions')).some(
    (one) => at(one, 'type') === 'PodScheduled' && at(one, 'status') === 'True',
  );

describeReal('The gates of scaled gangs on the real control plane', (stageNow) => {
  test('open within a second of the base gang being scheduled', async () => {
    const stage = stageNow();
    const here = await stage.namespace('e2e-gates');
    await stage.controller();
    await stage.kube.create(here, 'podcliquesets', grouped);
    const pods = await eventually(
      'all pods',
      () => stage.kube.list(here, 'pods'),
      (found) => found.length === 42,
    );
    expect(pods.filter((pod) => isGated(pod) === base.has(cliqueOf(pod)))).toEqual([]);
    const gated = new Set(pods.filter(isGated).map(({ metadata }) => metadata.name));
    const unscheduled = new Set(
      pods.filter((pod) => base.has(cliqueOf(pod))).map(({ metadata }) => metadata.name),
    );
    const heard = { scheduled: 0, opened: 0 };
    const close = stage.transport.watch(`/api/v1/namespaces/${here}/pods?watch=true`, {
      event: ({ object }) => {
        if (!isObject(object)) return;
        const name = text(at(object, 'metadata', 'name'));
        const now = performance.now();
        if (isScheduled(object) && unscheduled.delete(name)) heard.scheduled = now;
        if (!isGated(object) && gated.delete(name)) heard.opened = now;
      },
      closed: () => {},
    });
    const nodes = list(
      at(await stage.kube.send({ method: 'GET', path: '/api/v1/nodes' }), 'items'),
    ).slice(0, 4);
    const label = async (value: string | null): Promise<void> => {
      for (const node of nodes) {
        await stage.kube.send({
          method: 'PATCH',
          path: `/api/v1/nodes/${text(at(node, 'metadata', 'name'))}`,
          contentType: 'application/merge-patch+json',
          body: { metadata: { labels: { [nodeLabel]: value } } },
        });
      }
    };
    await label('yes');
    await eventually(
      'all gates open',
      () => Promise.resolve(gated.size),
      (left) => left === 0,
    );
    close();
    await label(null);
    const ms = Math.round(heard.opened - heard.scheduled);
    stage.say(`36 gates were open ${ms} ms after the last of 6 base pods was scheduled`);
    expect(unscheduled.size).toBe(0);
    expect(ms).toBeLessThanOrEqual(atMost(1_000));
  });
});
