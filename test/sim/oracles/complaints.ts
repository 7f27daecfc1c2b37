// Collects what is not as expected. The expectations call it for every object that must be there,
// so that it knows in the end which of those that are there nobody asked for.
import { isDeepStrictEqual } from 'node:util';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, labelsOf, listAt, textAt, uidOf } from '../fields.ts';
import { namespace } from '../users/workload.ts';
import { isTaken, strangersOwner } from '../world/pending.ts';

export class Complaints {
  readonly store: Store;
  readonly all: string[] = [];
  readonly #expected = new Set<Stored>();

  /** Constraints are passed on to PodGangs. */
  readonly isTopologyAware: boolean;

  constructor(store: Store, isTopologyAware: boolean) {
    this.store = store;
    this.isTopologyAware = isTopologyAware;
  }

  say(what: string): void {
    this.all.push(what);
  }

  same(what: string, is: unknown, wanted: unknown): void {
    if (isDeepStrictEqual(plain(is), plain(wanted))) return;
    this.say(`${what}: is ${JSON.stringify(is)}, should be ${JSON.stringify(wanted)}`);
  }

  /** An update that began is over. */
  ended(name: string, progress: unknown): void {
    if (progress === undefined || textAt(progress, 'updateEndedAt') !== '') return;
    this.say(`${name} is in an update: ${JSON.stringify(progress)}`);
  }

  /** An object that must be there and be controlled by the owner alone. */
  owned(resource: string, name: string, owner: Stored): Stored | undefined {
    const object = this.store.collection(resource).get(namespace, name);
    if (object === undefined) {
      this.say(`${resource} ${name} is missing`);
      return undefined;
    }
    if (isTaken(object)) return undefined;
    this.#expected.add(object);
    if (!isOwnedBy(object, uidOf(owner))) {
      this.say(`${resource} ${name} is not controlled by ${nameOf(owner)} ${uidOf(owner)}`);
    }
    if (at(object, 'metadata', 'deletionTimestamp') !== undefined) {
      this.say(`${resource} ${name} is being deleted`);
    }
    return object;
  }

  /** An object that may be there or not, however it is. */
  allow(resource: string, name: string): void {
    const object = this.store.collection(resource).get(namespace, name);
    if (object !== undefined) this.#expected.add(object);
  }

  /** A named child of a set, with the labels of all of them. `owner`: of a member its group. */
  child(
    resource: string,
    name: string,
    set: Stored,
    component: string,
    owner: Stored = set,
  ): Stored | undefined {
    const object = this.owned(resource, name, owner);
    if (object === undefined) return undefined;
    this.labels(`${resource} ${name}`, object, {
      'app.kubernetes.io/managed-by': 'grove-operator',
      'app.kubernetes.io/part-of': nameOf(set),
      'app.kubernetes.io/component': component,
      ...(component === 'podgang' ? {} : { 'app.kubernetes.io/name': name.replaceAll(':', '-') }),
    });
    return object;
  }

  /** At least these. */
  labels(what: string, object: unknown, wanted: Readonly<Record<string, string>>): void {
    const labels = labelsOf(object);
    for (const [key, value] of Object.entries(wanted)) {
      if (labels[key] !== value) this.say(`${what}: label ${key} is ${labels[key]}, not ${value}`);
    }
  }

  isExpected(object: Stored): boolean {
    return this.#expected.has(object);
  }
}

/** As JSON has it. */
const plain = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value));

export const nameOf = (object: unknown): string => textAt(object, 'metadata', 'name');

/** Exactly one owner, which controls it, besides that of others: the garbage collector does not
 *  take it off what is on its way out. */
export function isOwnedBy(object: unknown, uid: string): boolean {
  const owners = listAt(object, 'metadata', 'ownerReferences').filter(
    (owner) => textAt(owner, 'name') !== strangersOwner,
  );
  return owners.length === 1 && owners.every((owner) => textAt(owner, 'uid') === uid);
}
