// Brings what a recorder saw into the order in which the server did it: by the version that each
// write made. Events that only repeat an answer are dropped; what is left of them is the work of
// others.
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { Entry, Exchange, Foreign } from './log.ts';
import { type Passed, versionOf } from './recorder.ts';

interface Placed {
  readonly what: Exchange | Foreign;
  readonly at: number;
}

export function inOrder(passed: readonly Passed[]): readonly Entry[] {
  const told = new Set<string>();
  const ends = endsOf(passed);
  const placed: Placed[] = [];
  for (const { what, after } of passed) {
    if (what.type !== 'request') continue;
    const made = madeVersion(what, after, ends);
    placed.push({ what, at: made });
    told.add(identity(what.answer));
    // A delete tells no version of its own when the object is gone with it.
    const uid = deletedUid(what);
    if (uid !== '') told.add(`${uid} ended`);
  }
  const seen = new Set<string>();
  for (const { what } of passed) {
    if (what.type === 'request' || told.has(identity(what.object))) continue;
    const key = `${what.type} ${identity(what.object)}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (what.type === 'DELETED' && told.has(`${uidOf(what.object)} ended`)) continue;
    placed.push({ what, at: versionOf(what.object) });
  }
  return placed.toSorted((a, b) => a.at - b.at).map(({ what }) => what);
}

/** The version at which each object ended, by UID. */
function endsOf(passed: readonly Passed[]): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  for (const { what } of passed) {
    if (what.type === 'DELETED') ends.set(uidOf(what.object), versionOf(what.object));
  }
  return ends;
}

/** Where a request belongs. One that changed nothing comes after all that was known when it was
 *  answered. */
function madeVersion(exchange: Exchange, after: number, ends: ReadonlyMap<string, number>): number {
  const { method, status, answer } = exchange;
  if (method === 'GET' || status >= 300) return after + 0.5;
  const end = ends.get(deletedUid(exchange));
  const version = versionOf(answer);
  return end ?? (version > 0 ? version : after + 0.5);
}

/** The UID of an object that is gone with this DELETE. */
function deletedUid({ method, status, answer }: Exchange): string {
  if (method !== 'DELETE' || status >= 300 || !isObject(answer)) return '';
  return answer['kind'] === 'Status' ? textAt(objectAt(answer, 'details'), 'uid') : '';
}

const uidOf = (body: unknown): string =>
  isObject(body) ? textAt(objectAt(body, 'metadata'), 'uid') : '';

const identity = (body: unknown): string => `${uidOf(body)} ${versionOf(body)}`;
