// A PodClique and pods of any state, for the tests of its plan and status.
import fc from 'fast-check';
import { readPod } from '#machines/grove/objects/pod.ts';
import type { ObservedPod } from '#machines/grove/objects/pod.ts';
import { readClique } from '#machines/grove/objects/podclique.ts';
import type { ObservedClique } from '#machines/grove/objects/podclique.ts';
import { readGang } from '#machines/grove/objects/podgang.ts';
import type { ObservedGang } from '#machines/grove/objects/podgang.ts';
import { startContext } from '#machines/grove/podclique/context.ts';
import type { CliqueContext } from '#machines/grove/podclique/context.ts';
import { isMalformed } from '#machines/kubernetes/meta.ts';
import type { Json, JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { settings } from '#test/support/world.ts';

const owner = (kind: string, name: string, uid: string) => [
  { apiVersion: 'grove.io/v1alpha1', kind, name, uid, controller: true },
];

export const cliqueObject = (
  spec: JsonObject = {},
  more: { metadata?: JsonObject; status?: JsonObject } = {},
): KubeObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodClique',
  metadata: {
    name: 'demo-0-worker',
    namespace: 'demo',
    uid: 'clique-uid',
    resourceVersion: '1',
    generation: 1,
    labels: {
      'app.kubernetes.io/part-of': 'demo',
      'grove.io/podgang': 'demo-0',
      'grove.io/podcliqueset-replica-index': '0',
      'grove.io/pod-template-hash': 'new',
      role: 'worker',
    },
    annotations: { 'grove.io/podcliqueset-generation-hash': 'gen', note: 'x' },
    finalizers: ['grove.io/podclique.grove.io'],
    ownerReferences: owner('PodCliqueSet', 'demo', 'set-uid'),
    ...more.metadata,
  },
  spec: {
    roleName: 'worker',
    replicas: 3,
    minAvailable: 2,
    podSpec: { containers: [{ name: 'main', image: 'busybox:1' }] },
    ...spec,
  },
  ...(more.status === undefined ? {} : { status: more.status }),
});

export function must<T extends object>(observed: T): Exclude<T, { malformed: string }> {
  if (isMalformed(observed)) throw new Error(observed.malformed);
  const isFact = (value: T): value is Exclude<T, { malformed: string }> => !isMalformed(value);
  if (!isFact(observed)) throw new Error('malformed');
  return observed;
}

export const clique = (...args: Parameters<typeof cliqueObject>): ObservedClique =>
  must(readClique(cliqueObject(...args)));

export interface PodOptions {
  readonly name: string;
  readonly index?: number;
  readonly hash?: string;
  readonly deleting?: boolean;
  readonly node?: string;
  readonly createdAt?: string;
  readonly gates?: Json[];
  readonly status?: JsonObject;
  readonly replacements?: number;
  readonly ownerUid?: string;
  /** Somebody took our label off. */
  readonly isUnmarked?: boolean;
}

export const podObject = (options: PodOptions): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: options.name,
    namespace: 'demo',
    uid: `uid-${options.name}`,
    resourceVersion: '1',
    labels: {
      ...(options.isUnmarked === true ? {} : { 'app.kubernetes.io/managed-by': 'grove-operator' }),
      'app.kubernetes.io/part-of': 'demo',
      'grove.io/podclique': 'demo-0-worker',
      'grove.io/podgang': 'demo-0',
      'grove.io/pod-template-hash': options.hash ?? 'new',
    },
    ...(options.replacements === undefined
      ? {}
      : { annotations: { 'grove.io/pod-replacements': `${options.replacements}` } }),
    ...(options.createdAt === undefined ? {} : { creationTimestamp: options.createdAt }),
    ...(options.deleting === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    ownerReferences: owner('PodClique', 'demo-0-worker', options.ownerUid ?? 'clique-uid'),
  },
  spec: {
    hostname: `demo-0-worker-${options.index ?? 0}`,
    ...(options.node === undefined ? {} : { nodeName: options.node }),
    ...(options.gates === undefined ? {} : { schedulingGates: options.gates }),
  },
  status: options.status ?? {},
});

export const pod = (options: PodOptions): ObservedPod => must(readPod(podObject(options)));

