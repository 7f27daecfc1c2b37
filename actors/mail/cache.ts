// What is known of every object: the newest version seen, whom it was delivered to, and our last
// write on it. Lists, watches and replies all come in here, in any order and more than once; what
// is not newer is dropped, and a deleted UID stays deleted. Objects are never changed in place.
import { refKey, actorId, type ObjectRef, type ActorKey } from '#machines/contract/address.ts';
import type { Route } from '#machines/contract/route.ts';
import type { Entry } from '#machines/contract/view.ts';
import type { Kind } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { isNewer, isOlder } from '#machines/kubernetes/versions.ts';
import { entryOf, putNewest } from '../maps.ts';
import type { Observation } from '../ports.ts';
import { ownRef } from '../run/actor.ts';
import type { Cause } from './causality.ts';
import type { MachineEvent } from './mailbox.ts';

/** One actor that an object is delivered to, and how. */
export interface Target {
  readonly to: ActorKey;
  readonly toId: string;
  readonly root: ActorKey;
  readonly event: MachineEvent;
  readonly route: Route;
  readonly observed: unknown;
}

export interface Shown {
  readonly route: Route;
  readonly entries: readonly Entry[];
}

type End = Pick<Extract<Observation, { type: 'gone' }>, 'isSure' | 'upTo' | 'isOwnVersion'>;

export interface Known {
  readonly key: string;
  readonly ref: ObjectRef;
  readonly uid: string;
  object: KubeObject;
  /** Decimal resourceVersion. */
  version: string;
  targets: readonly Target[];
  /** What it is in views, by the routes that have read it. */
  shown: readonly Shown[];
  /** Our last write on this object, and the trace that it belongs to. */
  lastWrite: Cause | undefined;
  /** The generation that it left. */
  writtenGeneration: number | undefined;
}

/** An actor that objects are delivered to. */
interface Addressee {
  readonly key: ActorKey;
  readonly id: string;
  /** By key. */
  readonly objects: Map<string, Known>;
}

interface News {
  readonly known: Known;
  /** An object of another UID that held the name; it is gone. */
  readonly replaced: Known | undefined;
  /** The same object as it was known until now. */
  readonly before: KubeObject | undefined;
}

export class Cache {
  readonly #objects = new Map<string, Known>();
  readonly #byActor = new Map<string, Addressee>();
  readonly #tombstones = new Map<string, true>();
  /** The last version of what was taken for gone and may come back, by kind and UID: what one kind
   *  does not select any more may be selected by another. */
  readonly #lost = new Map<string, string>();
  readonly #maxTombstones: number;

  constructor(options: { tombstones: number }) {
    this.#maxTombstones = options.tombstones;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(ref: ObjectRef): Known | undefined {
    return this.#objects.get(refKey(ref));
  }

  at(key: string): Known | undefined {
    return this.#objects.get(key);
  }

