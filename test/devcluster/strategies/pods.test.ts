// The rules of pods: defaults, validation, changes, binding, grace.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#machines/objects.ts';
import { bindPod } from '#src/devcluster/strategies/pods/binding.ts';
import {
  changeComplaints,
  complaints,
  created,
  environment,
  pod,
  specOf,
  strategyOf,
} from './support.ts';

const key = '/pods';
const gated = (): JsonObject => ({ schedulingGates: [{ name: 'a.io/one' }, { name: 'a.io/two' }] });
const fixed = /^spec: pod updates may not change fields other than `spec.containers\[\*\].image`/;

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

describe('a change of a pod', () => {
  const refused: [string, JsonObject, (spec: JsonObject) => void, string | RegExp][] = [
    ['its node', {}, (spec) => (spec['nodeName'] = 'n1'), fixed],
    ['its node selector', {}, (spec) => (spec['nodeSelector'] = { a: 'b' }), fixed],
    [
      'its number of containers',
      {},
      (spec) => (spec['containers'] = [container, { name: 'b', image: 'c' }]),
      'spec.containers: pod updates may not add or remove containers',
    ],
    [
      'its gates to more',
      gated(),
      (spec) => (spec['schedulingGates'] = [{ name: 'a.io/one' }, { name: 'a.io/new' }]),
      "spec.schedulingGates[1].name: only deletion is allowed, but found new scheduling gate 'a.io/new'",
    ],
    [
      'a toleration',
      { tolerations: [{ key: 'a', operator: 'Exists' }] },
      (spec) => (spec['tolerations'] = [{ key: 'b', operator: 'Exists' }]),
      'spec.tolerations: existing toleration can not be modified except its tolerationSeconds',
    ],
    [
      'its deadline to later',
      { activeDeadlineSeconds: 5 },
      (spec) => (spec['activeDeadlineSeconds'] = 6),
      'spec.activeDeadlineSeconds: must be less than or equal to previous value',
    ],
    [
      'its node selector, gated, to a wider one',
      { ...gated(), nodeSelector: { a: 'b' } },
      (spec) => (spec['nodeSelector'] = { a: 'c' }),
      'spec.nodeSelector: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
    ],
  ];
  test.each(refused)('a pod may not change %s', (_what, spec, change, complaint) => {
    const found = changeComplaints(key, pod(spec), (copy) => change(specOf(copy)));
    expect(found).toEqual([
      typeof complaint === 'string' ? complaint : expect.stringMatching(complaint),
    ]);
  });

  const allowed: [string, JsonObject, (spec: JsonObject) => void][] = [
    ['an image', {}, (spec) => (spec['containers'] = [{ ...container, image: 'nginx:2' }])],
    ['one gate less', gated(), (spec) => (spec['schedulingGates'] = [{ name: 'a.io/two' }])],
    ['no gates at all', gated(), (spec) => delete spec['schedulingGates']],
    ['a node selector while gated', gated(), (spec) => (spec['nodeSelector'] = { a: 'b' })],
    [
      'other tolerations, and keeps those for lost nodes',
      {},
      (spec) => (spec['tolerations'] = [{ key: 'b', operator: 'Exists' }]),
    ],
    ['a deadline', {}, (spec) => (spec['activeDeadlineSeconds'] = 5)],
    [
      'required node affinity while gated',
      gated(),
      (spec) => {
        const terms = [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }];
        const required = { nodeSelectorTerms: terms };
        const name = 'requiredDuringSchedulingIgnoredDuringExecution';
        spec['affinity'] = { nodeAffinity: { [name]: required } };
      },
    ],
  ];
  test.each(allowed)('a pod may get %s', (_what, spec, change) => {
    expect(
      changeComplaints(key, pod(spec), (copy) => {
        // Images change in place; the rest of the container stays as it was stored.
        const before = structuredClone(specOf(copy)['containers']);
        change(specOf(copy));
        const now = specOf(copy)['containers'];
        if (Array.isArray(before) && Array.isArray(now)) {
          specOf(copy)['containers'] = now.map((each, i) => Object.assign({}, before[i], each));
        }
      }),
    ).toEqual([]);
  });
});

describe('the binding of a pod', () => {
  const binding = { target: { kind: 'Node', name: 'node-1' } };

  test('a binding sets the node and the condition', () => {
    const stored = created(key, pod());
    expect(bindPod(stored, binding, environment.clock.now())).toEqual({ ok: true });
    expect(stored).toMatchObject({
      spec: { nodeName: 'node-1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
  });

  test('a gated pod is not bound', () => {
    expect(bindPod(created(key, pod(gated())), binding, 0)).toEqual({
      ok: false,
      conflict: 'pod web has non-empty .spec.schedulingGates',
    });
  });

  test('a bound pod is not bound again', () => {
    const stored = created(key, pod({ nodeName: 'node-2' }));
    expect(bindPod(stored, binding, 0)).toEqual({
      ok: false,
      conflict: 'pod web is already assigned to node "node-2"',
    });
  });

  test('a terminating pod is not bound', () => {
    const stored = created(key, pod({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    expect(bindPod(stored, binding, 0)).toMatchObject({
      conflict: 'pod web is being deleted, cannot be assigned to a host',
    });
  });

  test('a binding without a target is refused', () => {
    expect(bindPod(created(key, pod()), {}, 0)).toMatchObject({
      errors: [{ field: 'target.name', type: 'FieldValueRequired' }],
    });
  });
});

describe('the grace of a pod', () => {
  const grace = strategyOf(key).graceSeconds;

  test.each([
    ['a pod without a node goes at once', {}, {}, undefined, 0],
    ['a bound pod takes its own grace', { nodeName: 'n' }, {}, undefined, 30],
    ['a request overrides the pod', { nodeName: 'n' }, {}, 5, 5],
    ['a pod that is over goes at once', { nodeName: 'n' }, { phase: 'Succeeded' }, 10, 0],
    ['a negative grace is one second', { nodeName: 'n' }, {}, -1, 1],
  ])('%s', (_what, spec, status, requested, seconds) => {
    const stored = { ...created(key, pod(spec)), status };
    expect(grace?.(stored, requested)).toBe(seconds);
  });
});
