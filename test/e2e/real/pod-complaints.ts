// What a ready pod of a PodCliqueSet looks like (spec controllers 1.3.4, 7.5); a part of
// complaints.ts.
import { type Fields, fields, type Findings, conditionsOf, list, names } from './findings.ts';
import type { KubeObject } from './kube.ts';
import { cliquesOf, indices, type SetWanted } from './sets.ts';
import type { Snapshot } from './snapshot.ts';

export function complainAboutPods(found: Findings, seen: Snapshot, wanted: SetWanted): void {
  const known = new Set<KubeObject>();
  for (const row of cliquesOf(wanted)) {
    const clique = seen.podcliques.find(({ metadata }) => metadata.name === row.name);
    const mine = seen.pods.filter(
      ({ metadata }) => metadata.labels?.['grove.io/podclique'] === row.name,
    );
    mine.forEach((pod) => known.add(pod));
    const indexOf = (pod: KubeObject): number =>
      Number(pod.metadata.labels?.['grove.io/podclique-pod-index']);
    const seenIndices = mine.map(indexOf).toSorted((a, b) => a - b);
    found.equal(`number of pods of ${row.name}`, mine.length, row.pods);
    // Pods go by health and age (spec controllers 7.3): a PodClique that shrank may have holes.
    const isWhole = wanted.scaled?.[row.name] === undefined;
    const wantedIndices = isWhole ? indices(row.pods) : [...new Set(seenIndices)];
    found.equal(`pod indices of ${row.name}`, seenIndices, wantedIndices);
    for (const pod of mine) {
      if (clique !== undefined) complainAboutPod(found, pod, { clique, wanted, row });
    }
  }
  found.equal('pods of nobody', names(seen.pods.filter((pod) => !known.has(pod))), []);
}

interface Place {
  readonly clique: KubeObject;
  readonly wanted: SetWanted;
  readonly row: ReturnType<typeof cliquesOf>[number];
}

function complainAboutPod(found: Findings, pod: KubeObject, place: Place): void {
  const { clique, wanted, row } = place;
  const { name, labels = {} } = pod.metadata;
  const index = labels['grove.io/podclique-pod-index'];
  found.matches(`name of a pod of ${row.name}`, name.slice(row.name.length), /^-[a-z0-9]{5}$/);
  found.equal(`deletion of ${name}`, pod.metadata.deletionTimestamp, undefined);
  found.owned(pod, clique, 'PodClique');
  const expected: Readonly<Record<string, unknown>> = {
    ...clique.metadata.labels,
    'grove.io/podclique': row.name,
    'grove.io/podclique-pod-index': index,
  };
  for (const [key, value] of Object.entries(expected)) {
    found.equal(`label ${key} of ${name}`, labels[key], value);
  }
  const spec = fields(pod['spec']);
  found.equal(`gates of ${name}`, spec['schedulingGates'], undefined);
  found.equal(`hostname of ${name}`, spec['hostname'], `${row.name}-${index}`);
  found.equal(`subdomain of ${name}`, spec['subdomain'], `${wanted.name}-${row.replica}`);
  found.equal(`environment of ${name}`, environment(spec), [
    `GROVE_PCS_NAME=${wanted.name}`,
    `GROVE_PCS_INDEX=${row.replica}`,
    `GROVE_PCLQ_NAME=${row.name}`,
    `GROVE_HEADLESS_SERVICE=${wanted.name}-${row.replica}.${pod.metadata.namespace}.svc.cluster.local`,
    `GROVE_PCLQ_POD_INDEX=metadata.labels['grove.io/podclique-pod-index']`,
    'MINE=$(GROVE_PCLQ_NAME)',
  ]);
  const ready = conditionsOf(pod).find(({ type }) => type === 'Ready');
  found.equal(`readiness of ${name}`, ready?.status, 'True');
}

function environment(spec: Fields): readonly string[] {
  const [container] = list(spec['containers']);
  return list(fields(container)['env']).map((entry) => {
    const { name, value, valueFrom } = fields(entry);
    const path = fields(fields(valueFrom)['fieldRef'])['fieldPath'];
    return `${String(name)}=${String(value ?? path)}`;
  });
}
