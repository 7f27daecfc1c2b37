// Nodes that are lost: their pods go, as the controller manager sees to it, and are replaced on the
// others.
import { expect, test } from 'vitest';
import { taint } from './cluster-wide.ts';
import type { KubeObject } from './kube.ts';
import { manifest, pairs } from './sets.ts';
import { describeReal, type Stage } from './stage.ts';

/** Pod garbage collection looks every 20 s and gives a lost node 40 s to come back. */
const podsOfLostNodeMs = 300_000;

const nodeOf = ({ spec }: KubeObject): string => spec?.nodeName ?? '';

describeReal('A node lost on the real control plane', (at) => {
  const wanted = pairs('lost', 10);

  async function deployed(stage: Stage, wantedNamespace: string) {
    const here = await stage.namespace(wantedNamespace);
    await stage.kube.create(here, 'podcliquesets', manifest(wanted));
    const { pods } = await stage.ready(here, wanted);
    const [first] = pods;
    if (first === undefined) throw new Error('there is no pod');
    const node = nodeOf(first);
    return { here, node, there: pods.filter((pod) => nodeOf(pod) === node) };
  }

  test('has its pods evicted by a taint and replaced elsewhere', async () => {
    const stage = at();
    await stage.controller();
    const { here, node, there } = await deployed(stage, 'e2e-node-taint');
    const broken = { key: 'example.com/broken', effect: 'NoExecute' };
    const untaint = await taint(stage.kube, node, broken);
    for (const pod of there) await stage.gone(here, 'pods', pod);
    const { pods } = await stage.ready(here, wanted);
    expect(pods.map(nodeOf)).not.toContain(node);
    await untaint();
  });

  test('and deleted has its pods collected and replaced elsewhere', async () => {
    const stage = at();
    const { here, node, there } = await deployed(stage, 'e2e-node-gone');
    const path = `/api/v1/nodes/${node}`;
    await stage.kube.send({ method: 'DELETE', path });
    for (const pod of there) await stage.gone(here, 'pods', pod, podsOfLostNodeMs);
    const { pods } = await stage.ready(here, wanted);
    expect(pods.map(nodeOf)).not.toContain(node);
  }, 600_000);
});
