// What leaves the template of a PodCliqueSet without another hash leaves its children too, and what
// others put there stays.
import { describe, expect, it } from 'vitest';
import { at } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { groupedSet } from '#test/support/samples.ts';
import { acts, SetBench } from './sample.ts';

const cliqueKey = 'PodClique/demo/demo-0-worker';
const groupKey = 'PodCliqueScalingGroup/demo/demo-0-engine';

function setWith(scaling: JsonObject | undefined, annotations: JsonObject | undefined): KubeObject {
  const body = groupedSet(1, annotations === undefined ? {} : { annotations });
  const cliques = at(body, 'spec', 'template', 'cliques');
  const [worker] = Array.isArray(cliques) ? cliques : [];
  if (scaling !== undefined)
    Object.assign(Object(at(worker, 'spec')), { autoScalingConfig: scaling });
  return body;
}

function deployed(scaling: JsonObject | undefined, annotations?: JsonObject): SetBench {
  const bench = new SetBench();
  bench.see(setWith(scaling, annotations));
  for (let round = 0; round < 4; round++) bench.work();
  return bench;
}

function edited(bench: SetBench, body: KubeObject): void {
  const { metadata } = bench.objects.get('PodCliqueSet/demo/demo') ?? body;
  bench.see({ ...body, metadata: { ...metadata, generation: 2 } });
  bench.work();
}

const scalingOf = (bench: SetBench): unknown =>
  at(bench.objects.get(cliqueKey), 'spec', 'autoScalingConfig');
const annotationsOf = (bench: SetBench): unknown =>
  bench.objects.get(groupKey)?.metadata.annotations;
const patches = (bench: SetBench): readonly string[] =>
  acts(bench.stabilize()).filter((act) => act.startsWith('patchObject PodClique'));

describe('the autoscaling of a PodClique', () => {
  it('leaves it when it leaves the template', () => {
    const bench = deployed({ minReplicas: 1, maxReplicas: 9 });
    edited(bench, setWith(undefined, undefined));
    expect(scalingOf(bench)).toBeUndefined();
    // As the API server counts.
    bench.change('PodClique', 'demo-0-worker', { metadata: { generation: 2 } });
    expect(patches(bench)).toEqual([]);
  });

  it('is the template’s as a whole, without fields that were there before', () => {
    const bench = deployed({ minReplicas: 1, maxReplicas: 9, metrics: [{ type: 'Resource' }] });
    edited(bench, setWith({ minReplicas: 2, maxReplicas: 9 }, undefined));
    expect(scalingOf(bench)).toEqual({ minReplicas: 2, maxReplicas: 9 });
  });
});

describe('the annotations of a scaling group', () => {
  it('leave it when they leave the template; those of others stay', () => {
    const bench = deployed(undefined, { a: '1', b: '2' });
    bench.change('PodCliqueScalingGroup', 'demo-0-engine', {
      metadata: { annotations: { 'theirs/mark': 'x' } },
    });
    edited(bench, setWith(undefined, { b: '3' }));
    expect(annotationsOf(bench)).toEqual({
      b: '3',
      'theirs/mark': 'x',
      'grove.io/template-annotations': 'b',
    });
  });

  it('need no list where the template has none any more', () => {
    const bench = deployed(undefined, { a: '1' });
    edited(bench, setWith(undefined, undefined));
    expect(annotationsOf(bench) ?? {}).toEqual({});
    expect(patches(bench)).toEqual([]);
  });

  it('need no list of a ComputeDomain group, which cannot come or go', () => {
    const bench = deployed(undefined, { 'grove.io/mnnvl-group': 'training' });
    expect(annotationsOf(bench)).toEqual({ 'grove.io/mnnvl-group': 'training' });
  });
});
