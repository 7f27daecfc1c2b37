// PodGangs and PodGroups of any shape, for the tests of the scheduler backends.
import fc from 'fast-check';
import { readGang, readPodGroup } from '#machines/grove/objects/podgang.ts';
import type {
  BackendPodGroup,
  ObservedGang,
  PodGroupKind,
} from '#machines/grove/objects/podgang.ts';
import { isMalformed } from '#machines/kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';

export const kaiQueue = 'kai.scheduler/queue';
export const volcanoQueue = 'scheduling.grove.io/volcano-queue';

interface GangOptions {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly spec?: JsonObject;
}

function known<T extends object>(observed: T | { malformed: string }): T {
  if (isMalformed(observed)) throw new Error(observed.malformed);
  return observed;
}

export const gang = ({ labels, annotations = {}, spec = {} }: GangOptions = {}): ObservedGang =>
  known<ObservedGang>(
    readGang({
      apiVersion: 'scheduler.grove.io/v1alpha1',
      kind: 'PodGang',
      metadata: {
        name: 'demo-0',
        namespace: 'demo',
        uid: 'gang-uid',
        resourceVersion: '1',
        labels: { 'app.kubernetes.io/part-of': 'demo', ...labels },
        annotations: { [kaiQueue]: 'team', ...annotations },
      },
      spec: { podgroups: [entry('demo-0-a', 2), entry('demo-0-b', 3)], ...spec },
    }),
  );

export const entry = (name: string, minReplicas: number, pack?: JsonObject): JsonObject => ({
  name,
  minReplicas,
  podReferences: [],
  ...(pack === undefined ? {} : { topologyConstraint: { packConstraint: pack } }),
});

/** As the API server would show it. */
export const there = (kind: PodGroupKind, body: KubeObject): BackendPodGroup =>
  known<BackendPodGroup>(
    readPodGroup(kind)({
      ...body,
      metadata: { uid: 'group-uid', resourceVersion: '7', ...body.metadata },
    }),
  );

const key = fc.constantFrom('a', 'foreign/x', 'grove.io/y', 'kai.scheduler/node-pool');
const map = fc.dictionary(key, fc.constantFrom('', 'one', 'two'), { maxKeys: 3 });
const pack = fc.option(
  fc.record({ required: fc.constantFrom('', 'rack'), preferred: fc.constantFrom('', 'host') }),
  { nil: undefined },
);

/** Gangs that say of which topology they are, if they are. */
export const anyGang: fc.Arbitrary<ObservedGang> = fc
  .record({
    labels: map,
    annotations: map,
    least: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 4 }),
    packs: fc.array(pack, { minLength: 4, maxLength: 4 }),
    whole: pack,
    members: fc.integer({ min: 0, max: 4 }),
    priority: fc.constantFrom('', 'high'),
  })
  .map(({ labels, annotations, least, packs, whole, members, priority }) => {
    const podgroups = least.map((many, index) => entry(`demo-0-${index}`, many, packs[index]));
    const podGroupNames = podgroups.slice(0, members).map(({ name }) => String(name));
    return gang({
      labels,
      annotations: { ...annotations, 'grove.io/topology-name': 'dc' },
      spec: {
        podgroups,
        priorityClassName: priority,
        ...(whole === undefined ? {} : { topologyConstraint: { packConstraint: whole } }),
        topologyConstraintGroupConfigs: [{ name: 'demo-0-x-0', podGroupNames }],
      },
    });
  });
