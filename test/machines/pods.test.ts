// What a pod is given besides its template, as a whole: environment, claims and start-up container
// together (spec api 5.5 and 5.6), for a member of a scaling group that uses everything.
import { describe, expect, it } from 'vitest';
import { at, list, object } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { cliqueSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';

const gpus = { limits: { 'nvidia.com/gpu': 8 }, claims: [{ name: 'own' }] };
const podSpec: JsonObject = {
  resourceClaims: [{ name: 'own', resourceClaimName: 'mine' }],
  serviceAccountName: 'mine',
  priorityClassName: 'high',
  schedulingGates: [{ name: 'theirs' }],
  initContainers: [{ name: 'fetch', image: 'x' }],
  containers: [
    {
      name: 'main',
      image: 'x',
      resources: gpus,
      env: [
        { name: 'AT', value: '$(GROVE_PCLQ_NAME):80' },
        { name: 'GROVE_PCSG_INDEX', value: '7' },
        { name: 'GROVE_PCS_NAME', value: 'x' },
      ],
    },
    { name: 'log', image: 'x' },
  ],
};

const world = new World();
const given = cliqueSet(
  1,
  [
    { name: 'leader', replicas: 1 },
    { name: 'hand', replicas: 1, podSpec },
  ],
  {
    cliqueStartupType: 'CliqueStartupTypeInOrder',
    podCliqueScalingGroups: [
      { name: 'engine', cliqueNames: ['leader', 'hand'], replicas: 2, minAvailable: 1 },
    ],
    resourceClaimTemplates: [{ name: 'card', templateSpec: { spec: { devices: {} } } }],
    resourceSharing: [{ name: 'card', scope: 'AllReplicas' }],
  },
);
world.create({
  ...given,
  metadata: { ...given.metadata, annotations: { 'grove.io/mnnvl-group': 'rack' } },
});
world.converge();
const pod = world.all('Pod').find(({ metadata }) => metadata.name.includes('engine-1-hand'));
const spec = object(pod?.['spec']);
const [main, log] = list(spec['containers']);
const [fetch, start] = list(spec['initContainers']);

const fromLabel = (key: string) => ({ fieldRef: { fieldPath: `metadata.labels['${key}']` } });
const environment = [
  { name: 'GROVE_PCS_NAME', value: 'demo' },
  { name: 'GROVE_PCS_INDEX', value: '0' },
  { name: 'GROVE_PCLQ_NAME', value: 'demo-0-engine-1-hand' },
  { name: 'GROVE_HEADLESS_SERVICE', value: 'demo-0.demo.svc.cluster.local' },
  { name: 'GROVE_PCLQ_POD_INDEX', valueFrom: fromLabel('grove.io/podclique-pod-index') },
  { name: 'GROVE_PCSG_NAME', valueFrom: fromLabel('grove.io/podcliquescalinggroup') },
  { name: 'GROVE_PCSG_TEMPLATE_NUM_PODS', value: '2' },
  {
    name: 'GROVE_PCSG_INDEX',
    valueFrom: fromLabel('grove.io/podcliquescalinggroup-replica-index'),
  },
];

describe('a pod of a scaled gang', () => {
  it('has our eight variables in order in each of its containers, then the user’s that are left', () => {
    expect(at(main, 'env')).toEqual([
      ...environment,
      { name: 'AT', value: '$(GROVE_PCLQ_NAME):80' },
    ]);
    expect(at(log, 'env')).toEqual(environment);
    expect(at(fetch, 'env')).toEqual(environment);
  });

  it('has the claims of the template, the channel, and the shared ones, in this order', () => {
    expect(spec['resourceClaims']).toEqual([
      { name: 'own', resourceClaimName: 'mine' },
      { name: 'mnnvl-claim', resourceClaimTemplateName: 'demo-0-rack' },
      { name: 'demo-all-card', resourceClaimName: 'demo-all-card' },
    ]);
    expect(at(main, 'resources')).toEqual({
      ...gpus,
      claims: [{ name: 'own' }, { name: 'mnnvl-claim' }, { name: 'demo-all-card' }],
    });
    expect(at(log, 'resources')).toEqual({ claims: [{ name: 'demo-all-card' }] });
    expect(at(fetch, 'resources')).toEqual({ claims: [{ name: 'demo-all-card' }] });
  });

  it('waits in a last init container that has nothing but what the wait needs', () => {
    expect(list(spec['initContainers'])).toHaveLength(2);
    expect(start).toEqual({
      name: 'grove-initc',
      image: 'grove-initc:test',
      args: ['--podcliques=demo-0-engine-1-leader:1'],
      volumeMounts: [
        { name: 'pod-info-vol', mountPath: '/var/grove/pod-info', readOnly: true },
        {
          name: 'sa-token-secret-vol',
          mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
          readOnly: true,
        },
      ],
    });
    expect(spec['volumes']).toEqual([
      { name: 'sa-token-secret-vol', secret: { secretName: 'demo-ic-sat', defaultMode: 420 } },
      {
        name: 'pod-info-vol',
        downwardAPI: {
          items: [
            { path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } },
            { path: 'podgangname', ...fromLabel('grove.io/podgang') },
          ],
        },
      },
    ]);
  });

  it('keeps what is the user’s, but for gates, and has host name, subdomain and scheduler', () => {
    expect(spec).toMatchObject({
      serviceAccountName: 'mine',
      priorityClassName: 'high',
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      schedulerName: 'default-scheduler',
      hostname: 'demo-0-engine-1-hand-0',
      subdomain: 'demo-0',
    });
    expect(spec['schedulingGates'] ?? []).toEqual([]);
  });
});
