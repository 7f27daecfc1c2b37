// What a PodClique's actor needs to know of a pod, classified as its status needs it (spec
// controllers 2.1), and what of a pod is kept in memory for that. Everything else that a kubelet
// reports is no news.
import { at, count, isObject, list, object, pick, text, word } from '../../kubernetes/json.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { epoch } from '../../kubernetes/time.ts';
import { annotation, label, managedBy, podGate, startContainerName } from './labels.ts';
import { reading } from './meta.ts';
import { indexOfHostname } from './pod-names.ts';

export interface ObservedPod extends Meta {
  readonly kind: 'Pod';
  /** Index within the PodClique, from the host name; undefined where it is not readable. */
  readonly index: number | undefined;
  readonly templateHash: string | undefined;
  /** Carries the label that pods of ours are watched by. */
  readonly isMarked: boolean;
  readonly gang: string | undefined;
  readonly phase: string;
  /** When it ended, as far as its status tells; undefined while it has not. */
  readonly endedAt: number | undefined;
  /** When it should be gone, its grace included; undefined while it is not being deleted. */
  readonly deletesAt: number | undefined;
  /** Replacements in quick succession before it was created; 0 for most. */
  readonly replacements: number;
  readonly nodeName: string | undefined;
  /** Scheduling gates as they stand; a gate may belong to others. */
  readonly gates: readonly JsonObject[];
  readonly isScheduled: boolean;
  /** The scheduler says that a gate holds it. */
  readonly isGated: boolean;
  readonly isReady: boolean;
  /** Some container ended with an error last time. */
  readonly hasErrored: boolean;
  readonly isStartedNotReady: boolean;
  /** Its last init container waits for the PodCliques that it starts after. */
  readonly isHeldByOrder: boolean;
  /** What the scheduler or the kubelet says is wrong; empty where nothing is. */
  readonly trouble: string;
}

/** Whether something changed that an actor acts on. The version matters only to the patch that
 *  takes a gate away. */
export function isPodNews(old: ObservedPod | undefined, now: ObservedPod): boolean {
  if (old?.uid !== now.uid || old.deleting !== now.deleting) return true;
  if (old.owner?.uid !== now.owner?.uid) return true;
  const hasGates = old.gates.length + now.gates.length > 0;
  if (hasGates && old.resourceVersion !== now.resourceVersion) return true;
  return fields.some((field) => old[field] !== now[field]);
}

type Field = Exclude<keyof ObservedPod, keyof Meta | 'kind' | 'gates'>;

const named = [
  'index',
  'templateHash',
  'isMarked',
  'gang',
  'phase',
  'endedAt',
  'deletesAt',
  'replacements',
  'nodeName',
  'isScheduled',
  'isGated',
  'isReady',
  'hasErrored',
  'isStartedNotReady',
  'isHeldByOrder',
  'trouble',
] as const satisfies readonly Field[];

/** Compiles only if all are named. */
const fields: Exclude<Field, (typeof named)[number]> extends never ? readonly Field[] : never =
  named;

export const readPod = reading((source, meta): ObservedPod | Malformed => {
  const { spec, status } = { spec: source['spec'], status: source['status'] };
  const scheduled = condition(status, 'PodScheduled');
  const gates = list(at(spec, 'schedulingGates')).filter(isObject);
  const mains = containers(status, 'containerStatuses');
  const hasErrored = errored(containers(status, 'initContainerStatuses')) || errored(mains);
  const isReady = condition(status, 'Ready')?.['status'] === 'True';
  const phase = text(at(status, 'phase'));
  return {
    ...meta,
    kind: 'Pod',
    gates,
    index: indexOfHostname(meta.owner?.name ?? '', text(at(spec, 'hostname'))),
    templateHash: word(meta.labels[label.templateHash]),
    isMarked: meta.labels[label.managedBy] === managedBy,
    gang: word(meta.labels[label.podGang]),
    phase,
    endedAt: isFinished({ phase }) ? lastTime(status) : undefined,
    deletesAt: epoch(source.metadata.deletionTimestamp),
    replacements: replacementsIn(meta.annotations[annotation.replacements]),
    nodeName: word(at(spec, 'nodeName')),
    isScheduled: scheduled?.['status'] === 'True',
    isGated: scheduled?.['status'] === 'False' && scheduled['reason'] === 'SchedulingGated',
    isReady,
    hasErrored: hasErrored && !isReady,
    isHeldByOrder: containers(status, 'initContainerStatuses').some(isHoldingStart),
    isStartedNotReady: !isReady && !hasErrored && mains.some(isStartedNotReady),
    trouble: trouble(status, scheduled, mains),
  };
});

