// The autoscalers of a PodCliqueSet: which, with what, what is put right and what is left alone.
import { describe, expect, it } from 'vitest';
import { at } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { groupedSet } from '#test/support/samples.ts';
import { acts, SetBench } from './sample.ts';

const ref = 'HorizontalPodAutoscaler/demo/';
/** A set of the same name that was there before. */
const earlier = { apiVersion: 'grove.io/v1alpha1', kind: 'PodCliqueSet', name: 'demo', uid: 'old' };
const perSecond = (averageValue: string): JsonObject => ({
  type: 'Pods',
  pods: { metric: { name: 'requests' }, target: { type: 'AverageValue', averageValue } },
});

function scaledSet(clique: JsonObject | undefined, group: JsonObject | undefined): KubeObject {
  const body = groupedSet(1, group === undefined ? {} : { scaleConfig: group });
  const worker = at(body, 'spec', 'template', 'cliques');
  const [first] = Array.isArray(worker) ? worker : [];
  if (clique !== undefined) Object.assign(Object(at(first, 'spec')), { autoScalingConfig: clique });
  return body;
}

function deployed(clique?: JsonObject, group?: JsonObject): SetBench {
  const bench = new SetBench();
  bench.see(scaledSet(clique, group));
  for (let round = 0; round < 4; round++) bench.work();
  return bench;
}

/** Another version of the set. */
function edit(bench: SetBench, body: KubeObject, generation: number): void {
  const uid = bench.objects.get('PodCliqueSet/demo/demo')?.metadata.uid ?? '';
  bench.see({ ...body, metadata: { ...body.metadata, uid, generation } });
}

const ofAutoscalers = (bench: SetBench): readonly string[] =>
  acts(bench.work()).filter((act) => act.includes('Autoscaler'));

describe('the autoscalers of a set', () => {
  it('are those of standalone cliques and of groups that ask for one, named as their targets', () => {
    const bench = deployed({ maxReplicas: 5, metrics: [perSecond('10')] }, { maxReplicas: 6 });
    expect(bench.objects.get(`${ref}demo-0-worker`)?.['spec']).toEqual({
      scaleTargetRef: {
        apiVersion: 'grove.io/v1alpha1',
        kind: 'PodClique',
        name: 'demo-0-worker',
      },
      minReplicas: 2,
      maxReplicas: 5,
      metrics: [perSecond('10')],
    });
    const engine = bench.objects.get(`${ref}demo-0-engine`);
    expect(engine?.['spec']).toEqual({
      scaleTargetRef: {
        apiVersion: 'grove.io/v1alpha1',
        kind: 'PodCliqueScalingGroup',
        name: 'demo-0-engine',
      },
      minReplicas: 2,
      maxReplicas: 6,
    });
    expect(engine?.metadata.labels).toEqual({
      'app.kubernetes.io/managed-by': 'grove-operator',
      'app.kubernetes.io/part-of': 'demo',
      'app.kubernetes.io/name': 'demo-0-engine',
      'app.kubernetes.io/component': 'pcs-hpa',
    });
    expect(ofAutoscalers(bench)).toEqual([]);
  });

  it('are none where nobody asks', () => {
    const bench = deployed();
    expect([...bench.objects.keys()].filter((key) => key.startsWith(ref))).toEqual([]);
  });

  it.each([
    ['an earlier set owns', { ownerReferences: [{ ...earlier, controller: true }] }],
    ['is being deleted already', { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x'] }],
  ])('go where nobody asks for them, but for one that %s', (_what, metadata) => {
    const bench = deployed({ maxReplicas: 5 });
    bench.change('HorizontalPodAutoscaler', 'demo-0-worker', { metadata });
    edit(bench, scaledSet(undefined, undefined), 2);
    expect(ofAutoscalers(bench)).toEqual([]);
  });

  it('follow the template, and go when it does not ask any more or the replica goes', () => {
    const bench = deployed({ maxReplicas: 5 }, { maxReplicas: 6 });
    edit(bench, scaledSet({ minReplicas: 3, maxReplicas: 9 }, undefined), 2);
    const uid = bench.objects.get(`${ref}demo-0-engine`)?.metadata.uid;
    const intents = bench.work();
    expect(acts(intents).filter((act) => act.includes('Autoscaler'))).toEqual([
      'deleteObject HorizontalPodAutoscaler demo-0-engine',
      'patchObject HorizontalPodAutoscaler demo-0-worker',
    ]);
    // In the background: nobody waits for what would be below it.
    expect(intents.find(({ type }) => type === 'deleteObject')).toEqual({
      ...{ type: 'deleteObject', uid, reason: 'the template does not ask for it' },
      ref: { kind: 'HorizontalPodAutoscaler', namespace: 'demo', name: 'demo-0-engine' },
    });
    expect(bench.objects.get(`${ref}demo-0-worker`)?.['spec']).toMatchObject({
      minReplicas: 3,
      maxReplicas: 9,
    });
    bench.change('PodCliqueSet', 'demo', { spec: { replicas: 0 }, metadata: { generation: 3 } });
    expect(ofAutoscalers(bench)).toEqual(['deleteObject HorizontalPodAutoscaler demo-0-worker']);
  });

  it('are not written for what the API server or a user adds', () => {
    const bench = deployed({ maxReplicas: 5, metrics: [perSecond('0.5')] }, { maxReplicas: 6 });
    const cpu = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } };
    bench.change('HorizontalPodAutoscaler', 'demo-0-engine', {
      spec: { metrics: [{ type: 'Resource', resource: cpu }], behavior: { scaleDown: {} } },
    });
    bench.change('HorizontalPodAutoscaler', 'demo-0-worker', {
      spec: { metrics: [perSecond('500m')] },
    });
    expect(ofAutoscalers(bench)).toEqual([]);
  });

  it('are put right where somebody changes what the template says', () => {
    const bench = deployed({ maxReplicas: 5 }, { maxReplicas: 6 });
    const spec = { metrics: [perSecond('1')], maxReplicas: 50, behavior: { scaleDown: {} } };
    bench.change('HorizontalPodAutoscaler', 'demo-0-engine', { spec });
    expect(ofAutoscalers(bench)).toEqual(['patchObject HorizontalPodAutoscaler demo-0-engine']);
    const after = bench.objects.get(`${ref}demo-0-engine`);
    expect(at(after, 'spec', 'metrics')).toBeUndefined();
    expect(after?.['spec']).toMatchObject({ maxReplicas: 6, behavior: { scaleDown: {} } });
    expect(ofAutoscalers(bench)).toEqual([]);
  });
});
