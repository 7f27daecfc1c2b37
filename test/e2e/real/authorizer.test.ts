// The authorizer on a real control plane with RBAC, whose controllers go by their own names: with
// nobody trusted but those of the default, strangers are refused every verb and Kubernetes' own
// controllers do all that a set needs of them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { configurationPath } from '#src/admission/registration.ts';
import { enabledWebhooks } from '#src/admission/webhooks.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import {
  guarded,
  inNamespace,
  trySubresource,
  tryVerbs,
  unguarded,
} from '#test/admission/guarded.ts';
import { eventually } from '#test/support/eventually.ts';
import type { Program } from '#test/support/program.ts';
import { describeReal, type Stage } from './stage.ts';

const settings: JsonObject = {
  admission: { enabled: true, bindAddress: '127.0.0.1', port: 0, registration: 'url' },
  authorizer: { enabled: true },
};

const container = { name: 'main', image: 'registry.example/none:1' };
const podSpec = {
  tolerations: [
    { key: 'node_role.e2e.grove.nvidia.com', operator: 'Exists', effect: 'NoSchedule' },
  ],
  containers: [container],
};
const clique = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  spec: { roleName: name, replicas: 1, podSpec, ...more },
});

/** One object of every kind that is guarded. */
const set = {
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name: 'g' },
  spec: {
    replicas: 1,
    template: {
      cliqueStartupType: 'CliqueStartupTypeInOrder',
      cliques: [
        clique('a', { autoScalingConfig: { minReplicas: 1, maxReplicas: 3 } }),
        clique('b'),
      ],
      podCliqueScalingGroups: [{ name: 'x', cliqueNames: ['b'] }],
    },
  },
};

describeReal('The authorizer on the real control plane', (stageNow) => {
  let stage: Stage;
  let controller: Program;
  let here: string;

  beforeAll(async () => {
    stage = stageNow();
    here = await stage.namespace('e2e-authorizer');
    controller = await stage.controller({ settings });
    await controller.line(/serves the admission webhooks/);
    await deploy(here);
  });
  afterAll(async () => {
    for (const webhook of enabledWebhooks(true)) {
      await stage.transport.request({ method: 'DELETE', path: configurationPath(webhook) });
    }
  });

  const send = (request: KubeRequest) => stage.transport.request(request);

  /** Until the pods run, which those of the second clique do for a token alone. */
  async function deploy(namespace: string): Promise<void> {
    await stage.kube.create(namespace, 'podcliquesets', set);
    await eventually(
      'a token in the Secret',
      () => stage.kube.get(namespace, 'secrets', 'g-ic-sat'),
      (secret) => at(secret, 'data', 'token') !== undefined,
      60_000,
    );
    await eventually(
      'two pods',
      () => stage.kube.list(namespace, 'pods'),
      (pods) => pods.length === 2 && pods.every((pod) => at(pod.spec, 'nodeName') !== undefined),
      60_000,
    );
  }

  const first = async (collection: string): Promise<JsonObject> => {
    const query = '?labelSelector=app.kubernetes.io%2Fpart-of%3Dg';
    const path = inNamespace(collection, here) + query;
    const { apiVersion, kind, items } = (await stage.kube.send({
      method: 'GET',
      path,
    })) as JsonObject;
    const [object] = list(items);
    const type = { apiVersion: apiVersion ?? '', kind: String(kind).replace(/List$/, '') };
    return { ...type, ...(object as JsonObject) };
  };

  test.each(Object.entries(guarded))(
    'refuses strangers of %s what it guards',
    async (of, verbs) => {
      const object = await first(of);
      const tried = await tryVerbs(send, inNamespace(of, here), object);
      expect(tried).toEqual({ refused: verbs, failed: [] });
    },
  );

  test.each(Object.entries(unguarded))('leaves subresources of %s alone', async (of, names) => {
    const { metadata } = await first(of);
    const path = `${inNamespace(of, here)}/${String(at(metadata, 'name'))}`;
    for (const name of names) expect(await trySubresource(send, path, name)).toBe(200);
  });

  test('lets a PodClique be scaled, as an autoscaler does', async () => {
    await stage.kube.scale(here, 'podcliques', 'g-0-a', 3);
    await eventually(
      'four pods',
      () => stage.kube.list(here, 'pods'),
      (pods) => pods.length === 4,
      60_000,
    );
  });

  test('lets the garbage collector work in the foreground', async () => {
    await stage.kube.delete(here, 'podcliquesets', 'g', 'Foreground');
    await stage.empty(here, 60_000);
  });

  test('lets a namespace go with its sets', async () => {
    const metadata = { name: 'e2e-authorizer-gone' };
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata };
    await stage.kube.send({ method: 'POST', path: '/api/v1/namespaces', body });
    await deploy(metadata.name);
    const path = `/api/v1/namespaces/${metadata.name}`;
    await stage.kube.send({ method: 'DELETE', path });
    await eventually(
      'no namespace',
      () => send({ method: 'GET', path }),
      ({ status }) => status === 404,
      120_000,
    );
  });
});
