// Facts as they are shown: only those about actors that the user may list. `/api/v1/facts` for the
// timeline and `/api/v1/traces/{id}` for what led to what, of all processes; the history of one
// actor is a question to it (one.ts).
import type { Recorded } from '#actors/history/history.ts';
import { refusal } from '#bus/answers.ts';
import { actorId } from '#machines/contract/address.ts';
import { realTurns, Slices } from '#src/http/slices.ts';
import type { FactPage, FactRow, TracePage } from '#src/inspector/protocol.ts';
import type { Call, Inspected } from './call.ts';
import { maxFacts, usualFacts } from './limits.ts';
import { saying } from './others.ts';
import { anyPlace, numberIn, wrongParameters } from './query.ts';
import type { Reply } from './replies.ts';
import { Places } from './rights.ts';

export const factRow = ({ about, ...fact }: Recorded): FactRow => ({
  ...fact,
  about: actorId(about),
});

const maxIdLength = 128;
const maxTextLength = 256;
/** A look at the clock costs little beside masking a fact. */
const stepsPerLook = 8;

interface Wanted {
  readonly facts: readonly Recorded[];
  /** No more than these, the first that match. */
  readonly limit: number;
  readonly has?: (row: FactRow) => boolean;
}

/** Those that the user may see, in slices. */
async function visible(
  { access }: Inspected,
  { viewer }: Call,
  { facts, limit, has = () => true }: Wanted,
): Promise<FactRow[] | Reply> {
  const places = new Places();
  for (const { about } of facts) places.add(about);
  const refused = await access.learn(viewer, places);
  if (refused !== undefined) return refused;
  const slices = new Slices(realTurns, stepsPerLook);
  const shown: FactRow[] = [];
  for (const fact of facts) {
    if (shown.length === limit) break;
    if (slices.isOver) await slices.pause();
    if (!viewer.rights.mayList(fact.about)) continue;
    const row = factRow(fact);
    if (has(row)) shown.push(row);
  }
  return shown;
}

export async function listFacts(inspected: Inspected, call: Call): Promise<Reply> {
  const { query } = call;
  const { history } = inspected.source;
  const wrong = wrongParameters(query, ['from', 'to', 'namespace', 'text', 'limit']);
  if (wrong !== undefined) return wrong;
  const from = numberIn(query, 'from', anyPlace, 0);
  const to = numberIn(query, 'to', anyPlace, Number.MAX_SAFE_INTEGER);
  const limit = numberIn(query, 'limit', { least: 1, most: maxFacts }, usualFacts);
  if (typeof from === 'object') return from;
  if (typeof to === 'object') return to;
  if (typeof limit === 'object') return limit;
  const [namespace, text] = [query.get('namespace'), query.get('text')?.toLowerCase() ?? ''];
  if (text.length > maxTextLength) {
    return refusal('TOO_LARGE', `text has more than ${maxTextLength} characters`);
  }
  const own = await visible(inspected, call, {
    // The newest first, as those are wanted where there are too many.
    facts: history
      .between(from, to, Number.MAX_SAFE_INTEGER)
      .filter(({ about }) => namespace === null || about.namespace === namespace)
      .toReversed(),
    limit: limit + 1,
    has: (row) => text === '' || JSON.stringify(row).toLowerCase().includes(text),
  });
  if (!Array.isArray(own)) return own;
  const asked = await askOthers<FactPage>(inspected, call);
  const all = inOrder([own.toReversed(), ...asked.answers.map(({ value }) => value.facts)]);
  const facts = all.slice(-limit);
  const isCut = all.length > limit || asked.answers.some(({ value }) => value.older === 'more');
  const older = isCut ? 'more' : history.oldest > 1 ? 'dropped' : 'restarted';
  return pageOf({ facts, older, ...saying(asked.missing) });
}

export async function showTrace(inspected: Inspected, call: Call): Promise<Reply> {
  const wrong = wrongParameters(call.query, []);
  if (wrong !== undefined) return wrong;
  const [trace = ''] = call.named;
  if (trace.length > maxIdLength) {
    return refusal('TOO_LARGE', `an id has at most ${maxIdLength} characters`);
  }
  const known = inspected.source.history.trace(trace);
  const own = await visible(inspected, call, { facts: known, limit: maxFacts });
  if (!Array.isArray(own)) return own;
  const asked = await askOthers<TracePage>(inspected, call);
  const facts = inOrder([own, ...asked.answers.map(({ value }) => value.facts)]);
  if (facts.length === 0 && !call.isHandedOn) {
    const who = asked.missing.length === 0 ? '' : `; ${asked.missing.join(', ')} did not answer`;
    return refusal('NOT_FOUND', `no fact of trace ${trace} is known that you may see${who}`);
  }
  const ids = new Set(facts.map(({ id }) => id));
  // All but the first have a cause, which is of the same trace.
  const hasCauses = facts.every(({ cause, id }) => id === trace || cause === '' || ids.has(cause));
  const isWhole = hasCauses && own.length === known.length && asked.missing.length === 0;
  return pageOf({ trace, facts, isWhole, ...saying(asked.missing) });
}

const askOthers = <T>({ others }: Inspected, { viewer, path, isHandedOn }: Call) =>
  isHandedOn
    ? Promise.resolve({ answers: [], missing: [] })
    : others.ask<T>(viewer.token, () => path);

/** Oldest first; of one process in the order in which they were noted. */
const inOrder = (lists: readonly (readonly FactRow[])[]): readonly FactRow[] =>
  lists.length === 1
    ? (lists[0] ?? [])
    : lists.flat().toSorted((a, b) => a.at - b.at || a.sequence - b.sequence);

const pageOf = (page: FactPage | TracePage): Reply => ({
  ok: true,
  pieces: [JSON.stringify(page)],
});
