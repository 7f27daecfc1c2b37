// The scheduler backends that there are, and which one a gang or a pod is for (spec controllers
// 1.4, 8.4). Actors ask here; nobody else knows a backend by name.
import { label } from '../objects/labels.ts';
import type { BackendPodGroup, ObservedGang } from '../objects/podgang.ts';
import type { Backend } from './backend.ts';
import { kai } from './kai.ts';
import { volcano } from './volcano.ts';

/** One that needs nothing but its name on the pods. */
const plain = (name: string): Backend => ({
  name,
  podMarks: () => ({ labels: {}, annotations: {} }),
  gangMarks: () => ({}),
});

export const backends: readonly Backend[] = [
  plain('default-scheduler'),
  kai,
  volcano,
  plain('lpx-scheduler'),
];

const byName: ReadonlyMap<string, Backend> = new Map(backends.map((one) => [one.name, one]));

/** Undefined for a name that is nobody's. */
export const backendNamed = (name: string): Backend | undefined => byName.get(name);

interface Enabled {
  readonly defaultSchedulerName: string;
  readonly schedulerNames: readonly string[];
}

/** By the label of the gang where that names an enabled one, else the default one. */
export function backendOfGang(gang: ObservedGang, enabled: Enabled): Backend | undefined {
  const named = gang.labels[label.schedulerName] ?? '';
  return backendNamed(
    enabled.schedulerNames.includes(named) ? named : enabled.defaultSchedulerName,
  );
}

/** The PodCliques that a PodGroup lets in. */
export function cliquesIn({ kind, spec }: BackendPodGroup): readonly string[] {
  const backend = backends.find(({ podGroups }) => podGroups?.kind === kind);
  const names = backend?.podGroups?.cliquesIn(spec) ?? [];
  return names.filter((name) => name !== '');
}
