// What a reflector knows of one kind: name to (uid, resourceVersion), nothing of the objects
// themselves. It turns lists and events into observations so that no delete is lost, nothing comes
// back from the past, and a new object under an old name is preceded by the end of the old one.
import type { Observation } from '#actors/ports.ts';
import type { ObjectRef } from '#machines/contract/address.ts';
import type { Kind } from '#machines/kinds.ts';
import type { Editors } from '#machines/kubernetes/editors.ts';
import { list } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { isAtMost, isOlder, later } from '#machines/kubernetes/versions.ts';
import { Ends } from './ends.ts';

type Gone = Extract<Observation, { type: 'gone' }>;

interface Entry {
  readonly ref: ObjectRef;
  readonly uid: string;
  readonly version: string;
  /** The newest version that a reply to a write has told of, or the watch: what has all history
   *  never shows an older one. */
  readonly newest: string;
  /** Known from the reply to a write only: a list still has to tell of it. */
  readonly learned: boolean;
}

export interface Learned {
  /** The reply proves that the object that held the name before is gone. */
  readonly replaced?: Observation;
  /** The watch was past this reply and saw the object end: whoever believes the reply, which comes
   *  later, has to be told once more. */
  readonly overtaken?: Observation;
}

export class ObjectIndex {
  readonly #kind: Kind;
  readonly #isFiltered: boolean;
  readonly #entries = new Map<string, Entry>();
  /** Keys that the list under way has shown. */
  #listed = new Set<string>();
  /** Keys that replies have told of since a list was asked for; undefined while none is. */
  #fresh: Set<string> | undefined;
  /** Whose reply told of a version that the watch has not come to yet. */
  readonly #pendingEchoes = new Map<string, { readonly key: string; readonly uid: string }>();
  readonly #ends: Ends;
  /** Where the next watch resumes; empty before the first complete list. */
  version = '';
  /** Of the last complete list: it has told of everything up to there. */
  #listVersion = '';
  /** The newest version that any list had, also one that broke off. */
  #horizon = '';
  /** The newest that any reply to a write has told of. */
  #replied = '';

  /** `isFiltered`: what is not shown any more may just have lost the label that is selected by. */
  constructor(kind: Kind, isFiltered: boolean) {
    this.#kind = kind;
    this.#isFiltered = isFiltered;
    this.#ends = new Ends(kind);
  }

  get size(): number {
    return this.#entries.size;
  }

  // -- lists --------------------------------------------------------------------------------------

