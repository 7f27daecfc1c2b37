// What may change in a pod, its binding and its grace.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { bindPod } from '#src/devcluster/strategies/pods/binding.ts';
import { changeComplaints, created, environment, pod, specOf, strategyOf } from './support.ts';

const key = '/pods';
const gated = (): JsonObject => ({
  schedulingGates: [{ name: 'a.io/one' }, { name: 'a.io/two' }],
});
const container = { name: 'main', image: 'nginx' };
const fixed = /^spec: pod updates may not change fields other than `spec.containers\[\*\].image`/;

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
  const at = { now: 0, topology: {} };
  const binding = { target: { kind: 'Node', name: 'node-1' } };

  test('a binding sets the node and the condition', () => {
    const stored = created(key, pod());
    expect(bindPod(stored, binding, { now: environment.clock.now(), topology: {} })).toEqual({
      ok: true,
    });
    expect(stored).toMatchObject({
      spec: { nodeName: 'node-1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
  });

  test('a gated pod is not bound', () => {
    expect(bindPod(created(key, pod(gated())), binding, at)).toEqual({
      ok: false,
      conflict: 'pod web has non-empty .spec.schedulingGates',
    });
  });

  test('a bound pod is not bound again', () => {
    const stored = created(key, pod({ nodeName: 'node-2' }));
    expect(bindPod(stored, binding, at)).toEqual({
      ok: false,
      conflict: 'pod web is already assigned to node "node-2"',
    });
  });

  test('a terminating pod is not bound', () => {
    const stored = created(key, pod({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    expect(bindPod(stored, binding, at)).toMatchObject({
      conflict: 'pod web is being deleted, cannot be assigned to a host',
    });
  });

  test('a binding without a target is refused', () => {
    expect(bindPod(created(key, pod()), {}, at)).toMatchObject({
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
