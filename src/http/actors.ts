// `/actors`: who is alive, tree by tree, in pages. For people with curl and jq, the inspector and
// the kubectl plugin. `?kind= &namespace= &name=` filter actors, `&limit=` bounds a page,
// `&continue=` goes on behind the last one.
import type { JsonObject } from '#machines/objects.ts';
import { actorId, type ActorKey } from '#machines/vocabulary.ts';
import { type Handler, json, type Reply, text } from './server.ts';

/** One actor as it is shown. */
export interface ActorRow {
  readonly key: ActorKey;
  /** The machine that it runs, e.g. `podclique`. */
  readonly machine: string;
  /** State of the machine, e.g. `running` or `{"running":"starting"}`. */
  readonly state: string | JsonObject;
  readonly restarts: number;
  readonly parked: boolean;
  /** Mail that waits. */
  readonly mailbox: number;
}

/** A root object and the actors under it. */
export interface ActorTree {
  readonly root: ActorKey;
  readonly shard: number;
  readonly actors: Iterable<ActorRow>;
}

const defaultLimit = 500;
const maxLimit = 5_000;
const filters = ['kind', 'namespace', 'name'] as const;
const parameters: readonly string[] = [...filters, 'limit', 'continue'];

/** `trees` is asked once per request. */
export function actorsHandler(trees: () => Iterable<ActorTree>): Handler {
  return (query) => {
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
    return page(rows(trees(), query), after, limit);
  };
}

interface Placed {
  readonly tree: ActorTree;
  readonly row: ActorRow;
  /** Sorts trees together and the root first. */
  readonly position: string;
}

/** All actors that pass the filters, in an order that does not change while actors come and go. */
function rows(trees: Iterable<ActorTree>, query: URLSearchParams): readonly Placed[] {
  const placed: Placed[] = [];
  for (const tree of trees) {
    const root = actorId(tree.root);
    for (const row of tree.actors) {
      const isWanted = filters.every((name) => {
        const wanted = query.get(name);
        return wanted === null || wanted === row.key[name];
      });
      if (!isWanted) continue;
      const id = actorId(row.key);
      placed.push({ tree, row, position: id === root ? root : `${root} ${id}` });
    }
  }
  return placed.toSorted((a, b) => compare(a.position, b.position));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function page(all: readonly Placed[], after: string, limit: number): Reply {
  const first = all.findIndex(({ position }) => position > after);
  const rest = first < 0 ? [] : all.slice(first);
  const shown = rest.slice(0, limit);
  const last = shown.at(-1);
  const groups = Map.groupBy(shown, ({ tree }) => tree);
  return json(200, {
    trees: [...groups].map(([tree, placed]) => ({
      root: actorId(tree.root),
      shard: tree.shard,
      actors: placed.map(({ row: { key, ...state } }) => ({ key: actorId(key), ...state })),
    })),
    total: all.length,
    ...(last !== undefined && rest.length > shown.length
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
