// What the objects of one kind were, by name and moment: what a process does is judged by what was
// true when it looked, which is a while ago.
import type { Clock } from '#actors/ports.ts';
import type { Change } from '#src/devcluster/api/store/collection.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { uidOf } from '../fields.ts';
import { collections, nameOf, type What } from './objects.ts';

export interface Moment {
  readonly version: number;
  readonly at: number;
  /** Undefined: there is none of the name from then on. */
  readonly object: Stored | undefined;
}

const before: Moment = { version: 0, at: -Infinity, object: undefined };

export class Past {
  readonly #clock: Clock;
  readonly #byName = new Map<string, Moment[]>();
  readonly #born = new Map<string, Moment>();

  constructor(store: Store, clock: Clock, what: What) {
    this.#clock = clock;
    store.collection(collections[what]).onChange((change) => this.#take(change));
  }

  /** All versions of this name, the first of which is that there was none. */
  of(name: string): readonly Moment[] {
    return this.#byName.get(name) ?? [before];
  }

  /** Those that were in force at some time of the last so many milliseconds. */
  lately(name: string, ms: number): readonly (Stored | undefined)[] {
    const from = this.#clock.now() - ms;
    const moments = this.of(name);
    return moments
      .filter((_, index) => (moments[index + 1]?.at ?? Infinity) >= from)
      .map(({ object }) => object);
  }

  /** What there was at a version. */
  at(name: string, version: number): Stored | undefined {
    return this.of(name).findLast((moment) => moment.version <= version)?.object;
  }

  /** When an object was made. */
  bornOf(uid: string): Moment {
    return this.#born.get(uid) ?? before;
  }

  #take({ type, object, version }: Change): void {
    const name = nameOf(object);
    const moment = {
      ...{ version, at: this.#clock.now() },
      object: type === 'DELETED' ? undefined : object,
    };
    const moments = this.#byName.get(name) ?? [before];
    moments.push(moment);
    this.#byName.set(name, moments);
    if (type === 'ADDED') this.#born.set(uidOf(object), moment);
  }
}
