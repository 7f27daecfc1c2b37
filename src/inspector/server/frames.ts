// Batches as the text of events. What is the same for several viewers is written once: the whole
// batch for all who may list everything, or the part of it that a user may see, for all streams of
// that user.
import { entryOf } from '#actors/maps.ts';
import type { Recorded } from '#actors/history/history.ts';
import { realTurns, Slices } from '#src/http/slices.ts';
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import type { ActorKind } from '#machines/kinds.ts';
import type { StreamEvent } from '#src/inspector/protocol.ts';
import { Columns, listedOf } from './columns.ts';
import { factRow } from './facts.ts';
import type { Batch } from './feed.ts';
import { rowsPerBatch } from './limits.ts';
import { type Place, Places, type Rights } from './rights.ts';
import type { Source } from './source.ts';

/** Facts of all actors, of one by its id, or none. */
export type FactsWanted = 'all' | 'none' | { readonly of: string };

/** `JSON.stringify` leaves no line break in the text. */
export const frameOf = ({ type, ...data }: StreamEvent): string =>
  frame(type, JSON.stringify(data));

const frame = (type: StreamEvent['type'], data: string): string =>
  `event: ${type}\ndata: ${data}\n\n`;

/** Asked at each row, which costs more than a look at the clock. */
const stepsPerLook = 16;

export class Frames {
  readonly #source: Source;
  readonly #batch: Batch;
  readonly #places = new Places();
  readonly #kinds = new Set<ActorKind>();
  readonly #whole = new Part();
  readonly #parts = new Map<Rights, Part>();
  /** Viewers to whom it was sent, and bytes to all of them. */
  writes = 0;
  bytes = 0;

  constructor(source: Source, batch: Batch) {
    this.#source = source;
    this.#batch = batch;
    for (const key of batch.changed.values()) this.#add(key);
    for (const { about } of batch.facts) this.#add(about);
  }

  get places(): Iterable<Place> {
    return this.#places;
  }

  get sequence(): number {
    return this.#batch.sequence;
  }

  /** In UTF-8, of what these rights let see, as far as they are known; none: nothing. */
  text(rights: Rights, wanted: FactsWanted): Promise<Uint8Array> {
    const isAll = rights.mayListAll(this.#kinds);
    const may = (key: ActorKey): boolean => isAll || rights.mayList(key);
    const [key, id] = typeof wanted === 'string' ? [wanted, ''] : [`of ${wanted.of}`, wanted.of];
    const has = ({ about }: Recorded): boolean =>
      (id === '' || actorId(about) === id) && may(about);
    const part = isAll ? this.#whole : this.#partOf(rights);
    return entryOf(part.encoded, key, async () => {
      const rows = await (part.rows ??= this.#rows(may));
      const facts = key === 'none' ? '' : await this.#facts(has, id === '');
      return Buffer.from(rows + facts);
    });
  }

  /** Shared once everything is known of these rights: until then a stream has a part of its own. */
  #partOf(rights: Rights): Part {
    const make = (): Part => new Part();
    return rights.knows(this.#places) ? entryOf(this.#parts, rights, make) : make();
  }

  #add(key: ActorKey): void {
    this.#places.add(key);
    this.#kinds.add(key.kind);
  }

  async #rows(may: (key: ActorKey) => boolean): Promise<string> {
    const { changed, sequence } = this.#batch;
    if (changed.size > rowsPerBatch) {
      return frameOf({ type: 'resync', why: `${changed.size} rows changed at once` });
    }
    const slices = new Slices(realTurns, stepsPerLook);
    const columns = new Columns();
    const gone: string[] = [];
    for (const [id, key] of changed) {
      if (slices.isOver) await slices.pause();
      if (!may(key)) continue;
      const row = this.#source.row(id);
      if (row === undefined) gone.push(id);
      else columns.add(listedOf(row));
    }
    if (columns.length === 0 && gone.length === 0) return '';
    const head = JSON.stringify({ sequence, gone });
    return frame('delta', `${head.slice(0, -1)},"rows":${[...columns.pieces()].join('')}}`);
  }

  /** How many were skipped of whom is not known. */
  async #facts(has: (fact: Recorded) => boolean, saysSkipped: boolean): Promise<string> {
    const { sequence } = this.#batch;
    const slices = new Slices(realTurns, stepsPerLook);
    const facts = [];
    for (const fact of this.#batch.facts) {
      if (slices.isOver) await slices.pause();
      if (has(fact)) facts.push(factRow(fact));
    }
    const skipped = saysSkipped ? this.#batch.skipped : 0;
    if (facts.length === 0 && skipped === 0) return '';
    return frameOf({ type: 'facts', sequence, facts, skipped });
  }
}

/** What the same rights let see of a batch. */
class Part {
  rows: Promise<string> | undefined;
  /** By the facts that are wanted. */
  readonly encoded = new Map<string, Promise<Uint8Array>>();
}