const key = { kind: 'podclique', namespace: 'demo', name: 'demo-0-worker' } as const;
const root = { kind: 'podcliqueset', namespace: 'demo', name: 'demo' } as const;

export const contextOf = (
  observed: ObservedClique,
  pods: readonly ObservedPod[],
  { gang: own, ...more }: Partial<CliqueContext> & { readonly gang?: ObservedGang } = {},
): CliqueContext => ({
  ...startContext({ key, root, settings }),
  clique: observed,
  pods: new Map(pods.map((one) => [one.name, one])),
  gangs: new Map(own === undefined ? [] : [[own.name, own]]),
  ...more,
});

export const gang = (names: readonly string[], more: JsonObject = {}) =>
  must(
    readGang({
      apiVersion: 'scheduler.grove.io/v1alpha1',
      kind: 'PodGang',
      metadata: {
        name: 'demo-0',
        namespace: 'demo',
        uid: 'gang-uid',
        resourceVersion: '1',
        generation: 1,
        labels: { 'app.kubernetes.io/part-of': 'demo' },
        ownerReferences: owner('PodCliqueSet', 'demo', 'set-uid'),
      },
      spec: {
        podgroups: [
          {
            name: 'demo-0-worker',
            minReplicas: 2,
            podReferences: names.map((name) => ({ namespace: 'demo', name })),
          },
          { name: 'demo-0-first', minReplicas: 4, podReferences: [] },
        ],
      },
      ...more,
    }),
  );

const tri = fc.constantFrom('True', 'False', undefined);

/** Containers of a pod: started, ready, last exit code. */
const containers = fc.array(
  fc.record({
    started: fc.constantFrom(true, false, undefined),
    ready: fc.boolean(),
    exit: fc.constantFrom(undefined, 0, 1, 137),
  }),
  { maxLength: 2 },
);

/** Pods in any state that a kubelet and a scheduler may report, with distinct names and indices. */
export const anyPods = (maxLength = 5): fc.Arbitrary<readonly PodOptions[]> =>
  fc
    .array(
      fc.record({
        scheduled: tri,
        reason: fc.constantFrom('SchedulingGated', 'Unschedulable', 'Scheduled'),
        ready: tri,
        phase: fc.constantFrom('Pending', 'Running', 'Unknown', 'Succeeded', 'Failed', ''),
        hash: fc.constantFrom('new', 'old'),
        deleting: fc.boolean(),
        node: fc.constantFrom(undefined, 'n1'),
        age: fc.constantFrom(undefined, 0, 1, 2),
        inits: containers,
        mains: containers,
      }),
      { maxLength },
    )
    .map((states) => states.map(toOptions));

interface State {
  readonly scheduled: string | undefined;
  readonly reason: string;
  readonly ready: string | undefined;
  readonly phase: string;
  readonly hash: string;
  readonly deleting: boolean;
  readonly node: string | undefined;
  readonly age: number | undefined;
  readonly inits: readonly ContainerState[];
  readonly mains: readonly ContainerState[];
}

interface ContainerState {
  readonly started: boolean | undefined;
  readonly ready: boolean;
  readonly exit: number | undefined;
}

const toOptions = (state: State, index: number): PodOptions => ({
  name: `demo-0-worker-p${index}`,
  index,
  hash: state.hash,
  deleting: state.deleting,
  ...(state.node === undefined ? {} : { node: state.node }),
  ...(state.age === undefined ? {} : { createdAt: `2026-01-01T00:0${state.age}:00Z` }),
  status: {
    phase: state.phase,
    conditions: [
      ...condition('PodScheduled', state.scheduled, state.reason),
      ...condition('Ready', state.ready, 'R'),
    ],
    initContainerStatuses: state.inits.map(containerStatus),
    containerStatuses: state.mains.map(containerStatus),
  },
});

const condition = (type: string, status: string | undefined, reason: string): JsonObject[] =>
  status === undefined ? [] : [{ type, status, reason }];

const containerStatus = (state: ContainerState): JsonObject => ({
  name: 'c',
  ready: state.ready,
  ...(state.started === undefined ? {} : { started: state.started }),
  ...(state.exit === undefined ? {} : { lastState: { terminated: { exitCode: state.exit } } }),
});
