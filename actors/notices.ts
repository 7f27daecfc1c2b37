// Objects whose readers nobody can tell from the object itself: what the whole cluster shares (a
// topology), what a whole tree shares (the template of a set), and what some trees follow (a claim
// template that sets name). Each actor of some kinds hears of them, and again when it starts. Kept
// by the router.
import type { ActorKind } from '#machines/kinds.ts';
import { actorId } from '#machines/vocabulary.ts';
import type { ActorKey, Announcement, Following } from '#machines/vocabulary.ts';
import type { MachineEvent } from './mailbox.ts';

/** As far as notices need to know it. */
export interface Named {
  readonly key: string;
}

/** What actors of some kinds hear of one object. */
export interface Notice<O extends Named> {
  readonly to: readonly ActorKind[];
  /** Ids of the roots whose trees hear it; absent: all trees. */
  readonly trees?: ReadonlySet<string>;
  readonly object: O;
  readonly gone: boolean;
  readonly event: MachineEvent;
}

interface Posted<O> {
  readonly object: O;
  readonly announcements: readonly Announcement[];
}

/** What one object says to others than its own actors. */
export interface Said {
  readonly announcements: readonly Announcement[];
  /** What the tree of this root object follows; absent: nothing, or it is no root. */
  readonly following?: Following | undefined;
}

export class Notices<O extends Named> {
  readonly #posted = new Map<string, Posted<O>>();
  /** Keys of what is posted, by scope. */
  readonly #scopes = new Map<string, Set<string>>();
  /** The topics of each root, and the roots of each topic. */
  readonly #topics = new Map<string, ReadonlySet<string>>();
  readonly #followers = new Map<string, Set<string>>();
  /** The root that an object speaks for. */
  readonly #roots = new Map<string, string>();

  /** The object was seen, with what all routes say of it. What it said before and does not say any
   *  more is over. */
  seen(object: O, { announcements, following }: Said): readonly Notice<O>[] {
    const fresh = this.#follow(object.key, following);
    const before = this.#posted.get(object.key);
    if (announcements.length === 0) {
      return before === undefined ? fresh : [...this.#withdraw(before), ...fresh];
    }
    this.#drop(object.key);
    const posted: Posted<O> = { object, announcements };
    this.#posted.set(object.key, posted);
    for (const one of announcements) {
      addTo(this.#scopes, scopeOf(one), object.key);
    }
    return [...announcements.map((one) => this.#notice(posted, one, false)), ...fresh];
  }

  /** The object is gone. */
  gone(object: O): readonly Notice<O>[] {
    const posted = this.#posted.get(object.key);
    const isLast = posted?.object === object;
    if (isLast || posted === undefined) this.#follow(object.key, undefined);
    return isLast ? this.#withdraw(posted) : [];
  }

  /** What an actor hears when it starts. */
  *of({ key, root }: { readonly key: ActorKey; readonly root: ActorKey }): Iterable<Notice<O>> {
    const rootId = actorId(root);
    const topics = [...(this.#topics.get(rootId) ?? [])].map(topicScope);
    for (const scope of [everywhere, treeScope(rootId), ...topics]) {
      for (const posted of this.#in(scope)) {
        for (const one of posted.announcements) {
          if (scopeOf(one) !== scope || !one.to.includes(key.kind)) continue;
          yield this.#notice(posted, one, false);
        }
      }
    }
  }

  #withdraw(posted: Posted<O>): readonly Notice<O>[] {
    const notices = posted.announcements.map((one) => this.#notice(posted, one, true));
    this.#drop(posted.object.key);
    return notices;
  }

  #drop(key: string): void {
    for (const one of this.#posted.get(key)?.announcements ?? []) {
      takeFrom(this.#scopes, scopeOf(one), key);
    }
    this.#posted.delete(key);
  }

  /** Takes note of what a tree follows; what is posted on a new topic is news to that tree. */
  #follow(key: string, following: Following | undefined): readonly Notice<O>[] {
    const oldRoot = this.#roots.get(key);
    const before = oldRoot === undefined ? undefined : this.#topics.get(oldRoot);
    if (oldRoot !== undefined) {
      for (const topic of before ?? []) takeFrom(this.#followers, topic, oldRoot);
      this.#topics.delete(oldRoot);
      this.#roots.delete(key);
    }
    if (following === undefined || following.topics.length === 0) return [];
    const root = actorId(following.root);
    this.#roots.set(key, root);
    this.#topics.set(root, new Set(following.topics));
    for (const topic of following.topics) addTo(this.#followers, topic, root);
    return following.topics
      .filter((topic) => before?.has(topic) !== true)
      .flatMap((topic) => this.#onTopic(topic, root));
  }

  #onTopic(topic: string, root: string): readonly Notice<O>[] {
    const scope = topicScope(topic);
    return this.#in(scope).flatMap((posted) =>
      posted.announcements
        .filter((one) => scopeOf(one) === scope)
        .map((one) => ({ ...this.#notice(posted, one, false), trees: new Set([root]) })),
    );
  }

  #in(scope: string): readonly Posted<O>[] {
    const keys = [...(this.#scopes.get(scope) ?? [])];
    return keys.map((key) => this.#posted.get(key)).filter((posted) => posted !== undefined);
  }

  #notice({ object }: Posted<O>, one: Announcement, gone: boolean): Notice<O> {
    const trees = this.#treesOf(one);
    const event = gone ? one.gone : one.seen;
    return { to: one.to, object, gone, event, ...(trees === undefined ? {} : { trees }) };
  }

  #treesOf({ within, topic }: Announcement): ReadonlySet<string> | undefined {
    if (within !== undefined) return new Set([actorId(within)]);
    return topic === undefined ? undefined : new Set(this.#followers.get(topic));
  }
}

const everywhere = 'everywhere';
const treeScope = (rootId: string): string => `tree ${rootId}`;
const topicScope = (topic: string): string => `topic ${topic}`;

const scopeOf = ({ within, topic }: Announcement): string => {
  if (within !== undefined) return treeScope(actorId(within));
  return topic === undefined ? everywhere : topicScope(topic);
};

function addTo(sets: Map<string, Set<string>>, name: string, item: string): void {
  const there = sets.get(name);
  if (there === undefined) sets.set(name, new Set([item]));
  else there.add(item);
}

function takeFrom(sets: Map<string, Set<string>>, name: string, item: string): void {
  const there = sets.get(name);
  there?.delete(item);
  if (there?.size === 0) sets.delete(name);
}
