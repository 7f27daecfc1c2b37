// The views of one process: items under keys, as objects and actors put them there; the value under
// each key that somebody reads, and who that is. Kept by difference: an item that says nothing new
// changes nothing, and a value is found anew only where an item changed. Objects come by the
// router, items of actors by their turns, and readers at each of their reconciles.
import type { Entry, Reading, View } from '#machines/contract/view.ts';
import { isEqual } from '#machines/kubernetes/json.ts';
import { noCause, type Cause } from '../mail/causality.ts';
import type { MachineEvent } from '../mail/mailbox.ts';
import { entryOf } from '../maps.ts';

/** As far as views need to know an actor. */
export interface Reader {
  readonly id: string;
  /** What it reads, by cell. */
  readonly reads: Map<string, Read>;
}

/** What is under one key of a view. */
class Cell<R> {
  readonly id: string;
  readonly view: View;
  readonly key: string;
  /** By where each comes from: the key of an object, or the id of an actor. */
  readonly items = new Map<string, unknown>();
  readonly readers = new Set<R>();
  value: unknown;
  /** An item changed since the value was found. */
  isStale = false;
  /** Of the newest change of an item. */
  cause = noCause;

  constructor(id: string, view: View, key: string) {
    this.id = id;
    this.view = view;
    this.key = key;
  }
}

/** What an actor was handed last under a key. */
export interface Read {
  readonly view: View;
  readonly key: string;
  value: unknown;
}

/** A value that changed, for those who read it. */
export interface Change<R extends Reader> {
  readonly id: string;
  readonly view: View;
  readonly key: string;
  /** Undefined: there is nothing to read any more. */
  readonly value: unknown;
  readonly readers: readonly R[];
  readonly cause: Cause;
}

export class Views<R extends Reader> {
  readonly #cells = new Map<string, Cell<R>>();
  /** What each object is in views; few entries each. */
  readonly #objects = new Map<string, readonly Entry[]>();
  /** What each actor has published, by place: a root may publish for each of its children. */
  readonly #published = new Map<string, Map<string, Entry>>();
  /** Stale ones that somebody reads. */
  readonly #stale = new Set<Cell<R>>();
  /** Those with another value than when changes were collected last. */
  readonly #changed = new Set<Cell<R>>();
  readonly #wake: () => void;

  /** `wake` is called when there may be changes to collect. */
  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /** All that an object is in views from now on. */
  put(object: string, entries: readonly Entry[], cause: Cause): void {
    const before = this.#objects.get(object) ?? noEntries;
    if (before.length + entries.length === 0) return;
    for (const old of before) {
      if (!entries.some((entry) => isSamePlace(entry, old))) this.#drop(object, old, cause);
    }
    for (const entry of entries) this.#set(object, entry, cause);
    if (entries.length === 0) this.#objects.delete(object);
    else this.#objects.set(object, entries);
  }

