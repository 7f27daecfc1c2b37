// A PodCliqueSet that shares ResourceClaims at all three levels in both scopes, with filters and
// templates of its own and of the cluster. Used by the tests of the machines and of whole clusters.
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { cliqueTemplate } from './samples.ts';

/** The spec of a claim to one device of a class. */
export const claimSpec = (deviceClassName: string): JsonObject => ({
  devices: { requests: [{ name: 'device', exactly: { deviceClassName } }] },
});

const own = (name: string): JsonObject => ({
  name,
  // What stands in the metadata of a template is not copied to claims.
  templateSpec: { metadata: { labels: { from: name } }, spec: claimSpec(`${name}.example.com`) },
});

/** A template of the cluster. */
export const claimTemplate = (namespace: string, name: string): KubeObject => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaimTemplate',
  metadata: { namespace, name },
  spec: { metadata: { labels: { from: name } }, spec: claimSpec(`${name}.example.com`) },
});

/** Those that `sharingSet` refers to. `card` is shadowed by the set's own. */
export const outsideTemplates = (namespace = 'demo'): readonly KubeObject[] => [
  claimTemplate(namespace, 'link'),
  claimTemplate(namespace, 'card'),
  claimTemplate('shared', 'disk'),
];

/** The list of the set: one for all, one for the members of the group alone. */
export const setShares: JsonObject[] = [
  { name: 'card', scope: 'AllReplicas' },
  {
    name: 'link',
    scope: 'PerReplica',
    filter: { childCliqueNames: [], childScalingGroupNames: ['engine'] },
  },
];

/** Of the group `engine`. */
export const groupShares: JsonObject[] = [
  { name: 'card', scope: 'PerReplica', filter: { childCliqueNames: ['leader'] } },
  { name: 'cache', scope: 'AllReplicas' },
];

/** Of the clique `worker`. */
export const cliqueShares: JsonObject[] = [
  { name: 'card', scope: 'PerReplica' },
  { name: 'disk', namespace: 'shared', scope: 'AllReplicas' },
];

const container = (name: string): JsonObject => ({ name, image: 'busybox:1' });

/** PodCliqueSet `demo/demo`: clique `worker`, and group `engine` of `leader` and `hand`. */
export const sharingSet = (replicas = 1): KubeObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name: 'demo', namespace: 'demo' },
  spec: {
    replicas,
    template: {
      resourceClaimTemplates: [own('card'), own('cache')],
      resourceSharing: setShares,
      cliques: [
        {
          ...cliqueTemplate({
            name: 'worker',
            replicas: 2,
            minAvailable: 1,
            podSpec: {
              containers: [container('main'), container('side')],
              initContainers: [container('first')],
            },
          }),
          resourceSharing: cliqueShares,
        },
        cliqueTemplate({ name: 'leader', replicas: 1 }),
        cliqueTemplate({ name: 'hand', replicas: 1, startsAfter: ['leader'] }),
      ],
      cliqueStartupType: 'CliqueStartupTypeExplicit',
      podCliqueScalingGroups: [
        {
          name: 'engine',
          cliqueNames: ['leader', 'hand'],
          replicas: 2,
          minAvailable: 1,
          resourceSharing: groupShares,
        },
      ],
    },
  },
});
