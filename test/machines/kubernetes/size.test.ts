// Objects that are too large to be looked at: what is refused, in which words, and at which cost.
import { describe, expect, it } from 'vitest';
import { maxCliquesPerSet } from '#machines/grove/objects/limits.ts';
import { maxDepth, maxMapEntries, maxNodes } from '#machines/kubernetes/size.ts';
import { readMeta } from '#machines/kubernetes/meta.ts';
import type { Json, JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { routeOf } from '#test/support/modules.ts';
import { cliqueSet } from '#test/support/samples.ts';

const mapOf = (entries: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: entries }, (_, index) => [`k${index}`, 'v']));

function nested(depth: number): Json {
  let value: Json = 'bottom';
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

const setWith = (metadata: JsonObject, podSpec: JsonObject = {}): KubeObject => {
  const set = cliqueSet(1, [{ name: 'worker', podSpec: { containers: [], ...podSpec } }]);
  return { ...set, metadata: { ...set.metadata, uid: 'u', resourceVersion: '1', ...metadata } };
};

const named = { name: 'a', namespace: 'default', uid: 'u' };

const decode = (object: KubeObject): unknown => routeOf('PodCliqueSet').decode(object);

describe('An object that is too large', () => {
  it.each(['labels', 'annotations'])('is refused for its %s, with the limit', (field) => {
    const malformed = `metadata.${field} has more than ${maxMapEntries} entries; use fewer`;
    expect(decode(setWith({ [field]: mapOf(100_000) }))).toEqual({ malformed });
  });

  it('is none for the annotations that we add to it', () => {
    const annotations = { ...mapOf(maxMapEntries), 'grove.io/token-secret': 'x' };
    expect(decode(setWith({ annotations }))).not.toHaveProperty('malformed');
    const foreign = { ...mapOf(maxMapEntries), 'example.org/other': 'x' };
    expect(decode(setWith({ annotations: foreign }))).toHaveProperty('malformed');
  });

  it('is refused for the labels that a clique of it would have', () => {
    const set = setWith({});
    const clique = { name: 'a', labels: mapOf(1_001), spec: { podSpec: {} } };
    const spec = { replicas: 1, template: { cliques: [{ name: 'b' }, clique] } };
    expect(decode({ ...set, spec })).toEqual({
      malformed: 'spec.template.cliques[1].labels has more than 1000 entries; use fewer',
    });
  });

  it('is refused for its spec, with the limit', () => {
    const malformed = `spec has more than ${maxNodes} values; make it smaller`;
    expect(decode(setWith({}, { nodeSelector: mapOf(100_000) }))).toEqual({ malformed });
    expect(decode(setWith({}, { tolerations: [nested(1), ...Array(maxNodes).fill(1)] }))).toEqual({
      malformed,
    });
  });

  it('is refused for its depth, however deep, without running out of stack', () => {
    const malformed = `spec is nested deeper than ${maxDepth}; make it flatter`;
    expect(decode(setWith({}, { affinity: { a: nested(100_000) } }))).toEqual({ malformed });
  });

  it('is refused for the number of its cliques', () => {
    const cliques = Array.from({ length: 2_000 }, (_, index) => ({ name: `c${index}` }));
    const set = cliqueSet(1, cliques);
    const object = { ...set, metadata: { ...set.metadata, uid: 'u', resourceVersion: '1' } };
    expect(decode(object)).toEqual({
      malformed: `spec.template.cliques has 2000 entries; at most ${maxCliquesPerSet} are handled`,
    });
  });

  it('is read all the same when it is being deleted, without the labels of others', () => {
    const labels = { ...mapOf(100_000), 'grove.io/x': 'ours' };
    const observed = decode(setWith({ labels, deletionTimestamp: '2026-01-01T00:00:00Z' }));
    expect(observed).toMatchObject({ deleting: true, labels: { 'grove.io/x': 'ours' } });
  });

  it('is so by the bounds of any module, which knows no keys of Grove', () => {
    const labels = { ...mapOf(2_001), 'grove.io/x': 'y', 'app.kubernetes.io/name': 'n' };
    const source = { apiVersion: 'v1', kind: 'Paper', metadata: { ...named, labels } };
    expect(readMeta(source)).toEqual({
      malformed: 'metadata.labels has more than 2000 entries; use fewer',
    });
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const going = { ...source, metadata: { ...source.metadata, deletionTimestamp } };
    expect(readMeta(going)).toMatchObject({ labels: { 'app.kubernetes.io/name': 'n' } });
    expect(readMeta(going)).not.toMatchObject({ labels: { 'grove.io/x': 'y' } });
  });

  it('is anything but what people write: a thousand labels and a pod spec of 200 KB pass', () => {
    const env = Array.from({ length: 3_000 }, (_, index) => ({ name: `E${index}`, value: 'v' }));
    const containers = [{ name: 'main', image: 'i:1', env }];
    const observed = decode(setWith({ labels: mapOf(1_000) }, { containers }));
    expect(observed).toMatchObject({ kind: 'PodCliqueSet', replicas: 1 });
  });
});
