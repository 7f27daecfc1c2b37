// The rules of the built-in kinds except pods: defaults, validation, what may not change.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { nameRuleOf } from '#src/devcluster/strategies/index.ts';
import { changeComplaints, complaints, created, specOf, strategyOf } from './support.ts';

const of = (fields: JsonObject, metadata: JsonObject = {}): Stored => ({
  ...fields,
  metadata: { name: 'one', namespace: 'default', ...metadata },
});
const rbac = 'rbac.authorization.k8s.io';

describe('services', () => {
  const service = (spec: JsonObject): Stored => of({ spec });
  const ports = [{ port: 80 }];

  test('a service gets an address and the usual defaults', () => {
    const made = specOf(created('/services', service({ ports })));
    expect(made).toMatchObject({
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      clusterIP: expect.stringMatching(/^10\.(9[6-9]|10\d|11[01])\.\d+\.\d+$/),
      ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }],
    });
    expect(made['clusterIPs']).toEqual([made['clusterIP']]);
  });

  test('a headless service has no address and needs no ports', () => {
    const headless = service({ clusterIP: 'None', selector: { a: 'b' } });
    expect(complaints('/services', headless)).toEqual([]);
    expect(specOf(created('/services', headless))).toMatchObject({
      clusterIP: 'None',
      clusterIPs: ['None'],
      ipFamilyPolicy: 'SingleStack',
    });
  });

  test('a service with an address needs ports', () => {
    expect(complaints('/services', service({}))).toEqual(['spec.ports']);
  });

  test('two ports need names, and differ', () => {
    expect(complaints('/services', service({ ports: [{ port: 80 }, { port: 80 }] }))).toEqual([
      'spec.ports[0].name',
      'spec.ports[1].name',
      'spec.ports[1]',
    ]);
  });

  test('an address does not change, and one left out is kept', () => {
    const change = (clusterIP: string) => (copy: Stored) => {
      specOf(copy)['clusterIP'] = clusterIP;
      delete specOf(copy)['clusterIPs'];
    };
    expect(changeComplaints('/services', service({ ports }), change('10.96.0.77'))).toEqual([
      'spec.clusterIPs[0]: may not change once set',
    ]);
    const leaveOut = (copy: Stored): void => {
      delete specOf(copy)['clusterIP'];
      delete specOf(copy)['clusterIPs'];
    };
    expect(changeComplaints('/services', service({ ports }), leaveOut)).toEqual([]);
  });
});

describe('secrets and config maps', () => {
  const token = 'kubernetes.io/service-account-token';

  test('a secret is Opaque by default and its string data is encoded', () => {
    const made = created('/secrets', of({ stringData: { a: 'hello' } }));
    expect(made).toMatchObject({ type: 'Opaque', data: { a: 'aGVsbG8=' } });
    expect(made).not.toHaveProperty('stringData');
  });

  test('a token secret names its account', () => {
    expect(complaints('/secrets', of({ type: token }))).toEqual([
      'metadata.annotations[kubernetes.io/service-account.name]',
    ]);
    const annotations = { 'kubernetes.io/service-account.name': 'default' };
    expect(complaints('/secrets', of({ type: token }, { annotations }))).toEqual([]);
  });

  test('the type of a secret does not change', () => {
    expect(changeComplaints('/secrets', of({}), (copy) => (copy['type'] = 'x/y'))).toEqual([
      'type: field is immutable',
    ]);
  });

  test.each(['/secrets', '/configmaps'])('what is immutable in %s stays', (key) => {
    const sealed = of({ immutable: true, data: { a: 'YQ==' } });
    expect(changeComplaints(key, sealed, (copy) => (copy['data'] = {}))).toEqual([
      'data: field is immutable when `immutable` is set',
    ]);
    expect(changeComplaints(key, sealed, (copy) => delete copy['immutable'])).toEqual([
      'immutable: field is immutable when `immutable` is set',
    ]);
  });

  test('a key with a space is refused', () => {
    expect(complaints('/configmaps', of({ data: { 'a b': '' } }))[0]).toMatch(
      /^data\[a b\]: a valid config key must consist of alphanumeric characters/,
    );
  });
});

