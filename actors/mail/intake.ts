// Observations come in here: those of watches and lists wait, coalesced, for the next tick; replies
// go straight through. Each is asked of the cache whether it is news, routed, and becomes mail with
// its cause. Here too an object of a new UID ends the old actor, and a new generation or the end of
// the object un-parks.
import { refKey, actorId, type ActorKey } from '#machines/contract/address.ts';
import { kindRow, type Kind } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { traceparentIn } from '#machines/kubernetes/trace-context.ts';
import { isNewer } from '#machines/kubernetes/versions.ts';
import type { Effects } from '../effects/runner.ts';
import { editIn } from '../history/edit.ts';
import type { Rows } from '../history/rows.ts';
import type { Limits } from '../limits.ts';
import type { Observation, Versions } from '../ports.ts';
import { ownerOfLife, type Actor } from '../run/actor.ts';
import type { Scheduler } from '../run/scheduler.ts';
import type { Trees } from '../run/tree.ts';
import type { Ownership } from '../shards/ownership.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import type { Views } from '../views/views.ts';
import type { Cache, Known } from './cache.ts';
import { noCause, type Cause, type Journal } from './causality.ts';
import { kindOf, overtakes, refOf, uidOf, versionOf } from './observation.ts';
import type { RoutedEvent, Routed, Router } from './router.ts';

interface Parts {
  readonly ownership: Ownership;
  readonly cache: Cache;
  readonly router: Router;
  readonly trees: Trees;
  readonly views: Views<Actor>;
  readonly scheduler: Scheduler;
  readonly effects: Effects;
  readonly journal: Journal;
  readonly supervisor: Supervisor;
  readonly rows: Rows;
  readonly limits: Limits;
}

