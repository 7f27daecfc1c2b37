// Checks: pods - defaults, what may change, gates, binding, eviction - and Services, Secrets and
// RoleBindings where a client meets their rules.
import { expect } from 'vitest';
import { listAt, objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import { expectRefusal, metaOf, pod, specOf } from './session.ts';
import type { Session, Suite } from './session.ts';

const gates = { schedulingGates: [{ name: 'a.io/one' }, { name: 'a.io/two' }] };

const bind = (s: Session, name: string) =>
  s.send('POST', s.path('pods', name, 'binding'), {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name },
    target: { apiVersion: 'v1', kind: 'Node', name: 'no-such-node' },
  });

export const pods: Suite = {
  async 'a pod gets the defaults that clients rely on'(s) {
    const made = await s.pod('a');
    expect(specOf(made)).toMatchObject({
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      terminationGracePeriodSeconds: 30,
      enableServiceLinks: true,
      serviceAccountName: 'default',
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      containers: [{ imagePullPolicy: 'IfNotPresent', terminationMessagePolicy: 'File' }],
    });
    expect(listAt(specOf(made), 'tolerations')).toHaveLength(2);
    expect(made['status']).toMatchObject({ phase: 'Pending', qosClass: 'BestEffort' });
    expect(metaOf(made)['generation']).toBe(1);
  },

  async 'a pod spec does not change'(s) {
    await s.pod('a');
    const body = { spec: { hostname: 'other' } };
    const answer = await s.tryPatch(s.path('pods', 'a'), 'merge', body);
    const message =
      'spec: Forbidden: pod updates may not change fields other than `spec.containers';
    expectRefusal(answer, 422, 'Invalid', message);
  },

  async 'an image of a pod does change'(s) {
    await s.pod('a');
    const body = { spec: { containers: [{ name: 'main', image: 'other:2' }] } };
    const next = await s.patch(s.path('pods', 'a'), 'strategic', body);
    expect(objectsAt(specOf(next), 'containers')).toMatchObject([{ image: 'other:2' }]);
    expect(metaOf(next)['generation']).toBe(2);
  },

  async 'a gated pod says why it waits'(s) {
    const made = await s.pod('a', gates);
    expect(objectsAt(objectAt(made, 'status'), 'conditions')).toMatchObject([
      { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' },
    ]);
  },

  async 'gates only go'(s) {
    await s.pod('a', gates);
    const path = s.path('pods', 'a');
    const add = { spec: { schedulingGates: [{ name: 'a.io/new' }] } };
    const answer = await s.tryPatch(path, 'merge', add);
    const message = "only deletion is allowed, but found new scheduling gate 'a.io/new'";
    expectRefusal(answer, 422, 'Invalid', message);
    const next = await s.patch(path, 'merge', { spec: { schedulingGates: null } });
    expect(specOf(next)['schedulingGates']).toBeUndefined();
  },

  async 'a gated pod may be given a tighter node selector, another not'(s) {
    const nodeSelector = { zone: 'a' };
    await s.pod('gated', gates);
    await s.patch(s.path('pods', 'gated'), 'merge', { spec: { nodeSelector } });
    await s.pod('free');
    const answer = await s.tryPatch(s.path('pods', 'free'), 'merge', { spec: { nodeSelector } });
    expectRefusal(answer, 422, 'Invalid', 'pod updates may not change fields other than');
  },

  async 'a binding puts a pod on a node, without a new generation'(s) {
    await s.pod('a');
    const answer = await bind(s, 'a');
    expect(answer).toMatchObject({ status: 201, body: { kind: 'Status', status: 'Success' } });
    const bound = await s.get(s.path('pods', 'a'));
    expect(specOf(bound)['nodeName']).toBe('no-such-node');
    expect(metaOf(bound)['generation']).toBe(1);
    expect(objectsAt(objectAt(bound, 'status'), 'conditions')).toMatchObject([
      { type: 'PodScheduled', status: 'True' },
    ]);
  },

  async 'a gated pod is not bound'(s) {
    await s.pod('a', gates);
    expectRefusal(await bind(s, 'a'), 409, 'Conflict', 'pod a has non-empty .spec.schedulingGates');
  },

  async 'a bound pod is not bound again'(s) {
    await s.pod('a');
    await bind(s, 'a');
    expectRefusal(
      await bind(s, 'a'),
      409,
      'Conflict',
      'is already assigned to node "no-such-node"',
    );
  },

  async 'a pod without containers is invalid'(s) {
    const body = pod('a', { containers: [] });
    const answer = await s.send('POST', s.path('pods'), body);
    expectRefusal(answer, 422, 'Invalid', 'spec.containers: Required value');
  },

  async 'a pod of an unknown priority class is forbidden'(s) {
    const body = pod('a', { priorityClassName: 'no-such-class' });
    const answer = await s.send('POST', s.path('pods'), body);
    expectRefusal(answer, 403, 'Forbidden', 'no PriorityClass with name no-such-class was found');
  },

  async 'a pod of an unknown service account is forbidden'(s) {
    const body = pod('a', { serviceAccountName: 'no-such-account' });
    const answer = await s.send('POST', s.path('pods'), body);
    expectRefusal(answer, 403, 'Forbidden', 'serviceaccount "no-such-account" not found');
  },

  async 'an eviction deletes a pod that no budget protects'(s) {
    await s.pod('a');
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } };
    expect((await s.send('POST', s.path('pods', 'a', 'eviction'), body)).status).toBe(201);
    await s.eventuallyGone(s.path('pods', 'a'));
  },

  async 'an evicted pod that is still there tells why it goes'(s) {
    const finalizers = ['example.com/stays'];
    await s.create(s.path('pods'), { ...pod('a'), metadata: { name: 'a', finalizers } });
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } };
    expect((await s.send('POST', s.path('pods', 'a', 'eviction'), eviction)).status).toBe(201);
    const seen = await s.get(s.path('pods', 'a'));
    expect(metaOf(seen)).toHaveProperty('deletionTimestamp');
    expect(objectsAt(objectAt(seen, 'status'), 'conditions')).toContainEqual({
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
      lastProbeTime: null,
      lastTransitionTime: expect.any(String),
    });
    await s.patch(s.path('pods', 'a'), 'merge', { metadata: { finalizers: null } });
    await s.eventuallyGone(s.path('pods', 'a'));
  },

  async 'a headless service needs no ports and keeps its None'(s) {
    const spec = { clusterIP: 'None', selector: { a: 'b' }, publishNotReadyAddresses: true };
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec };
    const made = await s.create(s.path('services'), body);
    expect(specOf(made)).toMatchObject({ clusterIP: 'None', clusterIPs: ['None'] });
    const change = { spec: { clusterIP: '', clusterIPs: null } };
    const answer = await s.tryPatch(s.path('services', 'a'), 'merge', change);
    expect([200, 422]).toContain(answer.status);
    expect(specOf(await s.get(s.path('services', 'a')))['clusterIP']).toBe('None');
  },

  async 'a service without ports is invalid'(s) {
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: {} };
    expectRefusal(await s.send('POST', s.path('services'), body), 422, 'Invalid', 'spec.ports');
  },

  async 'the type of a secret does not change'(s) {
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'a' },
      stringData: { k: 'v' },
    };
    const made = await s.create(s.path('secrets'), body);
    expect(made).toMatchObject({ type: 'Opaque', data: { k: 'dg==' } });
    const answer = await s.tryPatch(s.path('secrets', 'a'), 'merge', { type: 'x/y' });
    expectRefusal(answer, 422, 'Invalid', 'type: Invalid value: "x/y": field is immutable');
  },

  async 'the role of a binding does not change'(s) {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'one' };
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const body = { apiVersion, kind: 'RoleBinding', metadata: { name: 'a' }, roleRef };
    await s.create(s.path('rolebindings'), body);
    const change = { roleRef: { ...roleRef, name: 'two' } };
    const answer = await s.tryPatch(s.path('rolebindings', 'a'), 'merge', change);
    expectRefusal(answer, 422, 'Invalid', 'cannot change roleRef');
  },

  async 'tolerations may be added, and those for lost nodes come back'(s) {
    await s.pod('a');
    const tolerations = [{ key: 'gpu', operator: 'Exists' }];
    const next = await s.patch(s.path('pods', 'a'), 'merge', { spec: { tolerations } });
    const keys = objectsAt(specOf(next), 'tolerations').map((each) => each['key']);
    expect(keys).toEqual(['gpu', 'node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']);
  },

  async 'an unchanged pod survives a PUT of what was read'(s) {
    await s.pod('a', gates);
    const path = s.path('pods', 'a');
    const before = await s.get(path);
    const after = await s.done('PUT', path, before);
    expect(textAt(metaOf(after), 'resourceVersion')).toBe(
      textAt(metaOf(before), 'resourceVersion'),
    );
  },
};