  /** What an actor says in one place from now on; an item that is undefined: nothing. */
  publish(actor: string, entry: Entry, cause: Cause): void {
    const place = placeOf(entry.view, entry.key);
    if (entry.item !== undefined) {
      entryOf(this.#published, actor, () => new Map()).set(place, entry);
      return this.#set(actor, entry, cause);
    }
    const published = this.#published.get(actor);
    const before = published?.get(place);
    if (before === undefined) return;
    published?.delete(place);
    this.#drop(actor, before, cause);
  }

  /** Nothing that an actor published stands any more. */
  withdraw(actor: string, cause: Cause): void {
    for (const entry of this.#published.get(actor)?.values() ?? []) this.#drop(actor, entry, cause);
    this.#published.delete(actor);
  }

  /** There may be changes that nobody has collected. */
  get hasChanges(): boolean {
    return this.#stale.size + this.#changed.size > 0;
  }

  /** All changes since the last time that somebody reads. */
  changes(): readonly Change<R>[] {
    const broken = new Set<Cell<R>>();
    for (const cell of this.#stale) {
      try {
        this.#refresh(cell);
      } catch {
        // Whoever reads it meets the error at its reconcile, and is the one that crashes.
        broken.add(cell);
      }
    }
    const changed = [...this.#changed, ...broken];
    this.#changed.clear();
    return changed.map((cell) => {
      const { id, view, key, readers, cause } = cell;
      const value = broken.has(cell) ? unknownValue : cell.value;
      return { id, view, key, value, readers: [...readers], cause };
    });
  }

  /** The actor reads these from now on and no others: what is new to it, as its events; first of
   *  what it reads no more. */
  follow(actor: R, readings: readonly Reading[]): readonly MachineEvent[] {
    const { reads } = actor;
    if (readings.length + reads.size === 0) return [];
    const cells = readings.map(({ view, key }) => this.#cell(view, key));
    const events = this.#leaveOthers(actor, new Set(cells.map(({ id }) => id)));
    for (const cell of cells) {
      this.#refresh(cell);
      const read = reads.get(cell.id) ?? { view: cell.view, key: cell.key, value: undefined };
      if (!reads.has(cell.id)) {
        cell.readers.add(actor);
        reads.set(cell.id, read);
      }
      if (read.value === cell.value) continue;
      read.value = cell.value;
      events.push(cell.view.event(cell.key, cell.value));
    }
    return events;
  }

  #leaveOthers(actor: R, wanted: ReadonlySet<string>): MachineEvent[] {
    const events: MachineEvent[] = [];
    for (const [id, { view, key, value }] of actor.reads) {
      if (wanted.has(id)) continue;
      this.#leave(actor, id);
      actor.reads.delete(id);
      if (value !== undefined) events.push(view.event(key, undefined));
    }
    return events;
  }

  /** A fresh machine of the actor was handed nothing yet. */
  forget({ reads }: R): void {
    for (const read of reads.values()) read.value = undefined;
  }

  /** The actor is over: it reads nothing any more, and nothing that it published stands. */
  end(actor: R, cause: Cause): void {
    for (const id of actor.reads.keys()) this.#leave(actor, id);
    actor.reads.clear();
    this.withdraw(actor.id, cause);
  }

  #leave(actor: R, id: string): void {
    const cell = this.#cells.get(id);
    if (cell === undefined) return;
    cell.readers.delete(actor);
    if (cell.readers.size === 0) {
      this.#stale.delete(cell);
      this.#changed.delete(cell);
      // Nobody waits for its value: the next reader finds it anew.
      cell.isStale = true;
    }
    this.#sweep(cell);
  }

  #set(source: string, { view, key, item }: Entry, cause: Cause): void {
    const cell = this.#cell(view, key);
    if (cell.items.has(source) && isSameItem(view, cell.items.get(source), item)) return;
    cell.items.set(source, item);
    this.#touch(cell, cause);
  }

  #drop(source: string, { view, key }: Entry, cause: Cause): void {
    const cell = this.#cell(view, key);
    cell.items.delete(source);
    this.#touch(cell, cause);
    this.#sweep(cell);
  }

  #touch(cell: Cell<R>, cause: Cause): void {
    cell.cause = cause;
    cell.isStale = true;
    if (cell.readers.size === 0) return;
    this.#stale.add(cell);
    this.#wake();
  }

  /** Finds the value anew where an item changed; its readers hear of another one. */
  #refresh(cell: Cell<R>): void {
    if (!cell.isStale) return;
    this.#stale.delete(cell);
    const { view, value: before } = cell;
    const value = cell.items.size === 0 ? undefined : view.valueOf(cell.items);
    const isSame = isSameValue(view, before, value);
    cell.isStale = false;
    if (isSame) return;
    cell.value = value;
    if (cell.readers.size === 0 || view.wakes?.(before, value) === false) return;
    this.#changed.add(cell);
    this.#wake();
  }

  #cell(view: View, key: string): Cell<R> {
    const id = placeOf(view, key);
    return entryOf(this.#cells, id, () => new Cell<R>(id, view, key));
  }

  #sweep({ id, items, readers }: Cell<R>): void {
    if (items.size + readers.size === 0) this.#cells.delete(id);
  }
}

/** Of a view that has thrown: nobody has read that. */
const unknownValue = Symbol('unknown');

const noEntries: readonly Entry[] = [];

const placeOf = ({ name }: View, key: string): string => `${name}\n${key}`;

const isSamePlace = (one: Entry, other: Entry): boolean =>
  one.key === other.key && one.view === other.view;

const isSameItem = ({ isSameItem: isSame = isEqual }: View, one: unknown, other: unknown) =>
  isSame(one, other);

const isSameValue = ({ isSame = isEqual }: View, one: unknown, other: unknown): boolean =>
  one === undefined || other === undefined ? one === other : isSame(one, other);
