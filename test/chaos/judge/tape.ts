// The recording of a day as judge.ts plays it: what every process asked and was shown, in the order
// of the machine's clock, and for each version the request that made it.
import { existsSync, readFileSync } from 'node:fs';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';
import { at, textAt, uidOf } from '#test/sim/fields.ts';
import { placeOf } from '#test/sim/oracles/place.ts';
import type { Answered, Committed, Note, ProcessRecord, Reference } from '../recording/records.ts';

export interface Recording {
  /** By life: the file that the process wrote. */
  readonly tapes: ReadonlyMap<number, string>;
  readonly answers: readonly Answered[];
  readonly changes: readonly Committed[];
  readonly notes: readonly Note[];
  /** Up to this version it was there when the recording began: nobody is blamed for that. */
  readonly from: number;
  /** What came later belongs to another history. */
  readonly until: number;
}

export type Line =
  | {
      readonly t: number;
      readonly of: 'process';
      readonly life: number;
      readonly line: ProcessRecord;
    }
  | { readonly t: number; readonly of: 'server'; readonly answered: Answered }
  | { readonly t: number; readonly of: 'note'; readonly note: Note };

export class Played {
  readonly lines: readonly Line[];
  readonly changes: readonly Committed[];
  /** The request that made a version. */
  readonly causes = new Map<number, Answered>();
  /** By collection, name and version, what a reference names. */
  readonly #objects = new Map<string, Stored>();

  constructor({ tapes, answers, changes, notes, until }: Recording) {
    this.changes = changes.toSorted((one, other) => one.version - other.version);
    const ends = new Map<string, Committed>();
    const byVersion = new Map<number, Committed>();
    for (const change of this.changes) {
      byVersion.set(change.version, change);
      this.#objects.set(keyOf(change.collection, change.object), change.object);
      if (change.isDeleted) ends.set(uidOf(change.object), change);
    }
    for (const answered of answers) {
      const change = changeBy(answered, byVersion, ends);
      if (change !== undefined && !this.causes.has(change.version)) {
        this.causes.set(change.version, answered);
      }
    }
    const caused = new Set(this.causes.values());
    this.lines = [
      ...[...tapes].flatMap(([life, file]) => linesOf(life, file)),
      ...answers
        .filter((answered) => !caused.has(answered))
        .map((answered) => ({ t: answered.t, of: 'server' as const, answered })),
      ...notes.map((note) => ({ t: note.t, of: 'note' as const, note })),
    ]
      .filter(({ t }) => t <= until)
      .toSorted((one, other) => one.t - other.t);
  }

  /** What the reference shows; undefined where it is of no interest. */
  object(collection: string, [namespace, name, , version]: Reference): Stored | undefined {
    return this.#objects.get(`${collection} ${namespace}/${name} ${version}`);
  }

  /** An answer of a list as the process had it. */
  answer(path: string, line: Extract<ProcessRecord, { is: 'hears' }>): KubeResponse | undefined {
    const { status, body, items } = line;
    if (status === undefined) return undefined;
    if (items === undefined) return { status, headers: {}, body };
    const { collection } = placeOf(path);
    const objects = items.flatMap((item) => this.object(collection, item) ?? []);
    return { status, headers: {}, body: { ...(body as object), items: objects } };
  }
}

/** The change that a request made; undefined where it made none. */
function changeBy(
  { method, path, body, status, answer, askedAt }: Answered,
  byVersion: ReadonlyMap<number, Committed>,
  ends: ReadonlyMap<string, Committed>,
): Committed | undefined {
  if (method === 'GET' || status >= 300) return undefined;
  const version = Number(textAt(answer, 'metadata', 'resourceVersion'));
  const uid = textAt(body, 'preconditions', 'uid') || textAt(body, 'metadata', 'uid');
  const end = ends.get(textAt(answer, 'details', 'uid') || uidOf(answer) || uid);
  const made = byVersion.get(version);
  const { collection } = placeOf(path);
  const isMade = made !== undefined && made.collection === collection && made.t > askedAt;
  if (isMade && uidOf(made.object) === uidOf(answer)) return made;
  // The reply to what ends an object has the version of before, or none.
  const isEnding = method === 'DELETE' || at(body, 'metadata', 'finalizers') !== undefined;
  return isEnding && end !== undefined && end.t > askedAt && end.collection === collection
    ? end
    : undefined;
}

const keyOf = (collection: string, { metadata }: Stored): string =>
  `${collection} ${String(metadata['namespace'] ?? '')}/${String(metadata['name'])} ` +
  String(metadata['resourceVersion']);

const linesOf = (life: number, file: string): readonly Line[] =>
  recordsIn(file).map((line) => ({ t: line.t, of: 'process' as const, life, line }));

/** What a process has written so far. */
export function recordsIn(file: string): readonly ProcessRecord[] {
  // A process that was killed before it had written anything has none.
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  // A process that was killed may have written a part of its last line.
  const whole = lines.slice(0, -1).filter((line) => line.endsWith('}'));
  return whole.map((text) => JSON.parse(text) as ProcessRecord);
}

/** By what a request is found again at the server. */
export const requestKey = (
  life: number,
  { method, path, body }: Omit<KubeRequest, 'signal'>,
): string => `${life} ${method} ${path} ${JSON.stringify(body)}`;
