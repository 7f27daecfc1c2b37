// `/api/v1/actors`: all actors that the user may list, of all processes, by column. Walked over and
// written in slices, as there may be ten thousand; a page holds the first of them in the order of
// their ids.
import type { RefusedAnswer } from '#bus/answers.ts';
import { refusal } from '#bus/answers.ts';
import { allActorKinds } from '#machines/kinds.ts';
import { Smallest } from '#src/http/actors.ts';
import { realTurns, Slices } from '#src/http/slices.ts';
import type { ActorPage } from '#src/inspector/protocol.ts';
import type { Call, Inspected } from './call.ts';
import { Columns, idOf, type ListedRow, listedOf, rowsIn } from './columns.ts';
import { type Filter, filterNames, readFilter } from './filters.ts';
import { maxPage, maxRows } from './limits.ts';
import { saying } from './others.ts';
import { malformed, numberIn, wrongParameters } from './query.ts';
import type { Reply } from './replies.ts';
import { Places } from './rights.ts';

/** Behind these many rows it is asked whether others wait. */
const stepsPerLook = 64;

interface Page {
  /** Undefined: all. */
  readonly limit: number | undefined;
  /** The id of the last row of the page before. */
  readonly after: string;
}

export async function listActors(inspected: Inspected, call: Call): Promise<Reply> {
  const wrong = wrongParameters(call.query, [...filterNames, 'limit', 'continue']);
  if (wrong !== undefined) return wrong;
  const filter = readFilter(call.query);
  if ('ok' in filter) return filter;
  const page = readPage(call.query);
  if ('ok' in page) return page;
  const slices = new Slices(realTurns, stepsPerLook);
  const refused = await learnPlaceOf(inspected, call, filter);
  if (refused !== undefined) return refused;
  const asked = call.isHandedOn
    ? { answers: [], missing: [] }
    : await inspected.others.ask<ActorPage>(call.viewer.token, () => call.path);
  const own = await listOwn(inspected, call, { filter, page, slices });
  if ('ok' in own) return own;
  const { list, sequence } = own;
  for (const { value } of asked.answers) {
    list.total += value.total - value.rows.name.length;
    list.isCut ||= value.continue !== undefined;
    for (const row of rowsIn(value.rows)) {
      if (slices.isOver) await slices.pause();
      list.add(row);
    }
  }
  return piecesOf(list, { sequence, ...saying(asked.missing) }, slices);
}

/** Who names a namespace hears whether they may list there. */
async function learnPlaceOf(
  { access }: Inspected,
  { viewer }: Call,
  { kind, namespace }: Filter,
): Promise<RefusedAnswer | undefined> {
  if (namespace === undefined) return undefined;
  const kinds = allActorKinds().filter((one) => kind === undefined || kind === one);
  const places = kinds.map((one) => ({ kind: one, namespace }));
  const refused = await access.learn(viewer, places);
  if (refused !== undefined) return refused;
  if (places.some((place) => viewer.rights.mayList(place))) return undefined;
  return refusal('FORBIDDEN', `${viewer.user} may list no ${kind ?? 'actors'} in ${namespace}`);
}

interface Wanted {
  readonly filter: Filter;
  readonly page: Page;
  readonly slices: Slices;
}

/** The rows of this process that the user may see. Those of a place of which it was not asked yet
 *  make it ask and read all again, also where they came while it asked: what was left out would
 *  stay so, as streams tell only what comes behind `sequence`. */
async function listOwn(
  { source, access }: Inspected,
  { viewer }: Call,
  { filter, page, slices }: Wanted,
): Promise<{ readonly list: List; readonly sequence: number } | RefusedAnswer> {
  const { rights } = viewer;
  for (;;) {
    // Read before the rows: what changes meanwhile comes again behind it.
    const sequence = source.history.newest;
    const list = new List(page);
    const unknown = new Places();
    for (const row of source.rows()) {
      if (slices.isOver) await slices.pause();
      if (!filter.has(row)) continue;
      if (rights.mayList(row.key)) list.add(listedOf(row));
      else if (!rights.isKnown(row.key)) unknown.add(row.key);
    }
    if (unknown.size === 0) return { list, sequence };
    const refused = await access.learn(viewer, unknown);
    if (refused !== undefined) return refused;
  }
}

function readPage(query: URLSearchParams): Page | RefusedAnswer {
  const limit = numberIn(query, 'limit', { least: 1, most: maxPage }, undefined);
  if (typeof limit === 'object') return limit;
  const token = query.get('continue');
  if (token === null) return { limit, after: '' };
  const after = Buffer.from(token, 'base64url').toString();
  if (!/^[a-z]+\/[^/]*\/[^/]+$/.test(after)) {
    return malformed('continue must be the value of an earlier answer');
  }
  return { limit: limit ?? maxPage, after };
}

interface Placed {
  readonly row: ListedRow;
  readonly position: string;
}

/** All rows, or the first of them and one more. */
class List {
  readonly page: Page;
  readonly #all: ListedRow[] = [];
  readonly #first: Smallest<Placed> | undefined;
  total = 0;
  /** Another process has more rows than it gave. */
  isCut = false;

  constructor(page: Page) {
    this.page = page;
    if (page.limit !== undefined) this.#first = new Smallest(page.limit + 1);
  }

  add(row: ListedRow): void {
    this.total++;
    if (this.#first === undefined) {
      if (this.#all.length < maxRows) this.#all.push(row);
      return;
    }
    const position = idOf(row);
    if (position > this.page.after) this.#first.add({ row, position });
  }

  rows(): readonly ListedRow[] {
    return this.#first?.sorted().map(({ row }) => row) ?? this.#all;
  }
}

async function piecesOf(list: List, head: object, slices: Slices): Promise<Reply> {
  const { limit = maxRows } = list.page;
  const rows = list.rows();
  const columns = new Columns();
  for (const row of rows) {
    if (columns.length === limit) break;
    if (slices.isOver) await slices.pause();
    columns.add(row);
  }
  const last = rows[limit - 1];
  const isMore = rows.length > limit || list.isCut;
  const token =
    isMore && last !== undefined ? Buffer.from(idOf(last)).toString('base64url') : undefined;
  const { total } = list;
  const pieces = [`${JSON.stringify({ ...head, total, continue: token }).slice(0, -1)},"rows":`];
  const written = new Slices(realTurns, 1);
  for (const piece of columns.pieces()) {
    pieces.push(piece);
    if (written.isOver) await written.pause();
  }
  pieces.push('}');
  return { ok: true, pieces };
}
