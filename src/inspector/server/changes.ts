// `/api/v1/changes`: the rows that changed since a time or behind a place, which one process asks
// another for so that its stream shows the actors of all; and the asking side of it.
import type { Clock } from '#actors/ports.ts';
import type { ChangePage } from '#src/inspector/protocol.ts';
import type { Call, Inspected } from './call.ts';
import { Columns, listedOf } from './columns.ts';
import { type Batch, changedSince, type Feed } from './feed.ts';
import { listedBeforeMs, rowsPerBatch } from './limits.ts';
import type { Asked, Others } from './others.ts';
import { anyPlace, malformed, numberIn, wrongParameters } from './query.ts';
import type { Reply } from './replies.ts';
import { Places } from './rights.ts';

export async function listChanges(
  inspected: Inspected,
  feed: Feed,
  { query, viewer }: Call,
): Promise<Reply> {
  const wrong = wrongParameters(query, ['since', 'after', 'process']);
  if (wrong !== undefined) return wrong;
  const since = numberIn(query, 'since', anyPlace, undefined);
  const after = numberIn(query, 'after', anyPlace, undefined);
  if (typeof since === 'object') return since;
  if (typeof after === 'object') return after;
  if ((since === undefined) === (after === undefined)) {
    return malformed('either since or after must be given');
  }
  const { id } = inspected.process;
  const isOther = after !== undefined && query.get('process') !== id;
  const found = isOther ? 'it was restarted' : changedIn(inspected, feed, { since, after });
  if (typeof found === 'string') return { ok: true, data: { process: id, resync: found } };
  const places = new Places();
  for (const key of found.changed.values()) places.add(key);
  const refused = await inspected.access.learn(viewer, places);
  if (refused !== undefined) return refused;
  const columns = new Columns();
  const gone: string[] = [];
  for (const [actor, key] of found.changed) {
    if (!viewer.rights.mayList(key)) continue;
    const row = inspected.source.row(actor);
    if (row === undefined) gone.push(actor);
    else columns.add(listedOf(row));
  }
  const head = JSON.stringify({ process: id, sequence: found.sequence, gone });
  return { ok: true, pieces: [`${head.slice(0, -1)},"rows":`, ...columns.pieces(), '}'] };
}

interface From {
  readonly since: number | undefined;
  readonly after: number | undefined;
}

function changedIn(
  { source }: Inspected,
  feed: Feed,
  { since = 0, after }: From,
): Pick<Batch, 'sequence' | 'changed'> | string {
  if (after !== undefined) return feed.since(after);
  const { history } = source;
  const facts = history.between(since, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const sequence = (facts[0]?.sequence ?? history.newest + 1) - 1;
  const changed = changedSince(source, sequence, facts);
  if (changed.size > rowsPerBatch) return `${changed.size} rows have changed since`;
  return { sequence: history.newest, changed };
}

type Seen = { readonly since: number } | { readonly process: string; readonly sequence: number };

/** What one viewer has seen of the others. */
export class OthersSeen {
  readonly #others: Others;
  readonly #clock: Clock;
  readonly #seen = new Map<string, Seen>();

  constructor(others: Others, clock: Clock) {
    this.#others = others;
    this.#clock = clock;
  }

  /** What is new since the last time; at first since the viewer has listed. */
  async next(token: string): Promise<Asked<ChangePage>> {
    const listed = { since: this.#clock.now() - listedBeforeMs };
    const asked = await this.#others.ask<ChangePage>(token, (holder) => {
      const seen = this.#seen.get(holder) ?? listed;
      if ('since' in seen) return `/api/v1/changes?since=${seen.since}`;
      const { sequence, process } = seen;
      return `/api/v1/changes?after=${sequence}&process=${encodeURIComponent(process)}`;
    });
    for (const { holder, value } of asked.answers) {
      const { process } = value;
      // The viewer lists anew now.
      if ('resync' in value) this.#seen.set(holder, listed);
      else this.#seen.set(holder, { process, sequence: value.sequence });
    }
    return asked;
  }
}
