// The rules of new pods: defaults, first status, validation.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { complaints, created, pod, specOf } from './support.ts';

const key = '/pods';
const gated = (): JsonObject => ({ schedulingGates: [{ name: 'a.io/one' }, { name: 'a.io/two' }] });

describe('a new pod', () => {
  test('a pod gets the defaults of the API server', () => {
    const spec = specOf(created(key, pod()));
    expect(spec).toMatchObject({
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      terminationGracePeriodSeconds: 30,
      schedulerName: 'default-scheduler',
      securityContext: {},
      enableServiceLinks: true,
      serviceAccountName: 'default',
      serviceAccount: 'default',
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
    });
    expect(spec['containers']).toEqual([
      {
        name: 'main',
        image: 'nginx',
        imagePullPolicy: 'Always',
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        resources: {},
      },
    ]);
    expect(spec['tolerations']).toEqual(
      ['not-ready', 'unreachable'].map((state) => ({
        effect: 'NoExecute',
        key: `node.kubernetes.io/${state}`,
        operator: 'Exists',
        tolerationSeconds: 300,
      })),
    );
  });

  test.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['nginx:1.27', 'IfNotPresent'],
    ['registry:5000/nginx', 'Always'],
    ['registry:5000/nginx:1', 'IfNotPresent'],
    ['nginx@sha256:00', 'IfNotPresent'],
  ])('an image %s is pulled %s', (image, policy) => {
    const spec = specOf(created(key, pod({ containers: [{ name: 'main', image }] })));
    expect(spec['containers']).toMatchObject([{ imagePullPolicy: policy }]);
  });

  test.each([
    [{}, 'BestEffort'],
    [{ requests: { cpu: '1' } }, 'Burstable'],
    [{ limits: { cpu: '1', memory: '1Gi' } }, 'Guaranteed'],
    [{ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } }, 'Burstable'],
    [{ limits: { 'nvidia.com/gpu': '1' } }, 'BestEffort'],
  ])('a container with resources %j makes a pod %s', (resources, qosClass) => {
    const made = created(key, pod({ containers: [{ name: 'a', image: 'b', resources }] }));
    expect(made['status']).toEqual({ phase: 'Pending', qosClass });
  });

  test('a gated pod says so in its condition', () => {
    expect(created(key, pod(gated()))['status']).toMatchObject({
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
    });
  });

  test('a status that the client sent is dropped', () => {
    const made = created(key, { ...pod(), status: { phase: 'Running' } });
    expect(made['status']).toMatchObject({ phase: 'Pending' });
  });

  test('a good pod has no complaints', () => {
    expect(complaints(key, pod())).toEqual([]);
  });
});

const container = { name: 'main', image: 'nginx' };
const wrong: [string, JsonObject, string][] = [
  ['no containers', { containers: [] }, 'spec.containers'],
  ['no image', { containers: [{ name: 'a' }] }, 'spec.containers[0].image'],
  ['no name', { containers: [{ image: 'a' }] }, 'spec.containers[0].name'],
  ['one name twice', { containers: [container, container] }, 'spec.containers[1].name'],
  [
    'a name of a container used by an init container',
    { containers: [container], initContainers: [container] },
    'spec.initContainers[0].name',
  ],
  [
    'a variable without a name',
    { containers: [{ ...container, env: [{ value: 'x' }] }] },
    'spec.containers[0].env[0].name',
  ],
  [
    'a mount of no volume',
    { containers: [{ ...container, volumeMounts: [{ name: 'x', mountPath: '/x' }] }] },
    'spec.containers[0].volumeMounts[0].name',
  ],
  [
    'a request above the limit',
    { containers: [{ ...container, resources: { requests: { cpu: 2 }, limits: { cpu: 1 } } }] },
    'spec.containers[0].resources.requests: must be less than or equal to cpu limit of 1',
  ],
  [
    'a GPU request without a limit',
    { containers: [{ ...container, resources: { requests: { 'nvidia.com/gpu': 1 } } }] },
    'spec.containers[0].resources.limits: Limit must be set for non overcommitable resources',
  ],
  [
    'a port out of range',
    { containers: [{ ...container, ports: [{ containerPort: 70000 }] }] },
    'spec.containers[0].ports[0].containerPort: must be between 1 and 65535, inclusive',
  ],
  [
    'an unknown restart policy',
    { restartPolicy: 'Sometimes' },
    'spec.restartPolicy: supported values: "Always", "OnFailure", "Never"',
  ],
  [
    'a gate twice',
    { schedulingGates: [{ name: 'a.io/x' }, { name: 'a.io/x' }] },
    'spec.schedulingGates[1]',
  ],
  [
    'a gate on a pod with a node',
    { ...gated(), nodeName: 'n' },
    'spec.nodeName: cannot be set until all schedulingGates have been cleared',
  ],
];

const more: [string, JsonObject, string][] = [
  [
    'a probe that does nothing',
    { containers: [{ ...container, livenessProbe: {} }] },
    'spec.containers[0].livenessProbe: must specify a handler type',
  ],
  [
    'a claim that it does not have',
    { containers: [{ ...container, resources: { claims: [{ name: 'g' }] } }] },
    'spec.containers[0].resources.claims[0]: must be one of the names in' +
      ' pod.spec.resourceClaims which is empty',
  ],
  [
    'a claim of nothing',
    { resourceClaims: [{ name: 'g' }] },
    'spec.resourceClaims[0]: must specify one of:' +
      ' `resourceClaimName`, `resourceClaimTemplateName`',
  ],
  [
    'an init container of an unknown restart policy',
    { initContainers: [{ name: 'i', image: 'i', restartPolicy: 'Odd' }] },
    'spec.initContainers[0].restartPolicy: supported values: "Always", "Never", "OnFailure"',
  ],
];

describe('a wrong pod', () => {
  test.each([...wrong, ...more])('a pod with %s is refused', (_what, spec, complaint) => {
    expect(complaints(key, pod(spec))).toEqual([complaint]);
  });

  test('a hostname that is no DNS label is refused in words', () => {
    expect(complaints(key, pod({ hostname: 'a_b' }))[0]).toMatch(
      /^spec.hostname: a lowercase RFC 1123 label must consist of lower case alphanumeric/,
    );
  });
});
