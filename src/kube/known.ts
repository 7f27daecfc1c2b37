// What a reflector knows of one kind: name to (uid, resourceVersion), nothing of the objects
// themselves. It turns lists and events into observations so that no delete is lost, nothing comes
// back from the past, and a new object under an old name is preceded by the end of the old one.
import type { Kind } from '#machines/kinds.ts';
import type { KubeObject, ObjectRef } from '#machines/objects.ts';
import type { Observation } from '#actors/ports.ts';
import { maxEnds } from './limits.ts';
import { Told } from './told.ts';

interface Entry {
  readonly ref: ObjectRef;
  readonly uid: string;
  readonly version: string;
  /** Known from the reply to a write only: a list still has to tell of it. */
  readonly learned: boolean;
}

/**
 * Negative, zero or positive as `a` is older than, equal to or newer than `b`; undefined where the
 * two cannot be compared, as versions are opaque unless both are decimal (since Kubernetes 1.35
 * they always are).
 */
export function compareVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!/^[1-9]\d*$/.test(a) || !/^[1-9]\d*$/.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

export interface Learned {
  /** The reply proves that the object that held the name before is gone. */
  readonly replaced?: Observation;
  /** The watch was past this reply and saw the object end: whoever believes the reply, which comes
   *  later, has to be told once more. */
  readonly overtaken?: Observation;
}

const isAtMost = (a: string, b: string): boolean => (compareVersions(a, b) ?? 1) <= 0;
const isOlder = (a: string, b: string): boolean => (compareVersions(a, b) ?? 0) < 0;

export class Known {
  readonly #kind: Kind;
  readonly #isFiltered: boolean;
  readonly #entries = new Map<string, Entry>();
  /** Keys that the list under way has shown. */
  #listed = new Set<string>();
  /** Keys that replies have told of since a list was asked for; undefined while none is. */
  #fresh: Set<string> | undefined;
  readonly #told = new Told();
  /** When what has ended was last known to be gone: a version, by UID; the youngest of them. */
  readonly #ends = new Map<string, string>();
  #version = '';
  /** Of the last complete list: it has told of everything up to there. */
  #listVersion = '';
  /** The newest version that any list had, also one that broke off. */
  #horizon = '';

