// What `coppice dev` shows, as data: the sets with their gangs and pods, kept up to date from
// observations of the cluster. Pure bookkeeping; view.ts turns it into lines.
import type { Observation } from '#actors/ports.ts';
import type { Kind } from '#machines/kinds.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { controllerOf, type KubeObject } from '#machines/kubernetes/objects.ts';
import type { DevScene } from '#src/modules/edge.ts';
import { type GangLine, paint, type PodLine, type SetLine, summary } from './view.ts';

type Objects = Map<string, KubeObject>;

export class Scene implements DevScene {
  readonly #sets: Objects = new Map();
  readonly #cliques: Objects = new Map();
  readonly #groups: Objects = new Map();
  readonly #gangs: Objects = new Map();
  readonly #pods: Objects = new Map();
  readonly #byKind: Readonly<Partial<Record<Kind, Objects>>> = {
    PodCliqueSet: this.#sets,
    PodClique: this.#cliques,
    PodCliqueScalingGroup: this.#groups,
    PodGang: this.#gangs,
    Pod: this.#pods,
  };

  observe(observation: Observation): void {
    const kind = observation.type === 'seen' ? observation.kind : observation.ref.kind;
    const objects = this.#byKind[kind];
    if (objects === undefined) return;
    if (observation.type === 'seen') objects.set(keyOf(observation.object), observation.object);
    else objects.delete(`${observation.ref.namespace}/${observation.ref.name}`);
  }

  lines(): readonly SetLine[] {
    const pods = groupBy(this.#pods, (pod) => label(pod, 'app.kubernetes.io/part-of'));
    const gangs = groupBy(this.#gangs, (gang) => controllerOf(gang)?.name ?? '');
    const cliques = groupBy(this.#cliques, (clique) => label(clique, 'app.kubernetes.io/part-of'));
    const groups = groupBy(this.#groups, (group) => label(group, 'app.kubernetes.io/part-of'));
    return [...this.#sets]
      .toSorted(([a], [b]) => natural(a, b))
      .map(([key, set]) =>
        line(key, set, {
          pods: pods.get(key) ?? [],
          gangs: gangs.get(key) ?? [],
          cliques: cliques.get(key) ?? [],
          groups: groups.get(key) ?? [],
        }),
      );
  }

  paint(): readonly string[] {
    return paint(this.lines(), this.#podLines());
  }

  #podLines(): readonly PodLine[] {
    return [...this.#pods.values()]
      .map(podLine)
      .filter(({ clique }) => clique !== '')
      .toSorted((a, b) => natural(a.name, b.name));
  }
}

interface Members {
  readonly pods: readonly KubeObject[];
  readonly gangs: readonly KubeObject[];
  readonly cliques: readonly KubeObject[];
  readonly groups: readonly KubeObject[];
}

function line(key: string, set: KubeObject, { pods, gangs, cliques, groups }: Members): SetLine {
  const lines = pods.map(podLine);
  const ready = new Set(lines.flatMap(({ name, phase }) => (phase === 'ready' ? [name] : [])));
  const replicas = integer(at(set, 'spec', 'replicas'));
  const available = integer(at(set, 'status', 'availableReplicas'));
  const wanted = Math.max(
    replicas * podsPerReplica(set),
    sum(cliques, (clique) => integer(at(clique, 'spec', 'replicas'))),
  );
  const gangLines = gangs
    .map((gang) => gangLine(gang, ready))
    .toSorted((a, b) => natural(a.name, b.name));
  const trouble = [set, ...groups, ...cliques].flatMap(troubleOf);
  const done =
    replicas === available && ready.size >= wanted && gangLines.every((gang) => gang.initialized);
  const shown = {
    ...{ kind: 'PodCliqueSet', key, replicas, available, trouble, done },
    pods: { wanted, seen: pods.length, ready: ready.size },
    gangs: gangLines,
  };
  return { ...shown, summary: summary(shown) };
}

/** As the template has it: a member of a scaling group counts once for each group replica. */
function podsPerReplica(set: KubeObject): number {
  const times = new Map(
    list(at(set, 'spec', 'template', 'podCliqueScalingGroups')).flatMap((group) =>
      list(at(group, 'cliqueNames')).map((name) => [name, integer(at(group, 'replicas'))]),
    ),
  );
  return sum(
    list(at(set, 'spec', 'template', 'cliques')),
    (clique) =>
      Math.max(1, integer(at(clique, 'spec', 'replicas'))) * (times.get(at(clique, 'name')) ?? 1),
  );
}

function gangLine(gang: KubeObject, readyPods: ReadonlySet<string>): GangLine {
  const names = list(at(gang, 'spec', 'podgroups')).flatMap((group) =>
    list(at(group, 'podReferences')).map((reference) => text(at(reference, 'name'))),
  );
  return {
    name: gang.metadata.name,
    initialized: condition(gang, 'Initialized') === 'True',
    listed: names.length,
    ready: names.filter((name) => readyPods.has(name)).length,
  };
}

function podLine(pod: KubeObject): PodLine {
  const phase =
    pod.metadata.deletionTimestamp !== undefined
      ? 'terminating'
      : condition(pod, 'Ready') === 'True'
        ? 'ready'
        : condition(pod, 'PodScheduled') === 'True'
          ? 'scheduled'
          : 'waiting';
  return { name: pod.metadata.name, clique: label(pod, 'grove.io/podclique'), phase };
}

/** `lastErrors` of the set, its groups and cliques, a parked actor. */
function troubleOf(object: KubeObject): string[] {
  const errors = list(at(object, 'status', 'lastErrors')).map((error) =>
    text(at(error, 'description')),
  );
  const parked = list(at(object, 'status', 'conditions'))
    .filter((row) => at(row, 'type') === 'Parked' && at(row, 'status') === 'True')
    .map((row) => `parked: ${text(at(row, 'message'))}`);
  return [...parked, ...errors].map((what) => `${object.kind} ${object.metadata.name}: ${what}`);
}

const integer = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) ? value : 0;
const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);
const keyOf = (object: KubeObject): string =>
  `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
const condition = (object: KubeObject, type: string): string =>
  text(
    at(
      list(at(object, 'status', 'conditions')).find((row) => at(row, 'type') === type),
      'status',
    ),
  );
const label = (object: KubeObject, key: string): string => object.metadata.labels?.[key] ?? '';
const natural = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

/** Objects by `namespace/<owner name>`. */
function groupBy(
  objects: Objects,
  owner: (object: KubeObject) => string,
): Map<string, KubeObject[]> {
  return Map.groupBy(
    objects.values(),
    (object) => `${object.metadata.namespace ?? ''}/${owner(object)}`,
  );
}