  /** Undefined: it is none. */
  see(kind: Kind, object: KubeObject): News | undefined {
    const { name, namespace = '', uid = '', resourceVersion = '' } = object.metadata;
    if (this.#tombstones.has(uid) || this.#isFromBefore(kind, uid, resourceVersion))
      return undefined;
    const ref: ObjectRef = { kind, namespace, name };
    const key = refKey(ref);
    const before = this.#objects.get(key);
    if (before !== undefined && !isNewer(resourceVersion, before.version)) return undefined;
    if (before?.uid === uid) {
      const { object: old } = before;
      before.object = object;
      before.version = resourceVersion;
      return { known: before, replaced: undefined, before: old };
    }
    if (before !== undefined) {
      this.#remove(before);
      this.#entomb(before.uid);
    }
    const known: Known = {
      key,
      ref,
      uid,
      object,
      version: resourceVersion,
      targets: [],
      shown: [],
      lastWrite: undefined,
      writtenGeneration: undefined,
    };
    this.#objects.set(key, known);
    return { known, replaced: before, before: undefined };
  }

  /**
   * The object that is gone by this; undefined when it was not known (any more). From a 404 it is
   * not `isSure` (a CRD that is not served for a moment answers so too), nor where a watch selects
   * by a label that it may have lost: then it may come back, but not as it was before. One that is
   * back already is newer than `upTo`.
   */
  gone(ref: ObjectRef, uid: string, end: End = {}): Known | undefined {
    const { isSure = true, upTo = '', isOwnVersion = false } = end;
    const known = this.get(ref);
    if (isSure) this.#entomb(uid);
    const isKnown = known?.uid === uid;
    if (isKnown && !isSure && isOlder(upTo, known.version)) return undefined;
    const last = isOwnVersion ? upTo : isKnown ? known.version : '';
    if (!isSure) this.#lose(ref.kind, uid, last);
    if (!isKnown) return undefined;
    this.#remove(known);
    return known;
  }

  /** Notes whom an object is delivered to from now on. */
  address(known: Known, targets: readonly Target[]): void {
    const wanted = new Set(targets.map(({ toId }) => toId));
    for (const { toId } of known.targets) if (!wanted.has(toId)) this.#unindex(toId, known);
    for (const { to, toId } of targets) {
      const addressee = () => ({ key: to, id: toId, objects: new Map() });
      entryOf(this.#byActor, toId, addressee).objects.set(known.key, known);
    }
    known.targets = targets;
  }

  /** Key and id of this actor: the very same for all objects that are delivered to it. */
  addressee(key: ActorKey): Pick<Addressee, 'key' | 'id'> {
    const id = actorId(key);
    return this.#byActor.get(id) ?? { key, id };
  }

  /** Whether any object is delivered to this actor. */
  isAddressed(actor: string): boolean {
    return this.#byActor.has(actor);
  }

  /** All objects that are delivered to an actor, its own first. */
  addressedTo(key: ActorKey, own: ObjectRef): Known[] {
    const objects = this.#byActor.get(actorId(key))?.objects;
    if (objects === undefined) return [];
    const first = objects.get(refKey(own));
    const rest = [...objects.values()].filter((known) => known !== first);
    return first === undefined ? rest : [first, ...rest];
  }

  /** The root of the tree that the actor is in; undefined when nothing is addressed to it. */
  rootOf(actor: string): ActorKey | undefined {
    return this.#placed(actor)?.root;
  }

  /** Every actor that some object is addressed to, with the root of its tree. */
  *addressees(): Iterable<{ to: ActorKey; root: ActorKey }> {
    for (const toId of this.#byActor.keys()) {
      const target = this.#placed(toId);
      if (target !== undefined) yield { to: target.to, root: target.root };
    }
  }

  /** Its own object says in which tree an actor is; until that is known, any other does. */
  #placed(toId: string): Target | undefined {
    for (const known of this.#byActor.get(toId)?.objects.values() ?? []) {
      const target = targetIn(known, toId);
      if (target === undefined) continue;
      const own = this.get(ownRef(target.to));
      return (own && targetIn(own, toId)) ?? target;
    }
    return undefined;
  }

  /** The root of its tree by the actor's own object; undefined where that is not known. */
  ownRootOf(key: ActorKey): ActorKey | undefined {
    const own = this.get(ownRef(key));
    return own && targetIn(own, actorId(key))?.root;
  }

  #remove(known: Known): void {
    this.#objects.delete(known.key);
    for (const { toId } of known.targets) this.#unindex(toId, known);
  }

  #unindex(toId: string, known: Known): void {
    const objects = this.#byActor.get(toId)?.objects;
    if (objects?.get(known.key) !== known) return;
    objects.delete(known.key);
    if (objects.size === 0) this.#byActor.delete(toId);
  }

  /** A late watch event of what was taken for gone when more was known of it. */
  #isFromBefore(kind: Kind, uid: string, version: string): boolean {
    if (this.#lost.size === 0) return false;
    const key = lostKey(kind, uid);
    const last = this.#lost.get(key);
    if (last === undefined) return false;
    if (isOlder(version, last)) return true;
    this.#lost.delete(key);
    return false;
  }

  #lose(kind: Kind, uid: string, version: string): void {
    if (uid === '' || version === '') return;
    putNewest(this.#lost, lostKey(kind, uid), version, this.#maxTombstones);
  }

  #entomb(uid: string): void {
    if (uid !== '') putNewest(this.#tombstones, uid, true, this.#maxTombstones);
  }
}

const lostKey = (kind: Kind, uid: string): string => `${kind} ${uid}`;

const targetIn = ({ targets }: Known, toId: string): Target | undefined =>
  targets.find((target) => target.toId === toId);
