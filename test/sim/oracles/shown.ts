// What one process has been shown: of every object the newest version that lists, watches and
// replies brought to it, as they really reached it. The oracles judge what it does by this and by
// nothing else, since a correct controller cannot know more. Fed by witness.ts.
import { defaultLimits } from '#actors/limits.ts';
import type { Clock } from '#actors/ports.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, listAt, numberAt, textAt, uidOf } from '../fields.ts';

/** News waits in the process for the next tick, on a clock of half the speed for twice as long. */
const digestMs = 2 * defaultLimits.tickDistanceMs;
/** Ends that are remembered, so that late news of an object does not bring it back. */
const mostEnds = 1_000;

/** A way in which a process may take an object; undefined: for gone. */
export type Look = Stored | undefined;

/** A create of a pod that was decided. */
export interface PodDecision {
  /** The most pods that its PodClique may have, as far as the process could know. */
  readonly desired: number;
  /** The pods of the PodClique that it had been shown, by UID. */
  readonly known: ReadonlySet<string>;
  /** There is no answer so far. */
  readonly isUnderWay: () => boolean;
}

interface Entry {
  readonly uid: string;
  readonly collection: string;
  readonly place: string;
  readonly owner: string;
  /** Of its newest look; of an end that a list showed, that of the list. */
  version: number;
  /** Of the newest object. */
  seen: number;
  /** The newest last, before it what gave way to it within the time of a tick. Where the newest is
   *  an end that is not sure, so is the one before. */
  looks: { readonly object: Look; until: number }[];
}

export class Shown {
  readonly #clock: Clock;
  readonly #digestMs: number;
  readonly #entries = new Map<string, Entry>();
  /** UIDs by collection, namespace and name. */
  readonly #places = new Map<string, string>();
  /** UIDs by that of the controller and the collection. */
  readonly #children = new Map<string, Set<string>>();
  /** The last version of what is gone, by UID. */
  readonly #ends = new Map<string, { readonly version: number; readonly isFinal: boolean }>();
  /** Entries of what ended, to be forgotten. */
  #ending: Entry[] = [];

  /** `digestsInMs`: how long the process may take what was shown for not shown yet. */
  constructor(clock: Clock, digestsInMs: number = digestMs) {
    this.#clock = clock;
    this.#digestMs = digestsInMs;
  }

  /** An object as it was at its version. */
  see(collection: string, object: Stored): void {
    const uid = uidOf(object);
    const version = versionOf(object);
    const end = this.#ends.get(uid);
    if (end !== undefined && (end.isFinal || version < end.version)) return;
    this.#ends.delete(uid);
    const place = placeIn(collection, object);
    const before = this.#places.get(place);
    const holder = before === undefined ? undefined : this.#entries.get(before);
    if (holder !== undefined && holder.uid !== uid) {
      if (holder.seen > version) return;
      this.#end(holder, holder.version, true);
    }
    const entry = this.#entries.get(uid) ?? this.#enter(collection, object);
    if (version < entry.version) return;
    entry.version = version;
    entry.seen = version;
    this.#places.set(place, uid);
    this.#look(entry, object);
  }

