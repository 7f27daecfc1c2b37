// `/actors`: who is alive, tree by tree, in pages. For people with curl and jq, the inspector and
// the kubectl plugin. `?kind= &namespace= &name=` filter actors, `&limit=` bounds a page,
// `&continue=` goes on behind the last one.
import type { ActorRow } from '#actors/history/history.ts';
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import { type Handler, json, type Reply, text } from './server.ts';
import { realTurns, Slices } from './slices.ts';

/** A root object and the actors under it. */
export interface ActorTree {
  readonly root: ActorKey;
  readonly shard: number;
  readonly actors: Iterable<ActorRow>;
}

const defaultLimit = 500;
const maxLimit = 1_000;
const filters = ['kind', 'namespace', 'name'] as const;
const parameters: readonly string[] = [...filters, 'limit', 'continue'];

/** `trees` is asked once per request, and walked in slices: what comes and goes meanwhile may be
 *  shown or not. */
export function actorsHandler(trees: () => Iterable<ActorTree>, turns = realTurns): Handler {
  return async (query) => {
    const unknown = [...query.keys()].find((name) => !parameters.includes(name));
    if (unknown !== undefined) {
      return text(400, `no parameter "${unknown}"; there is ${parameters.join(', ')}`);
    }
    const limit = Number(query.get('limit') ?? defaultLimit);
    if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
      return text(400, `limit must be a whole number from 1 to ${maxLimit}`);
    }
    const after = decodePosition(query.get('continue'));
    if (after === undefined) return text(400, 'continue must be the value of an earlier answer');
    const isWanted = ({ key }: ActorRow): boolean =>
      filters.every((name) => !query.has(name) || query.get(name) === key[name]);
    return reply(await collect(trees(), { isWanted, after, limit }, new Slices(turns)), limit);
  };
}

interface Placed {
  readonly tree: ActorTree;
  readonly row: ActorRow;
  /** Sorts trees together and the root first. */
  readonly position: string;
}

interface Wanted {
  readonly isWanted: (row: ActorRow) => boolean;
  readonly after: string;
  readonly limit: number;
}

interface Collected {
  /** The first `limit` behind the position, and one more where there is one. */
  readonly first: readonly Placed[];
  readonly total: number;
}

async function collect(
  trees: Iterable<ActorTree>,
  { isWanted, after, limit }: Wanted,
  slices: Slices,
): Promise<Collected> {
  const smallest = new Smallest<Placed>(limit + 1);
  let total = 0;
  for (const tree of trees) {
    const root = actorId(tree.root);
    for (const row of tree.actors) {
      if (slices.isOver) await slices.pause();
      if (!isWanted(row)) continue;
      total++;
      const id = actorId(row.key);
      const position = id === root ? root : `${root} ${id}`;
      if (position > after) smallest.add({ tree, row, position });
    }
  }
  return { first: smallest.sorted(), total };
}

/** Keeps the first of many without sorting more than twice as many at a time. */
export class Smallest<T extends { readonly position: string }> {
  readonly #count: number;
  #kept: T[] = [];
  /** What is not below it is not among the first. */
  #bound: string | undefined;

  constructor(count: number) {
    this.#count = count;
  }

  add(placed: T): void {
    if (this.#bound !== undefined && placed.position >= this.#bound) return;
    this.#kept.push(placed);
    if (this.#kept.length < 2 * this.#count) return;
    this.#kept = [...this.sorted()];
    this.#bound = this.#kept.at(-1)?.position;
  }

  sorted(): readonly T[] {
    return this.#kept.toSorted((a, b) => compare(a.position, b.position)).slice(0, this.#count);
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function reply({ first, total }: Collected, limit: number): Reply {
  const shown = first.slice(0, limit);
  const last = shown.at(-1);
  const groups = Map.groupBy(shown, ({ tree }) => tree);
  return json(200, {
    trees: [...groups].map(([tree, placed]) => ({
      root: actorId(tree.root),
      shard: tree.shard,
      actors: placed.map(({ row: { key, ...state } }) => ({ key: actorId(key), ...state })),
    })),
    total,
    ...(last !== undefined && first.length > limit
      ? { continue: Buffer.from(last.position).toString('base64url') }
      : {}),
  });
}

/** Undefined where the token is not one of ours. */
function decodePosition(token: string | null): string | undefined {
  if (token === null) return '';
  const position = Buffer.from(token, 'base64url').toString();
  return /^[a-z]+\/[^ /]*\/[^ /]+( [a-z]+\/[^ /]*\/[^ /]+)?$/.test(position) ? position : undefined;
}