  /** `isFiltered`: what is not shown any more may just have lost the label that is selected by. */
  constructor(kind: Kind, isFiltered = false) {
    this.#kind = kind;
    this.#isFiltered = isFiltered;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Where the next watch resumes; empty before the first complete list. */
  get version(): string {
    return this.#version;
  }

  // -- lists --------------------------------------------------------------------------------------

  /** True where a list of this version would take us back in time. */
  isStale(listVersion: string): boolean {
    return isOlder(listVersion, this.#version) || isOlder(listVersion, this.#horizon);
  }

  /** A list is asked for: what replies tell from now on may be younger than the answer. */
  asking(): void {
    this.#fresh = new Set();
  }

  /** The answer is that there is no such kind: all that was known when that was asked is gone. Not
   *  for sure, as a CRD that was just installed may not be served everywhere yet. */
  absent(): readonly Observation[] {
    const gone: Observation[] = [];
    for (const [key, entry] of this.#entries) {
      if (this.#fresh?.has(key) === true) continue;
      this.#entries.delete(key);
      gone.push(goneOf(entry, true));
    }
    this.#fresh = undefined;
    this.#told.forget(() => true);
    this.#version = '0';
    this.#listVersion = '0';
    this.#horizon = '0';
    return gone;
  }

  /** Starts a complete list, or starts it again. */
  beginList(listVersion: string): void {
    this.#listed = new Set();
    this.#horizon = listVersion;
  }

  /**
   * True for an object that the list under way shows as it was before what an earlier list or event
   * has told, though the list itself is younger: no server does so that has all its history.
   */
  contradicts(object: KubeObject): boolean {
    const { uid, version } = identity(object);
    const entry = this.#entries.get(keyOf(object));
    const last = entry?.uid === uid ? entry.version : this.#ends.get(uid);
    if (last === undefined || !isAtMost(last, this.#horizon)) return false;
    return entry?.uid === uid ? isOlder(version, last) : isAtMost(version, last);
  }

  /** One object of the list. */
  listed(object: KubeObject): readonly Observation[] {
    const key = keyOf(object);
    this.#listed.add(key);
    const entry = this.#entries.get(key);
    if (entry !== undefined && isPast(object, entry)) return [];
    return this.#put(key, object);
  }

  /** The list is complete: what it did not show is gone. The next watch starts at its version. */
  endList(listVersion: string): readonly Observation[] {
    const gone: Observation[] = [];
    for (const [key, entry] of this.#entries) {
      if (this.#listed.has(key)) continue;
      // The reply to a write of ours is younger than this list: the watch will tell.
      if (entry.learned && isOlder(listVersion, entry.version)) continue;
      this.#entries.delete(key);
      this.#end(entry.uid, listVersion);
      gone.push(goneOf(entry, this.#isFiltered));
    }
    this.#listed = new Set();
    this.#fresh = undefined;
    this.#version = listVersion;
    this.#listVersion = listVersion;
    this.#horizon = listVersion;
    this.#told.forget((version) => isAtMost(version, listVersion));
    return gone;
  }

  // -- events of a watch --------------------------------------------------------------------------

  /**
   * ADDED or MODIFIED. A server tells in the order of versions; where it does not, or repeats
   * itself, the newest of each object counts, and what has ended stays so.
   */
  changed(object: KubeObject): readonly Observation[] {
    const { uid, version } = identity(object);
    this.#told.take(version);
    const key = keyOf(object);
    const entry = this.#entries.get(key);
    if (this.#version === '' || !isAtMost(version, this.#version)) this.#version = version;
    else if (isAtMost(version, this.#listVersion)) return [];
    else if (isAtMost(version, this.#ends.get(uid) ?? '')) return [];
    else if (entry?.uid === uid && isAtMost(version, entry.version)) return [];
    const isOfFormerHolder = entry !== undefined && isFormerHolder(object, entry);
    return isOfFormerHolder ? [] : this.#put(key, object);
  }

  /**
   * ADDED or MODIFIED, of which only the version was looked at: true where the reply to a write of
   * ours has told all of it. Versions of one kind are unique: no other object can be meant.
   */
  echoed(version: string): boolean {
    const whose = this.#told.take(version);
    if (whose === undefined || isAtMost(version, this.#version)) return false;
    const entry = this.#entries.get(whose.key);
    if (entry?.uid !== whose.uid) return false;
    this.#version = version;
    this.#entries.set(whose.key, { ...entry, version, learned: false });
    return true;
  }

  /** DELETED, or no longer selected: the event is the same, but what was being deleted already and
   *  held by nobody is taken for gone. Nothing where that object is not known (any more). */
  deleted(object: KubeObject): readonly Observation[] {
    const { uid, version } = identity(object);
    const key = keyOf(object);
    const entry = this.#entries.get(key);
    if (!isAtMost(version, this.#version)) this.#version = version;
    this.#end(uid, version);
    // An object that was selected again since has a newer version; then this is an echo.
    if (entry === undefined || entry.uid !== uid || isOlder(version, entry.version)) return [];
    this.#entries.delete(key);
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    const wasGoing = deletionTimestamp !== undefined && finalizers.length === 0;
    return [goneOf(entry, this.#isFiltered && !wasGoing)];
  }

  /** False: it is from before what is known, so it proves nothing. */
  bookmark(version: string): boolean {
    if (isOlder(version, this.#version)) return false;
    this.#version = version;
    return true;
  }

  // -- replies ------------------------------------------------------------------------------------

  /**
   * Takes note of an object from the reply to a write, so that a later list without it says that it
   * is gone. The reply may tell of an end too: see `Learned`.
   */
  learn(object: KubeObject): Learned {
    const { uid, version } = identity(object);
    const key = keyOf(object);
    const entry = this.#entries.get(key);
    const ref = this.#refOf(object);
    if (entry?.uid !== uid && this.#hasPassed(uid, version, entry)) {
      return { overtaken: goneOf({ ref, uid }, this.#isFiltered) };
    }
    if (!isAtMost(version, this.#version)) this.#told.add(version, { key, uid });
    if (entry?.uid === uid || (entry !== undefined && isOlder(version, entry.version))) return {};
    this.#entries.set(key, { ref, uid, version, learned: true });
    this.#fresh?.add(key);
    return entry === undefined ? {} : { replaced: goneOf(entry) };
  }

  /** An end was seen, or a list without it, or the next holder of its name: that the watch has
   *  come to a later version is not enough, as the event may be late. */
  #hasPassed(uid: string, version: string, entry: Entry | undefined): boolean {
    if (isAtMost(version, this.#listVersion)) return true;
    if (isAtMost(version, this.#ends.get(uid) ?? '')) return true;
    return (
      entry !== undefined &&
      isAtMost(entry.version, this.#version) &&
      isOlder(version, entry.version)
    );
  }

  #put(key: string, object: KubeObject): readonly Observation[] {
    const before = this.#entries.get(key);
    const { uid, version } = identity(object);
    const ref = before?.ref ?? this.#refOf(object);
    this.#entries.set(key, { ref, uid, version, learned: false });
    if (before !== undefined && before.uid !== uid) this.#end(before.uid, version);
    const seen: Observation = { type: 'seen', kind: this.#kind, object };
    return before === undefined || before.uid === uid ? [seen] : [goneOf(before), seen];
  }

  #end(uid: string, version: string): void {
    const last = this.#ends.get(uid);
    if (last !== undefined && isAtMost(version, last)) return;
    this.#ends.delete(uid);
    this.#ends.set(uid, version);
    if (this.#ends.size <= maxEnds) return;
    for (const oldest of this.#ends.keys()) return void this.#ends.delete(oldest);
  }

  #refOf(object: KubeObject): ObjectRef {
    const { namespace = '', name } = object.metadata;
    return { kind: this.#kind, namespace, name };
  }
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

const identity = ({ metadata }: KubeObject): { uid: string; version: string } => ({
  uid: metadata.uid ?? '',
  version: metadata.resourceVersion ?? '',
});

/** About an object that held the name before the one we know: news from the past. */
function isFormerHolder(object: KubeObject, entry: Entry): boolean {
  const { uid, version } = identity(object);
  return uid !== entry.uid && isOlder(version, entry.version);
}

/** Nothing new compared with what was emitted. */
function isPast(object: KubeObject, entry: Entry): boolean {
  const { uid, version } = identity(object);
  if (uid !== entry.uid) return isFormerHolder(object, entry);
  return !entry.learned && isAtMost(version, entry.version);
}

const goneOf = ({ ref, uid }: Pick<Entry, 'ref' | 'uid'>, isDoubtful = false): Observation => ({
  type: 'gone',
  ref,
  uid,
  ...(isDoubtful ? { isSure: false } : {}),
});