  /** `isSure`: false where it may only have lost the label that is selected by. */
  gone(uid: string, version: number | undefined, isSure: boolean): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined) {
      if (version !== undefined) this.#markDead(uid, version, isSure);
      return;
    }
    if (version !== undefined && version < entry.version) return;
    this.#end(entry, version ?? entry.version, isSure);
  }

  /** Nothing has that name. `isFinal`: false where its kind may not be served for a moment; then
   *  what is newer brings it back. */
  vacant(collection: string, namespace: string, name: string, isFinal: boolean): void {
    const uid = this.#places.get(`${collection} ${namespace}/${name}`);
    const entry = uid === undefined ? undefined : this.#entries.get(uid);
    if (entry !== undefined) this.#end(entry, entry.version, true, isFinal);
  }

  /** A complete list showed only these: what it should have shown is gone. */
  listed(
    collection: string,
    uids: ReadonlySet<string>,
    version: number,
    isSelected: ((object: Stored) => boolean) | undefined,
  ): void {
    for (const entry of this.#entries.values()) {
      const object = entry.looks.at(-1)?.object;
      if (entry.collection !== collection || object === undefined || uids.has(entry.uid)) continue;
      if (entry.version > version || isSelected?.(object) === false) continue;
      this.#end(entry, version, isSelected === undefined);
    }
  }

  /** Every way in which the process may take the object now; empty where it was never shown or its
   *  end is long known. */
  looks(uid: string): readonly Look[] {
    return this.#current(this.#entries.get(uid)).map(({ object }) => object);
  }

  /** The same of whatever has the name. */
  looksAt(collection: string, namespace: string, name: string): readonly Look[] {
    const uid = this.#places.get(`${collection} ${namespace}/${name}`);
    return uid === undefined ? [] : this.looks(uid);
  }

  /** It was shown once, and then its end. */
  knowsEndOf(uid: string): boolean {
    return this.#ends.has(uid);
  }

  /** What the controller with this UID has and is so, however the process takes it. */
  surely(owner: string, collection: string, isSo: (object: Look) => boolean): readonly Stored[] {
    return this.#owned(owner, collection)
      .flatMap((looks) => (looks.every(isSo) ? looks.slice(-1) : []))
      .filter(isObject);
  }

  /** The same where it may take it for being so. */
  possibly(owner: string, collection: string, isSo: (object: Look) => boolean): readonly Stored[] {
    return this.#owned(owner, collection)
      .flatMap((looks) => looks.filter(isSo).slice(-1))
      .filter(isObject);
  }

  #owned(owner: string, collection: string): readonly (readonly Look[])[] {
    return [...(this.#children.get(`${collection} ${owner}`) ?? [])].map((uid) => this.looks(uid));
  }

  #enter(collection: string, object: Stored): Entry {
    const uid = uidOf(object);
    const owner = controllerOf(object);
    const place = placeIn(collection, object);
    const entry: Entry = { uid, collection, place, owner, version: 0, seen: 0, looks: [] };
    this.#entries.set(uid, entry);
    const key = `${collection} ${owner}`;
    this.#children.set(key, (this.#children.get(key) ?? new Set()).add(uid));
    return entry;
  }

  #look(entry: Entry, object: Look, isSure = true): void {
    const now = this.#clock.now();
    for (const look of entry.looks) if (isSure) look.until = Math.min(look.until, now);
    entry.looks = [...this.#current(entry), { object, until: Infinity }];
  }

  #end(entry: Entry, version: number, isSure: boolean, isFinal = isSure): void {
    this.#markDead(entry.uid, version, isFinal);
    this.#look(entry, undefined, isSure);
    entry.version = version;
    this.#ending.push(entry);
    this.#forget();
  }

  #markDead(uid: string, version: number, isFinal: boolean): void {
    this.#ends.delete(uid);
    this.#ends.set(uid, { version, isFinal });
    if (this.#ends.size <= mostEnds) return;
    for (const oldest of this.#ends.keys()) return void this.#ends.delete(oldest);
  }

  /** What is gone for longer than a tick leaves nothing but its end. */
  #forget(): void {
    const isOver = (entry: Entry): boolean =>
      this.#current(entry).every(({ object }) => object === undefined);
    for (const entry of this.#ending.filter(isOver)) {
      this.#entries.delete(entry.uid);
      if (this.#places.get(entry.place) === entry.uid) this.#places.delete(entry.place);
      const key = `${entry.collection} ${entry.owner}`;
      this.#children.get(key)?.delete(entry.uid);
      if (this.#children.get(key)?.size === 0) this.#children.delete(key);
    }
    // Some have come back: their end was not sure.
    this.#ending = this.#ending.filter(
      (entry) => !isOver(entry) && entry.looks.at(-1)?.object === undefined,
    );
  }

  #current(entry: Entry | undefined): Entry['looks'] {
    const past = this.#clock.now() - this.#digestMs;
    return entry?.looks.filter(({ until }) => until > past) ?? [];
  }
}

const isObject = (look: Look): look is Stored => look !== undefined;

export const versionOf = (object: unknown): number =>
  Number(textAt(object, 'metadata', 'resourceVersion'));

const placeIn = (collection: string, object: Stored): string =>
  `${collection} ${textAt(object, 'metadata', 'namespace')}/${textAt(object, 'metadata', 'name')}`;

/** UID of the owner that controls it; empty where none does. */
export const controllerOf = (object: unknown): string =>
  textAt(
    listAt(object, 'metadata', 'ownerReferences').find((owner) => at(owner, 'controller') === true),
    'uid',
  );

export const isGoing = (object: unknown): boolean =>
  at(object, 'metadata', 'deletionTimestamp') !== undefined;

/** The most pods that a process may take for wanted, as it was shown; undefined: none. */
export function mostWanted(shown: Shown, clique: string): number | undefined {
  const desiredStates = shown.looks(clique).filter(isThere).map(replicasOf);
  return desiredStates.length === 0 ? undefined : Math.max(...desiredStates);
}

export const replicasOf = (object: unknown): number => numberAt(object, 'spec', 'replicas');

export const isThere = (look: Look): look is Stored => look !== undefined && !isGoing(look);

/** Not terminating and not done: what counts towards replicas. */
export const isLive = (pod: unknown): boolean =>
  pod !== undefined &&
  !isGoing(pod) &&
  !['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));