  /** A list that is asked for now and older than this would take us back in time. */
  get newest(): string {
    return later(later(this.version, this.#horizon), this.#replied);
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
      gone.push({ ...goneOf(entry), isSure: false });
    }
    this.#fresh = undefined;
    this.#pendingEchoes.clear();
    this.version = '0';
    this.#listVersion = '0';
    this.#horizon = '0';
    this.#replied = '0';
    return gone;
  }

  /** Starts a complete list, or starts it again. */
  beginList(listVersion: string): void {
    this.#listed = new Set();
    this.#horizon = listVersion;
  }

  /**
   * True for an object that the list under way shows as it was before what an earlier list, event
   * or reply has told of it, or of who had its name since, or after its end, though the list itself
   * is younger: no server does so that has all its history.
   */
  contradicts(object: KubeObject): boolean {
    const { version } = identity(object);
    const newest = this.#entries.get(keyOf(object))?.newest ?? '';
    if (isAtMost(newest, this.#horizon) && isOlder(version, newest)) return true;
    return this.#ends.contradict(object, this.#horizon);
  }

  /** One object of the list. */
  listed(object: KubeObject, editors?: Editors): readonly Observation[] {
    const key = keyOf(object);
    this.#listed.add(key);
    const entry = this.#entries.get(key);
    if (entry !== undefined && isPast(object, entry)) return [];
    return this.#put(key, object, editors);
  }

  /** The list is complete: what it did not show is gone. The next watch starts at its version. */
  endList(listVersion: string): readonly Observation[] {
    const gone: Observation[] = [];
    for (const [key, entry] of this.#entries) {
      if (this.#listed.has(key)) continue;
      // The reply to a write of ours is younger than this list: the watch will tell.
      if (entry.learned && isOlder(listVersion, entry.version)) continue;
      this.#entries.delete(key);
      this.#ends.note(entry.uid, listVersion, 'unseen');
      gone.push(this.#goneOf(entry, listVersion));
    }
    this.#listed = new Set();
    this.#fresh = undefined;
    this.version = listVersion;
    this.#listVersion = listVersion;
    this.#horizon = listVersion;
    for (const version of this.#pendingEchoes.keys()) {
      if (isAtMost(version, listVersion)) this.#pendingEchoes.delete(version);
    }
    return gone;
  }

  // -- events of a watch --------------------------------------------------------------------------

  /**
   * ADDED or MODIFIED. A server tells in the order of versions; where it does not, or repeats
   * itself, the newest of each object counts, and what has ended stays so.
   */
  changed(object: KubeObject, editors?: Editors): readonly Observation[] {
    const { uid, version } = identity(object);
    this.#pendingEchoes.delete(version);
    const key = keyOf(object);
    const entry = this.#entries.get(key);
    if (this.version === '' || !isAtMost(version, this.version)) this.version = version;
    else if (isAtMost(version, this.#listVersion)) return [];
    else if (this.#ends.hasPassed(uid, version)) return [];
    else if (entry?.uid === uid && isAtMost(version, entry.version)) return [];
    const isOfFormerHolder = entry !== undefined && isFormerHolder(object, entry);
    return isOfFormerHolder ? [] : this.#put(key, object, editors);
  }

  /**
   * ADDED or MODIFIED, of which only the version was looked at: true where the reply to a write of
   * ours has told all of it. Versions of one kind are unique: no other object can be meant.
   */
  echoed(version: string): boolean {
    const whose = this.#pendingEchoes.get(version);
    this.#pendingEchoes.delete(version);
    if (whose === undefined || isAtMost(version, this.version)) return false;
    const entry = this.#entries.get(whose.key);
    if (entry?.uid !== whose.uid) return false;
    this.version = version;
    const newest = later(entry.newest, version);
    this.#entries.set(whose.key, { ...entry, version, newest, learned: false });
    return true;
  }

  /** DELETED, or no longer selected: the event is the same, but what was being deleted already and
   *  held by nobody is taken for gone. Nothing where that object is not known (any more). */
  deleted(object: KubeObject): readonly Observation[] {
    const { uid, version } = identity(object);
    const key = keyOf(object);
    const entry = this.#entries.get(key);
    if (!isAtMost(version, this.version)) this.version = version;
    const { deletionTimestamp, finalizers } = object.metadata;
    this.#ends.note(uid, version, deletionTimestamp === undefined ? 'unseen' : 'going');
    // An object that was selected again since has a newer version; then this is an echo.
    if (entry === undefined || entry.uid !== uid || isOlder(version, entry.version)) return [];
    this.#entries.delete(key);
    const wasGoing = deletionTimestamp !== undefined && list(finalizers).length === 0;
    return [wasGoing ? goneOf(entry) : this.#lostAt(entry, version)];
  }

  /** False: it is from before what is known, so it proves nothing. */
  bookmark(version: string): boolean {
    if (isOlder(version, this.version)) return false;
    this.version = version;
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
    this.#replied = later(this.#replied, version);
    if (entry?.uid !== uid && this.#hasPassed(uid, version, entry)) {
      return { overtaken: this.#goneOf({ ref, uid }, version) };
    }
    if (!isAtMost(version, this.version)) this.#pendingEchoes.set(version, { key, uid });
    if (entry?.uid === uid) {
      this.#entries.set(key, { ...entry, newest: later(entry.newest, version) });
      return {};
    }
    if (entry !== undefined && isOlder(version, entry.version)) return {};
    this.#entries.set(key, { ref, uid, version, newest: version, learned: true });
    this.#fresh?.add(key);
    return entry === undefined ? {} : { replaced: goneOf(entry) };
  }

  /** An end was seen, or a list without it, or the next holder of its name: that the watch has
   *  come to a later version is not enough, as the event may be late. */
  #hasPassed(uid: string, version: string, entry: Entry | undefined): boolean {
    if (isAtMost(version, this.#listVersion) || this.#ends.hasPassed(uid, version)) return true;
    return (
      entry !== undefined &&
      isAtMost(entry.version, this.version) &&
      isOlder(version, entry.version)
    );
  }

  #put(key: string, object: KubeObject, editors?: Editors): readonly Observation[] {
    const before = this.#entries.get(key);
    const { uid, version } = identity(object);
    const ref = before?.ref ?? this.#refOf(object);
    const newest = before?.uid === uid ? later(before.newest, version) : version;
    this.#entries.set(key, { ref, uid, version, newest, learned: false });
    if (before !== undefined && before.uid !== uid) this.#ends.note(before.uid, version, 'surely');
    const signed = editors === undefined ? {} : { editors };
    const seen: Observation = { type: 'seen', kind: this.#kind, object, ...signed };
    return before === undefined || before.uid === uid ? [seen] : [goneOf(before), seen];
  }

  /** It is not shown any more: as it was at this version it is gone. */
  #goneOf(entry: Pick<Entry, 'ref' | 'uid'>, upTo: string): Gone {
    return this.#isFiltered ? { ...goneOf(entry), isSure: false, upTo } : goneOf(entry);
  }

  /** It has lost its label in this version of its own, or is gone. */
  #lostAt(entry: Pick<Entry, 'ref' | 'uid'>, version: string): Gone {
    const gone = this.#goneOf(entry, version);
    return gone.isSure === false ? { ...gone, isOwnVersion: true } : gone;
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

const goneOf = ({ ref, uid }: Pick<Entry, 'ref' | 'uid'>): Gone => ({ type: 'gone', ref, uid });