describe('roles', () => {
  test('a rule needs verbs, groups and resources', () => {
    expect(complaints(`${rbac}/roles`, of({ rules: [{}] }))).toEqual([
      'rules[0].verbs: verbs must contain at least one value',
      'rules[0].apiGroups: resource rules must supply at least one api group',
      'rules[0].resources: resource rules must supply at least one resource',
    ]);
  });

  const binding = of({
    roleRef: { kind: 'Role', name: 'a' },
    subjects: [
      { kind: 'ServiceAccount', name: 'b', namespace: 'c' },
      { kind: 'User', name: 'd' },
    ],
  });

  test('a binding fills in the group', () => {
    expect(created(`${rbac}/rolebindings`, binding)).toMatchObject({
      roleRef: { apiGroup: rbac },
      subjects: [{ kind: 'ServiceAccount' }, { apiGroup: rbac }],
    });
    expect(complaints(`${rbac}/rolebindings`, binding)).toEqual([]);
  });

  test('a binding keeps its role', () => {
    const change = (copy: Stored): void => {
      copy['roleRef'] = { kind: 'Role', name: 'other', apiGroup: rbac };
    };
    expect(changeComplaints(`${rbac}/rolebindings`, binding, change)).toEqual([
      'roleRef: cannot change roleRef',
    ]);
  });

  test('names of roles are path segments', () => {
    expect(nameRuleOf(`${rbac}/roles`)).toBe('path');
    expect(nameRuleOf('/pods')).toBe('subdomain');
  });
});

describe('the other kinds', () => {
  test('a namespace is held by its finalizer and labelled with its name', () => {
    expect(created('/namespaces', { metadata: { name: 'a' } })).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'a' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  test('a new node keeps the status that it came with', () => {
    const node = { metadata: { name: 'n' }, status: { capacity: { cpu: '1000m' } } };
    expect(created('/nodes', node)['status']).toMatchObject({
      capacity: { cpu: '1' },
      allocatable: { cpu: '1' },
    });
  });

  test('the value of a priority class does not change', () => {
    const key = 'scheduling.k8s.io/priorityclasses';
    expect(changeComplaints(key, of({ value: 5 }), (copy) => (copy['value'] = 6))).toEqual([
      'value: may not be changed in an update.',
    ]);
    expect(complaints(key, of({ value: 2_000_000_000 }))).toEqual([
      'value: maximum allowed value of a user defined priority is 1000000000',
    ]);
  });

  test('a lease lasts longer than nothing', () => {
    const key = 'coordination.k8s.io/leases';
    expect(complaints(key, of({ spec: { leaseDurationSeconds: 0 } }))).toEqual([
      'spec.leaseDurationSeconds: must be greater than 0',
    ]);
  });

  test('an event is about something in its own namespace', () => {
    expect(complaints('/events', of({ involvedObject: { namespace: 'other' } }))).toEqual([
      'involvedObject.namespace: does not match event.namespace',
    ]);
  });

  test('an event is selectable by what it is about', () => {
    const event = of({ involvedObject: { kind: 'Pod', name: 'web' }, reason: 'Why' });
    expect(strategyOf('/events').selectableFields?.(event)).toMatchObject({
      'involvedObject.kind': 'Pod',
      'involvedObject.name': 'web',
      reason: 'Why',
    });
  });

  test('an autoscaler has sane limits', () => {
    const key = 'autoscaling/horizontalpodautoscalers';
    const scaleTargetRef = { apiVersion: 'a/v1', kind: 'A', name: 'b' };
    const spec = { scaleTargetRef, minReplicas: 3, maxReplicas: 2 };
    expect(complaints(key, of({ spec }))).toEqual([
      'spec.maxReplicas: must be greater than or equal to `minReplicas`',
    ]);
  });

  test('a disruption budget has one limit', () => {
    const spec = { minAvailable: 1, maxUnavailable: '50%' };
    expect(complaints('policy/poddisruptionbudgets', of({ spec }))).toEqual([
      'spec: minAvailable and maxUnavailable cannot be both set',
    ]);
  });

  test('a resource claim keeps its spec', () => {
    const spec = { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'b' } }] } };
    const key = 'resource.k8s.io/resourceclaims';
    expect(complaints(key, of({ spec }))).toEqual([]);
    expect(changeComplaints(key, of({ spec }), (copy) => (copy['spec'] = {}))).toEqual([
      'spec: field is immutable',
    ]);
  });

  test('a webhook is defaulted and must say what it does', () => {
    const key = 'admissionregistration.k8s.io/mutatingwebhookconfigurations';
    const webhook = { name: 'a.b.c', clientConfig: { url: 'http://x' }, rules: [{}] };
    const configuration = { metadata: { name: 'one' }, webhooks: [webhook] };
    expect(created(key, configuration)['webhooks']).toMatchObject([
      {
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        timeoutSeconds: 10,
        reinvocationPolicy: 'Never',
        rules: [{ scope: '*' }],
      },
    ]);
    expect(complaints(key, configuration)).toEqual([
      'webhooks[0].sideEffects: must specify one of None, NoneOnDryRun',
      'webhooks[0].admissionReviewVersions: must specify one of v1, v1beta1',
      "webhooks[0].clientConfig.url: 'https' is the only allowed URL scheme; desired format: https://host[/path]",
      'webhooks[0].rules[0].operations',
      'webhooks[0].rules[0].apiGroups',
      'webhooks[0].rules[0].apiVersions',
      'webhooks[0].rules[0].resources',
    ]);
  });
});

