// The authorizer on the embedded cluster: every verb that it guards is refused to a stranger on
// every kind, and to nobody whom it trusts by default.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { localAdmission } from '#src/dev/admission.ts';
import { installCrds } from '#src/dev/crds.ts';
import { type Cluster, createCluster } from '#src/devcluster/cluster.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { startGroveAdmission } from '#test/support/admission.ts';
import { baseSet } from './examples.ts';
import { guarded, inNamespace, trySubresource, tryVerbs, unguarded } from './guarded.ts';

const as = (name: string) => ({ name, groups: ['system:masters'] });
const operator = as('system:serviceaccount:default:grove-operator');
const alice = as('alice');
const { exemptServiceAccountUserNames } = defaultConfiguration.authorizer;

const podSpec = { containers: [{ name: 'main', image: 'none' }] };
const clique = { roleName: 'r', replicas: 1, minAvailable: 1, podSpec };
const rbac = 'rbac.authorization.k8s.io';
const target = { apiVersion: 'grove.io/v1alpha1', kind: 'PodClique', name: 'x' };
const typed = (apiVersion: string, kind: string, rest: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind,
  metadata: {
    name: 'base-0',
    namespace: 'default',
    labels: {
      'app.kubernetes.io/managed-by': 'grove-operator',
      'app.kubernetes.io/part-of': 'base',
    },
  },
  ...rest,
});
/** All but the first version of autoscalers, which the embedded cluster does not serve. */
const objects: Readonly<Record<string, JsonObject>> = {
  '/api/v1/secrets': typed('v1', 'Secret'),
  '/api/v1/serviceaccounts': typed('v1', 'ServiceAccount'),
  '/api/v1/services': typed('v1', 'Service', { spec: { clusterIP: 'None' } }),
  '/api/v1/pods': typed('v1', 'Pod', { spec: podSpec }),
  [`/apis/${rbac}/v1/roles`]: typed(`${rbac}/v1`, 'Role', { rules: [] }),
  [`/apis/${rbac}/v1/rolebindings`]: typed(`${rbac}/v1`, 'RoleBinding', {
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'base-0' },
  }),
  '/apis/autoscaling/v2/horizontalpodautoscalers': typed(
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    { spec: { maxReplicas: 2, scaleTargetRef: target } },
  ),
  '/apis/grove.io/v1alpha1/podcliques': typed('grove.io/v1alpha1', 'PodClique', { spec: clique }),
  '/apis/grove.io/v1alpha1/podcliquescalinggroups': typed(
    'grove.io/v1alpha1',
    'PodCliqueScalingGroup',
    { spec: { replicas: 1, minAvailable: 1, cliqueNames: ['a'] } },
  ),
  '/apis/scheduler.grove.io/v1alpha1/podgangs': typed('scheduler.grove.io/v1alpha1', 'PodGang', {
    spec: { podgroups: [] },
  }),
};

describe('The authorizer', () => {
  let cluster: Cluster;
  let end: () => Promise<void>;
  const send = (user: typeof alice) => (request: KubeRequest) =>
    cluster.transport(user).request(request);

  beforeAll(async () => {
    cluster = createCluster({ clock: systemClock, random: systemRandom, controllers: false });
    await cluster.start();
    await installCrds(cluster.transport());
    const admission = startGroveAdmission({
      configuration: {
        ...defaultConfiguration,
        admission: localAdmission(defaultConfiguration),
        authorizer: { enabled: true, exemptServiceAccountUserNames },
      },
      transport: cluster.transport(operator),
      namespace: 'default',
      clock: systemClock,
      log: () => {},
    });
    end = async () => {
      await admission.stop();
      await cluster.stop();
    };
    await admission.started;
    const sets = '/apis/grove.io/v1alpha1/podcliquesets';
    for (const [collection, body] of [[sets, baseSet] as const, ...Object.entries(objects)]) {
      const path = inNamespace(collection, 'default');
      const { status, body: said } = await send(operator)({ method: 'POST', path, body });
      if (status !== 201) throw new Error(JSON.stringify(said));
    }
  });
  afterAll(() => end());

  const read = async (collection: string): Promise<JsonObject> => {
    const path = `${inNamespace(collection, 'default')}/base-0`;
    return (await send(operator)({ method: 'GET', path })).body as JsonObject;
  };

  it.each(Object.keys(objects))('guards %s', async (collection) => {
    const object = await read(collection);
    const path = inNamespace(collection, 'default');
    expect(await tryVerbs(send(alice), path, object)).toEqual({
      refused: guarded[collection],
      failed: [],
    });
    for (const user of [operator, ...exemptServiceAccountUserNames.map(as)]) {
      expect(await tryVerbs(send(user), path, object)).toEqual({ refused: [], failed: [] });
    }
  });

  it.each(Object.entries(unguarded))('is not asked of subresources of %s', async (of, names) => {
    const path = `${inNamespace(of, 'default')}/base-0`;
    for (const name of names) expect(await trySubresource(send(alice), path, name)).toBe(200);
  });
});