const replacementsIn = (text: string = ''): number => (/^\d{1,6}$/.test(text) ? Number(text) : 0);

/** The latest time that a status tells: of what ended, or of a condition that changed with it. */
function lastTime(status: unknown): number | undefined {
  const ended = ['initContainerStatuses', 'containerStatuses']
    .flatMap((field) => containers(status, field))
    .map((one) => epoch(at(one, 'state', 'terminated', 'finishedAt')));
  const changed = list(at(status, 'conditions')).map((one) => epoch(at(one, 'lastTransitionTime')));
  const times = [...ended, ...changed].filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
}

const condition = (status: unknown, type: string): JsonObject | undefined =>
  list(at(status, 'conditions'))
    .filter(isObject)
    .find((entry) => entry['type'] === type);

const containers = (status: unknown, field: string): readonly JsonObject[] =>
  list(at(status, field)).filter(isObject);

const errored = (statuses: readonly JsonObject[]): boolean =>
  statuses.some((status) => (count(at(status, 'lastState', 'terminated', 'exitCode')) ?? 0) !== 0);

const isStartedNotReady = (status: JsonObject): boolean =>
  status['started'] === true && status['ready'] === false;

const isHoldingStart = (status: JsonObject): boolean =>
  status['name'] === startContainerName && at(status, 'state', 'running') !== undefined;

function trouble(
  status: unknown,
  scheduled: JsonObject | undefined,
  mains: readonly JsonObject[],
): string {
  if (scheduled?.['status'] === 'False' && scheduled['reason'] !== 'SchedulingGated') {
    return `is unschedulable: ${text(scheduled['message']) || text(scheduled['reason'])}`;
  }
  for (const container of mains) {
    const waiting = text(at(container, 'state', 'waiting', 'reason'));
    const code = count(at(container, 'lastState', 'terminated', 'exitCode')) ?? 0;
    const name = text(container['name']);
    if (code !== 0)
      return `container ${name} ended with exit code ${code} (${waiting || 'restarted'})`;
    if (waiting !== '' && waiting !== 'ContainerCreating' && waiting !== 'PodInitializing') {
      return `container ${name} is waiting: ${waiting}`;
    }
  }
  const reason = text(at(status, 'reason'));
  return text(at(status, 'phase')) === 'Failed'
    ? `failed${reason === '' ? '' : `: ${reason}`}`
    : '';
}

/** True where our own gate holds the pod. */
export const hasOurGate = (pod: ObservedPod): boolean =>
  pod.gates.some((gate) => gate['name'] === podGate);

/** True where the pod will never run again. */
export const isFinished = ({ phase }: Pick<ObservedPod, 'phase'>): boolean =>
  phase === 'Succeeded' || phase === 'Failed';

const podSpecFields = ['hostname', 'subdomain', 'nodeName', 'schedulerName', 'schedulingGates'];
const conditionFields = ['type', 'status', 'reason', 'message', 'lastTransitionTime'];

/** What is read above: the rest is most of a pod. */
export function keptOfPod(raw: JsonObject): Record<string, unknown> {
  const spec = object(raw['spec']);
  const status = object(raw['status']);
  return {
    spec: pick(spec, podSpecFields),
    status: {
      ...pick(status, ['phase', 'reason']),
      ...each(status, 'conditions', (condition) => pick(condition, conditionFields)),
      ...each(status, 'initContainerStatuses', keptOfContainer),
      ...each(status, 'containerStatuses', keptOfContainer),
    },
  };
}

function keptOfContainer(status: JsonObject): Record<string, unknown> {
  const state = Object.entries(object(status['state'])).map(([phase, detail]) => [
    phase,
    pick(object(detail), ['reason', 'exitCode', 'finishedAt']),
  ]);
  const exitCode = object(object(status['lastState'])['terminated'])['exitCode'];
  return {
    ...pick(status, ['name', 'ready', 'started', 'restartCount']),
    ...(state.length === 0 ? {} : { state: Object.fromEntries(state) }),
    ...(exitCode === undefined ? {} : { lastState: { terminated: { exitCode } } }),
  };
}

/** The list under `field`, each entry reduced; nothing where there is no such list. */
function each(
  from: JsonObject,
  field: string,
  reduce: (entry: JsonObject) => Record<string, unknown>,
): Record<string, unknown> {
  const list = from[field];
  return Array.isArray(list) ? { [field]: list.map((entry) => reduce(object(entry))) } : {};
}
