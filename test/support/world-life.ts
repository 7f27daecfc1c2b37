// What lives beside the machines in the little world: the scheduler, the kubelets and the garbage
// collector, one round of work each time that a test says so.
import { refKey } from '#machines/contract/address.ts';
import type { ObjectRef } from '#machines/contract/address.ts';
import { at, isEqual, list, object } from '#machines/kubernetes/json.ts';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { refOf } from './world-store.ts';
import type { Store } from './world-store.ts';

/** Deletes what lost its owner, holds what waits for its dependents, cuts the ties of orphans. */
export function collect(store: Store): void {
  for (const one of Array.from(store.objects.values())) {
    if (isHeldBy(one, 'orphan')) orphan(store, one);
    if (isHeldBy(one, 'foregroundDeletion')) awaitDependents(store, one);
  }
  const all = Array.from(store.objects.values());
  const uids = new Set(all.map((one) => one.metadata.uid));
  for (const one of all) {
    const owner = controllerOf(one);
    if (owner !== undefined && !uids.has(owner.uid)) store.remove(refOf(one));
  }
}

const isHeldBy = (one: KubeObject, finalizer: string): boolean =>
  one.metadata.deletionTimestamp !== undefined &&
  one.metadata.finalizers?.includes(finalizer) === true;

const dependentsOf = (store: Store, owner: KubeObject): readonly KubeObject[] =>
  [...store.objects.values()].filter((one) => controllerOf(one)?.uid === owner.metadata.uid);

function orphan(store: Store, owner: KubeObject): void {
  for (const one of dependentsOf(store, owner)) {
    store.edit(refOf(one), { metadata: { ownerReferences: null } });
  }
  takeFinalizer(store, owner, 'orphan');
}

function awaitDependents(store: Store, owner: KubeObject): void {
  const waiters = dependentsOf(store, owner);
  if (waiters.length === 0) takeFinalizer(store, owner, 'foregroundDeletion');
  for (const one of waiters) {
    store.remove(refOf(one), dependentsOf(store, one).length > 0 ? 'Foreground' : 'Background');
  }
}

function takeFinalizer(store: Store, { metadata, ...rest }: KubeObject, name: string): void {
  const finalizers = (metadata.finalizers ?? []).filter((one) => one !== name);
  store.edit(refOf({ ...rest, metadata }), { metadata: { finalizers } });
}

/** Pods without a gate are bound, bound ones become ready, terminating ones go. */
export function runPods(store: Store): void {
  for (const pod of store.all('Pod')) runPod(store, pod);
}

/** One step in the life of a pod. */
export function runPod(store: Store, pod: KubeObject): void {
  const ref = refOf(pod);
  if (pod.metadata.deletionTimestamp !== undefined) return store.drop(ref);
  const phase = at(pod, 'status', 'phase');
  if (phase === 'Failed' || phase === 'Succeeded') return;
  if (list(at(pod, 'spec', 'schedulingGates')).length > 0) {
    return setStatus(store, ref, gatedStatus);
  }
  if (at(pod, 'spec', 'nodeName') === undefined) {
    store.edit(ref, { spec: { nodeName: 'node-1' } });
    return setStatus(store, ref, scheduledStatus);
  }
  setStatus(store, ref, readyStatus);
}

function setStatus(store: Store, ref: ObjectRef, status: JsonObject): void {
  const there = object(store.objects.get(refKey(ref))?.['status']);
  if (!isEqual(there, status)) store.edit(ref, { status });
}

const condition = (type: string, status: string, reason: string): JsonObject => ({
  type,
  status,
  reason,
});

const gatedStatus: JsonObject = {
  phase: 'Pending',
  conditions: [condition('PodScheduled', 'False', 'SchedulingGated')],
};

const scheduledStatus: JsonObject = {
  phase: 'Pending',
  conditions: [condition('PodScheduled', 'True', 'Scheduled')],
};

export const readyStatus: JsonObject = {
  phase: 'Running',
  conditions: [condition('PodScheduled', 'True', 'Scheduled'), condition('Ready', 'True', 'Ready')],
  containerStatuses: [{ name: 'main', started: true, ready: true }],
};
