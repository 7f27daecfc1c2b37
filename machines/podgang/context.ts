// The memory of a podgang actor: its object and what each of its PodCliques last told.
import type { MachineInput } from '../behaviour.ts';
import { isDue } from '../deadline.ts';
import type { Repeat } from '../deadline.ts';
import type { ErrorBook } from '../errorbook.ts';
import { noted, struck } from '../errorbook.ts';
import { count, strings, word } from '../json.ts';
import type { ActorKey, CommonEvent, EpochMs } from '../vocabulary.ts';
import { groupOf, isNewsToGang } from './facts.ts';
import type { GangFact } from './facts.ts';

/** What one PodClique told: its pods, those that are wanted included. */
export interface Report {
  readonly uid: string;
  readonly names: readonly string[];
  readonly missing: number;
}

export type Standing = 'collecting' | 'initialized';

export interface GangContext {
  readonly key: ActorKey;
  readonly root: ActorKey;
  readonly gang: GangFact | undefined;
  /** By name of the PodClique; only of those in the gang. */
  readonly reports: ReadonlyMap<string, Report>;
  /** When to ask again the PodCliques that did not tell yet. */
  readonly asked: Repeat | undefined;
  readonly wakeAt: EpochMs | null;
  readonly errors: ErrorBook;
  readonly nudges: number;
}

export type GangEvent =
  | CommonEvent
  | { readonly type: 'gang.observed'; readonly fact: GangFact }
  | { readonly type: 'gang.gone'; readonly uid: string }
  /** A message of a PodClique's actor; its fields are checked here, as it may have travelled. */
  | { readonly type: 'clique.pods'; readonly [field: string]: unknown };

export const startContext = ({ key, root }: MachineInput): GangContext => ({
  key,
  root,
  gang: undefined,
  ...nothingHeard,
  nudges: 0,
});

const nothingHeard = {
  reports: new Map<string, Report>(),
  asked: undefined,
  wakeAt: null,
  errors: [],
} as const;

/** The next context, or the same one where the event is no news. */
export function absorb(context: GangContext, event: GangEvent): GangContext {
  switch (event.type) {
    case 'gang.observed':
      return withGang(context, event.fact);
    case 'clique.pods':
      return withReport(context, event);
    case 'effect.failed':
      return nudged({ ...context, errors: noted(context.errors, event) });
    case 'effect.done':
      return nudged({ ...context, errors: struck(context.errors, event.ref) });
    case 'effect.retry':
      return nudged(context);
    case 'deadline.passed':
      return nudged({ ...context, wakeAt: null });
    case 'gang.gone':
    case 'settle':
    default:
      // A message of another version of this program may have come by wire.
      return context;
  }
}

const nudged = (context: GangContext): GangContext => ({ ...context, nudges: context.nudges + 1 });

function withGang(context: GangContext, fact: GangFact): GangContext {
  const old = context.gang;
  if (!isNewsToGang(old, fact)) return context;
  if (old !== undefined && old.uid !== fact.uid) {
    return { ...context, ...nothingHeard, gang: fact };
  }
  return {
    ...context,
    gang: fact,
    errors: old?.generation === fact.generation ? context.errors : [],
  };
}

/** Before the gang is there nothing is kept: it asks when it comes. */
function withReport(
  context: GangContext,
  message: { readonly [field: string]: unknown },
): GangContext {
  const clique = word(message['clique']);
  const uid = word(message['uid']);
  const missing = count(message['missing']);
  if (clique === undefined || uid === undefined || missing === undefined) return context;
  if (groupOf(context.gang, clique) === undefined) return context;
  const names = [...new Set(strings(message['names']))].toSorted();
  const report: Report = { uid, names, missing };
  if (isSame(context.reports.get(clique), report)) return context;
  return { ...context, reports: new Map(context.reports).set(clique, report) };
}

const isSame = (a: Report | undefined, b: Report): boolean =>
  a?.uid === b.uid &&
  a.missing === b.missing &&
  a.names.length === b.names.length &&
  a.names.every((name, index) => name === b.names[index]);

/** The PodCliques of the gang that did not tell yet. */
export const silent = (context: GangContext): readonly string[] =>
  (context.gang?.groups ?? [])
    .map((group) => group.name)
    .filter((name) => name !== '' && !context.reports.has(name));

export const mustAsk = (context: GangContext, now: EpochMs): boolean =>
  silent(context).length > 0 && (context.asked === undefined || isDue(context.asked, now));

/** True where this entry of the gang lists exactly the pods of its report. */
export function isListed(context: GangContext, clique: string): boolean {
  const report = context.reports.get(clique);
  const listed = groupOf(context.gang, clique)?.pods;
  if (report === undefined || listed === undefined) return false;
  return listed.size === report.names.length && report.names.every((name) => listed.has(name));
}

/** Every constituent pod exists, carries the gang's label and is listed (rule 20). */
export const isComplete = (context: GangContext): boolean =>
  (context.gang?.groups ?? []).every(
    ({ name }) => context.reports.get(name)?.missing === 0 && isListed(context, name),
  );

export const standingOf = ({ gang }: GangContext): Standing =>
  gang?.isInitialized === true ? 'initialized' : 'collecting';