describe('network policies', () => {
  const key = 'networking.k8s.io/networkpolicies';
  const policy = (spec: JsonObject): Stored => of({ spec });

  test('a network policy is about packets in, and out where it says so', () => {
    expect(specOf(created(key, policy({})))).toEqual({
      podSelector: {},
      policyTypes: ['Ingress'],
    });
    const egress = [{ ports: [{ port: 53 }] }];
    expect(specOf(created(key, policy({ egress })))).toMatchObject({
      egress: [{ ports: [{ port: 53, protocol: 'TCP' }] }],
      policyTypes: ['Ingress', 'Egress'],
    });
  });

  test('a peer is pods or a range of addresses, and an exception lies within it', () => {
    const to = (...peers: JsonObject[]) => complaints(key, policy({ egress: [{ to: peers }] }));
    const block = (cidr: string, ...except: string[]) => ({ ipBlock: { cidr, except } });
    expect(
      to({ podSelector: {}, namespaceSelector: {} }, block('10.0.0.0/8', '10.1.0.0/16')),
    ).toEqual([]);
    expect(to(block('::/0', 'fe80::/10'))).toEqual([]);
    expect(to({}, { podSelector: {}, ...block('10.0.0.0/8') })).toEqual([
      'spec.egress[0].to[0]: must specify a peer',
      'spec.egress[0].to[1]: may not specify both ipBlock and another peer',
    ]);
    const noRange = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
    expect(to(block('10.0.0.0/33'), block('10.0.0.0/8', 'x', '10.0.0.0/8', 'fe80::/10'))).toEqual([
      `spec.egress[0].to[0].ipBlock.cidr: ${noRange}`,
      `spec.egress[0].to[1].ipBlock.except[0]: ${noRange}`,
      'spec.egress[0].to[1].ipBlock.except[1]: must be a strict subset of `cidr`',
      'spec.egress[0].to[1].ipBlock.except[2]: must be a strict subset of `cidr`',
    ]);
  });
});
