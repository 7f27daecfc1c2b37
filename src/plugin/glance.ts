// How an object is, from the object alone: what its condition Ready says, or what stands in its
// place on kinds that have none. Shown by tree and get.
import { at, list, text, word } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { Paint } from './show/paint.ts';
import type { Cell } from './show/table.ts';

export type Readiness = 'True' | 'False' | 'Unknown';

export interface Glance {
  readonly ready: Readiness;
  readonly reason: string;
  readonly message: string;
  /** `2/3`, where it counts something; else empty. */
  readonly count: string;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** Absent: the kind does not say. */
  readonly observedGeneration?: number;
}

export const conditionsOf = (object: KubeObject): readonly Condition[] =>
  list(at(object, 'status', 'conditions')).map((condition) => ({
    type: text(at(condition, 'type')),
    status: text(at(condition, 'status')),
    reason: text(at(condition, 'reason')),
    message: text(at(condition, 'message')),
    ...generationOf(at(condition, 'observedGeneration')),
  }));

const generationOf = (value: unknown) =>
  typeof value === 'number' ? { observedGeneration: value } : {};

const asReadiness = (status: string): Readiness =>
  status === 'True' || status === 'False' ? status : 'Unknown';

export function glanceAt(object: KubeObject): Glance {
  const count = countOf(object);
  if (object.metadata.deletionTimestamp !== undefined) {
    return { ready: 'False', reason: 'Terminating', message: 'it is being deleted', count };
  }
  const conditions = conditionsOf(object);
  const parked = conditions.find(({ type, status }) => type === 'Parked' && status === 'True');
  if (parked !== undefined) {
    return { ready: 'False', reason: 'Parked', message: parked.message, count };
  }
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready !== undefined) {
    const { status, reason, message, observedGeneration } = ready;
    // What is said of an older spec says nothing of this one.
    if (
      observedGeneration !== undefined &&
      observedGeneration < (object.metadata.generation ?? 0)
    ) {
      return { ready: 'Unknown', reason: 'SpecChanged', message: 'not looked at yet', count };
    }
    return { ready: asReadiness(status), reason, message, count };
  }
  return { ...byPhase(object), message: '', count };
}

/** A PodGang has a phase, a ComputeDomain a status, a template nothing. */
function byPhase(object: KubeObject): Pick<Glance, 'ready' | 'reason'> {
  const phase = word(at(object, 'status', 'phase')) ?? word(at(object, 'status', 'status'));
  if (phase === undefined) {
    return object['status'] === undefined && hasNoStatus.includes(object.kind)
      ? { ready: 'True', reason: '' }
      : { ready: 'Unknown', reason: 'NoStatus' };
  }
  const isGood = ['Running', 'Ready', 'Bound', 'Succeeded'].includes(phase);
  return { ready: isGood ? 'True' : 'False', reason: phase };
}

const hasNoStatus = ['SandboxTemplate', 'ComputeDomainClique', 'ClusterTopologyBinding'];

/** Of what it has to what it wants, by the first pair of fields that it has. */
function countOf(object: KubeObject): string {
  const wanted = at(object, 'spec', 'replicas');
  if (typeof wanted !== 'number') return '';
  const has = at(object, 'status', 'readyReplicas') ?? at(object, 'status', 'availableReplicas');
  return `${typeof has === 'number' ? has : 0}/${wanted}`;
}

const colours = { True: 'good', False: 'bad', Unknown: 'waiting' } as const;

export const readyCell = ({ ready }: Glance, paint: Paint): Cell => ({
  text: ready,
  paint: paint[colours[ready]],
});