export class Intake {
  readonly #parts: Parts;
  #waiting: Observation[] = [];
  #at = 0;
  /** Places that were taken in before `#waiting[0]`. */
  #before = 0;
  /** Where the newest observation of an object waits. */
  readonly #places = new Map<string, number>();
  /** The latest version of each kind that a list or watch brought. */
  readonly #heard = new Map<string, string>();
  #unwatched: ReadonlySet<string> = new Set();
  /** `found`: what comes is the state as found, and no fact is told of it. */
  #stage: 'found' | 'listed' | 'live' = 'found';

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#at === this.#waiting.length;
  }

  /** The watches have brought these versions, and everything that came was taken in. What is not
   *  watched yet is listed before anything reconciles. */
  hasSeen(versions: Versions): boolean {
    const open = Object.entries(versions).some(
      ([kind, version]) =>
        !this.#unwatched.has(kind) && isNewer(version, this.#heard.get(kind) ?? '0'),
    );
    return !open && this.isEmpty;
  }

  /** For `hasPassed`: after everything that waits now. */
  get end(): number {
    return this.#before + this.#waiting.length;
  }

  /** Everything that waited when `end` was this has been taken in. */
  hasPassed(end: number): boolean {
    return this.#before + this.#at >= end;
  }

  listing(): void {
    this.#stage = 'found';
    this.#unwatched = new Set();
  }

  /** What waits still belongs to the lists. */
  listed(unwatched: readonly Kind[] = []): void {
    this.#unwatched = new Set(unwatched);
    this.#stage = this.isEmpty ? 'live' : 'listed';
  }

  /** Puts an observation in line. A newer version takes the place of one of the same UID, and so
   *  does its end. */
  add(observation: Observation): void {
    const { scheduler } = this.#parts;
    if (observation.type === 'seen') this.heard(observation.kind, versionOf(observation));
    const key = refKey(refOf(observation));
    const place = this.#places.get(key);
    const before = place === undefined ? undefined : this.#waiting[place];
    if (place !== undefined && before?.type === 'seen' && uidOf(before) === uidOf(observation)) {
      if (overtakes(observation, versionOf(before))) this.#waiting[place] = observation;
    } else this.#places.set(key, this.#waiting.push(observation) - 1);
    scheduler.wake();
    if (kindRow(kindOf(observation)).isAwaited === true) scheduler.hurry();
  }

  /** A list or watch has come to this version; what it says of it waits, or is known. */
  heard(kind: Kind, version: string): void {
    if (isNewer(version, this.#heard.get(kind) ?? '0')) this.#heard.set(kind, version);
  }

  /** Takes in the next one; false when none waits. */
  readonly next = (): boolean => {
    const observation = this.#waiting[this.#at];
    if (observation === undefined) {
      if (this.#stage === 'listed') this.#stage = 'live';
      return false;
    }
    const key = refKey(refOf(observation));
    if (this.#places.get(key) === this.#at) this.#places.delete(key);
    this.#at++;
    if (this.#at === this.#waiting.length) {
      this.#before += this.#at;
      this.#waiting = [];
      this.#at = 0;
    }
    this.observe(observation);
    return true;
  };

  /** Takes in an observation at once; `link` is the write of ours that it is the reply to. */
  readonly observe = (observation: Observation, link?: Cause): void => {
    const routed = this.#parts.router.route(observation);
    if (routed === undefined) return;
    const routedEvents = routed.routedEvents.filter((mail) => this.#isOurs(mail));
    const cause = link ?? this.#causeOf({ ...routed, routedEvents }, observation);
    if (link !== undefined) remember(routed.known, link);
    const own = ownerOfLife(routed.known.ref);
    if (own !== undefined) this.#followLife(actorId(own), routed, cause);
    for (const mail of routedEvents) this.#deliver(mail, cause);
    if (own !== undefined && routed.unreadable !== undefined) {
      this.#refuse(own, routed.known, routed.unreadable, cause);
    }
    this.#parts.views.put(routed.known.key, routed.entries, cause);
  };

  /**
   * An own object that cannot be read, and never could: it is parked, so that its status says why.
   * An actor that could read an earlier spec goes on with that one.
   */
  #refuse(own: ActorKey, known: Known, why: string, cause: Cause): void {
    const { ownership, trees, supervisor, cache } = this.#parts;
    const id = actorId(own);
    const root = cache.rootOf(id) ?? own;
    const wasRead = known.targets.some(({ toId }) => toId === id);
    if (wasRead || !ownership.isHere(root)) return;
    const actor = trees.find(id) ?? supervisor.spawn(own, root, cause);
    if (actor !== undefined) supervisor.park(actor, new Unreadable(why), cause);
  }

  /** The cause of what a watch or list says: our write if it is its echo, else the outside. */
  #causeOf(routed: Routed, observation: Observation): Cause {
    const { effects, journal } = this.#parts;
    const { known, gone } = routed;
    const isEdit = isEdited(known);
    const before = isEdit ? noCause : (known.lastWrite ?? noCause);
    const next = journal.next(before);
    const outside: Cause = isEdit ? { ...next, isEdit } : next;
    const tell = (): void => this.#tellObserved(routed, observation, outside, before);
    const echo = gone ? undefined : effects.echoOf(known.key, known.version, tell);
    if (echo === undefined) {
      tell();
      return outside;
    }
    remember(known, echo);
    return echo;
  }

  #tellObserved(routed: Routed, observation: Observation, link: Cause, cause: Cause): void {
    const { known, gone, before, routedEvents } = routed;
    const [first] = routedEvents;
    if (this.#stage !== 'live' || first === undefined) return;
    const { metadata } = known.object;
    // What a kubelet says of a pod of ours is no edit, and there is much of it.
    const mayBeEdit = cause === noCause || ownerOfLife(known.ref) !== undefined;
    const edit = mayBeEdit ? editIn(observation, before, this.#parts.limits) : undefined;
    const traceparent = cause === noCause && !gone ? newParent(known, before) : undefined;
    this.#parts.journal.publish(first.target.to, 'observed', link, cause, {
      kind: known.ref.kind,
      name: known.ref.name,
      version: known.version,
      summary: gone ? 'gone' : metadata.deletionTimestamp === undefined ? 'seen' : 'being deleted',
      ...(edit && { edit }),
      ...(traceparent !== undefined && { traceparent }),
    });
  }

  /** An actor's own object: is it still the same one, and is there reason to un-park? */
  #followLife(id: string, { known, gone }: Routed, cause: Cause): void {
    const { trees, supervisor, cache, rows } = this.#parts;
    const actor = trees.find(id);
    if (actor === undefined) return;
    if (gone) {
      // A parked one whose other objects are there would never be heard of again. One that waits
      // for its restart sees then what is left.
      if (cache.isAddressed(id)) supervisor.unpark(actor, 'deletion', cause);
      else if (actor.mode !== 'alive') supervisor.end(actor, cause);
      return;
    }
    if (actor.uid !== undefined && actor.uid !== known.uid) {
      supervisor.end(actor, cause);
      return;
    }
    const root = cache.ownRootOf(actor.key);
    if (root !== undefined && actorId(root) !== actorId(actor.root)) {
      // Its object names another tree: it starts there, from what the cache holds for it.
      supervisor.end(actor, cause);
      return;
    }
    actor.uid = known.uid;
    rows.follow(actor, known.object);
    this.#followGeneration(actor, known, cause);
  }

  #followGeneration(actor: Actor, known: Known, cause: Cause): void {
    const { supervisor, effects, scheduler } = this.#parts;
    const { generation } = known.object.metadata;
    if (generation !== actor.generation) {
      actor.generation = generation;
      effects.lift(actor);
    }
    if (actor.mode !== 'parked') return;
    if (generation !== actor.parking?.generation) supervisor.unpark(actor, 'generation', cause);
    else scheduler.touch(actor, cause, 'retry');
  }

  #deliver(mail: RoutedEvent, cause: Cause): void {
    const { trees, supervisor, scheduler } = this.#parts;
    const { target, object, gone, events } = mail;
    const actor = trees.find(target.toId);
    if (actor === undefined) {
      const isFound = this.#stage !== 'live';
      if (!gone) supervisor.spawn(target.to, this.#rootOf(target), cause, isFound);
      return;
    }
    if (actor.mode !== 'alive') return;
    actor.mailbox.news(object.key, events, gone, cause);
    scheduler.mail(actor);
  }

  /** Who runs here hears of an end, whatever tree it was in. */
  #isOurs({ target, gone }: RoutedEvent): boolean {
    const { ownership, trees } = this.#parts;
    return (
      ownership.isHere(this.#rootOf(target)) || (gone && trees.find(target.toId) !== undefined)
    );
  }

  #rootOf({ to, root }: RoutedEvent['target']): ActorKey {
    return this.#parts.cache.ownRootOf(to) ?? root;
  }
}

/** Its text goes into a condition. */
class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

function remember(known: Known, write: Cause): void {
  known.lastWrite = write;
  known.writtenGeneration = known.object.metadata.generation;
}

/** Somebody gave an object with a life another spec, or deletes it: nothing of ours led to that. */
const isEdited = ({ ref, object, writtenGeneration }: Known): boolean =>
  ownerOfLife(ref) !== undefined && object.metadata.generation !== writtenGeneration;

/** The trace into which whoever made this change has put the object of an actor. One that stood
 *  there before is that of an earlier change. */
function newParent({ ref, object }: Known, before: KubeObject | undefined): string | undefined {
  if (ownerOfLife(ref) === undefined) return undefined;
  const parent = traceparentIn(object.metadata);
  return parent === (before && traceparentIn(before.metadata)) ? undefined : parent;
}
