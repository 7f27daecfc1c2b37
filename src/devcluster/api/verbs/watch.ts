// Watches: what a client sees from which version on, with selectors, bookmarks, time-out and the
// 410 for a version that is forgotten. Delivery is decoupled from the write by the clock's `soon`,
// so a writer never runs a watcher's code.
import type { Clock, Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';
import type { Call } from '../call.ts';
import { collectionOf } from '../call.ts';
import { all, once, type Soon } from '../conversion.ts';
import { ApiError, expired, unexplained } from '../errors.ts';
import { bookmarkEveryMs, watchTimeoutMs } from '../limits.ts';
import { apiVersionOf } from '../resources/registry.ts';
import type { Change, Collection } from '../store/collection.ts';
import { shownAs } from '../store/versions.ts';
import { isOn } from '../wire/request.ts';
import { badListOption, isSelected, readCount, readListOptions } from './list-options.ts';
import type { Selection } from './list-options.ts';

export type WatchItem =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Stored }
  | { readonly type: 'BOOKMARK'; readonly version: number; readonly initialEnd: boolean }
  | { readonly type: 'ERROR'; readonly status: JsonObject };

/** Where a watch delivers; `end` comes once, last. */
export interface WatchOutput {
  readonly items: (items: readonly WatchItem[]) => void;
  readonly end: () => void;
}

export interface WatchOptions {
  readonly selection: Selection;
  /** Start after this version; undefined: begin with the objects that there are. */
  readonly from: number | undefined;
  readonly initialEvents: boolean;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
  /** Extra delay of every delivery, by a fault. */
  readonly lagMs: number;
}

/** Reads and checks the options of a watch request. */
export function readWatchOptions(call: Call, lagMs: number): WatchOptions {
  const { query, core } = call;
  const { version, match, selection } = readListOptions(call);
  const asked = query.get('sendInitialEvents');
  const initialEvents = isOn(asked);
  if (asked !== null && match !== 'NotOlderThan') {
    const why = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
    throw badListOption('resourceVersionMatch', 'FieldValueForbidden', undefined, why);
  }
  const seconds = readCount(query, 'timeoutSeconds');
  const fromStart = initialEvents || ((version ?? 0) === 0 && asked === null);
  return {
    selection,
    from: fromStart ? undefined : (version ?? core.store.version),
    initialEvents,
    bookmarks: isOn(query.get('allowWatchBookmarks')),
    timeoutMs: seconds > 0 ? seconds * 1000 : watchTimeoutMs * (1 + core.environment.random.next()),
    lagMs,
  };
}

/** Starts a watch; it runs until `close`, its time-out, or the end of its resource. */
export class Watch {
  readonly #call: Call;
  readonly #options: WatchOptions;
  readonly #output: WatchOutput;
  readonly #collection: Collection;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #cancels: (() => void)[] = [];
  #queue: WatchItem[] = [];
  #scheduled = false;
  /** Resolves once what is being converted was delivered; undefined: nothing is. */
  #converting: Promise<void> | undefined;
  #open = true;

  constructor(call: Call, options: WatchOptions, output: WatchOutput) {
    this.#call = call;
    this.#options = options;
    this.#output = output;
    this.#collection = collectionOf(call);
    this.#clock = call.core.environment.clock;
    this.#random = call.core.environment.random;
    call.core.watches.add(this);
    this.#begin();
  }

  get resource(): ResourceInfo {
    return this.#call.resource;
  }

  /** Ends it without another word. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#call.core.watches.delete(this);
    for (const cancel of this.#cancels) cancel();
    this.#output.end();
  }

  /** Ends it with an ERROR event, as a server does that cannot go on. */
  fail(status: JsonObject): void {
    this.#queue.push({ type: 'ERROR', status });
    this.#flush();
    this.close();
  }

