// What the machines must have reached when nothing is under way any more. Used by the tests that
// put them through storms and histories.
import { expect } from 'vitest';
import { at, count, list, text } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { Store } from './world-store.ts';

const podsOf = (store: Store, clique: KubeObject): readonly KubeObject[] =>
  store.all('Pod').filter((pod) => pod.metadata.ownerReferences?.[0]?.uid === clique.metadata.uid);

/** Its pods, its status and its place in its PodGang are what its spec wants. */
export function checkClique(store: Store, clique: KubeObject): void {
  const wanted = count(at(clique, 'spec', 'replicas')) ?? 1;
  const pods = podsOf(store, clique);
  expect(pods).toHaveLength(wanted);
  const indices = pods.map((pod) => text(at(pod, 'spec', 'hostname')));
  expect(new Set(indices).size).toBe(wanted);
  expect(clique['status']).toMatchObject({ replicas: wanted, readyReplicas: wanted });
  const hash = clique.metadata.labels?.['grove.io/pod-template-hash'];
  for (const { metadata } of pods) {
    expect(metadata.labels?.['grove.io/pod-template-hash']).toBe(hash);
  }
  expect(clique['status']).toMatchObject({ updatedReplicas: wanted, currentPodTemplateHash: hash });
  const progress = at(clique, 'status', 'updateProgress');
  if (progress !== undefined) expect(progress).toHaveProperty('updateEndedAt');
  expect(at(clique, 'status', 'lastErrors')).toBeUndefined();
  expect(at(clique, 'status', 'observedGeneration')).toBe(clique.metadata.generation);
  const gang = store.get('PodGang', clique.metadata.labels?.['grove.io/podgang'] ?? '');
  const group = list(at(gang, 'spec', 'podgroups')).find(
    (one) => at(one, 'name') === clique.metadata.name,
  );
  const names = pods.map((pod) => pod.metadata.name).toSorted();
  expect(list(at(group, 'podReferences')).map((one) => at(one, 'name'))).toEqual(names);
  expect(at(list(at(gang, 'status', 'conditions'))[0], 'status')).toBe('True');
}