  #begin(): void {
    const { from, bookmarks, timeoutMs } = this.#options;
    if (from === undefined) this.#sendPresent();
    else if (!this.#sendMissed(from)) return;
    const after = from ?? 0;
    this.#cancels.push(
      this.#collection.onChange((change) => {
        if (change.version > after) this.#take(change);
      }),
      this.#clock.at(this.#clock.now() + timeoutMs, () => this.#timeOut()),
    );
    if (bookmarks) this.#nextBookmark();
  }

  #sendPresent(): void {
    for (const object of this.#collection.list(this.#options.selection.namespace)) {
      if (isSelected(this.#options.selection, object)) this.#send({ type: 'ADDED', object });
    }
    if (this.#options.initialEvents && this.#options.bookmarks) {
      this.#send({ type: 'BOOKMARK', version: this.#call.core.store.version, initialEnd: true });
    }
  }

  /** Sends what happened since; false when that is forgotten, then the watch is over. */
  #sendMissed(from: number): boolean {
    const missed = this.#collection.changesAfter(from);
    if (missed !== undefined) {
      for (const change of missed) this.#take(change);
      return true;
    }
    const why = `too old resource version: ${from} (${this.#collection.floor})`;
    this.#clock.soon(() => this.fail(expired(why).toStatus()));
    return false;
  }

  #take(change: Change): void {
    const { selection } = this.#options;
    const now = change.type !== 'DELETED' && isSelected(selection, change.object);
    const before = change.previous !== undefined && isSelected(selection, change.previous);
    if (now) this.#send({ type: before ? 'MODIFIED' : 'ADDED', object: change.object });
    else if (before) this.#send({ type: 'DELETED', object: leaving(change) });
  }

  #send(item: WatchItem): void {
    if (!this.#open) return;
    this.#queue.push(item);
    if (this.#scheduled) return;
    this.#scheduled = true;
    const { lagMs } = this.#options;
    if (lagMs > 0) this.#clock.at(this.#clock.now() + lagMs, () => this.#flush());
    else this.#clock.soon(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    const items = this.#queue;
    this.#queue = [];
    if (!this.#open || items.length === 0) return;
    this.#deliver(all(items.map((item) => this.#shown(item))));
  }

  /** In their order, also where some have to be converted first. */
  #deliver(items: Soon<readonly WatchItem[]>): void {
    if (!(items instanceof Promise) && this.#converting === undefined) {
      this.#output.items(items);
      return;
    }
    const mine = Promise.all([items, this.#converting]).then(
      ([shown]) => {
        if (this.#open) this.#output.items(shown);
        if (this.#converting === mine) this.#converting = undefined;
      },
      (error: unknown) => this.#break(error),
    );
    this.#converting = mine;
  }

  #break(error: unknown): void {
    if (!this.#open) return;
    const failure = error instanceof ApiError ? error : unexplained(String(error));
    this.#output.items([{ type: 'ERROR', status: failure.toStatus() }]);
    this.close();
  }

  #shown(item: WatchItem): Soon<WatchItem> {
    if (item.type === 'BOOKMARK' || item.type === 'ERROR') return item;
    return once(shownAs(this.#call, item.object), (object) =>
      object === item.object ? item : { type: item.type, object },
    );
  }

  #timeOut(): void {
    if (this.#options.bookmarks) this.#bookmark();
    this.#flush();
    this.close();
  }

  #nextBookmark(): void {
    const wait = bookmarkEveryMs * (0.75 + this.#random.next() / 2);
    const cancel = this.#clock.at(this.#clock.now() + wait, () => {
      if (!this.#open) return;
      this.#bookmark();
      this.#cancels.splice(this.#cancels.indexOf(cancel), 1);
      this.#nextBookmark();
    });
    this.#cancels.push(cancel);
  }

  /** None that says no more than the client knew at the beginning. */
  #bookmark(): void {
    const { version } = this.#call.core.store;
    if (version > (this.#options.from ?? 0)) {
      this.#send({ type: 'BOOKMARK', version, initialEnd: false });
    }
  }
}

/** An object that left the selection: as it was, with the version of the change. */
function leaving(change: Change): Stored {
  if (change.type === 'DELETED' || change.previous === undefined) return change.object;
  const metadata = { ...change.previous.metadata, resourceVersion: String(change.version) };
  return { ...change.previous, metadata };
}

/** The object that a BOOKMARK event carries. */
export function bookmarkObject(
  call: Call,
  version: number,
  initialEnd: boolean,
): JsonObject & { metadata: JsonObject } {
  const annotations = initialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  return {
    kind: call.resource.kind,
    apiVersion: apiVersionOf(call.resource),
    metadata: { resourceVersion: String(version), creationTimestamp: null, ...annotations },
  };
}
