// The memory of a podgang actor: its object, what each of its PodCliques last told, and the
// PodCliques of other gangs that wait until this one is scheduled.
import type { MachineInput, MachineSettings } from '../behaviour.ts';
import { isDue } from '../deadline.ts';
import type { Repeat } from '../deadline.ts';
import type { ErrorBook } from '../errorbook.ts';
import { noted, struck } from '../errorbook.ts';
import { count, strings, word } from '../json.ts';
import { isOwnNews } from '../meta.ts';
import { withPodGroup } from '../scheduler/facts.ts';
import type { BackendPodGroups, PodGroupEvent } from '../scheduler/facts.ts';
import type { ActorKey, CommonEvent, EpochMs } from '../vocabulary.ts';
import { groupOf } from './facts.ts';
import type { GangFact } from './facts.ts';
import { readWanted } from './template.ts';
import type { GangTemplate } from './template.ts';

/** What one PodClique told: its pods, those that are wanted included. */
export interface Report {
  readonly uid: string;
  readonly names: readonly string[];
  readonly missing: number;
  /** At least minReplicas of its pods have a node. */
  readonly isScheduled: boolean;
}

export interface GangContext {
  readonly key: ActorKey;
  readonly root: ActorKey;
  readonly settings: MachineSettings;
  readonly gang: GangFact | undefined;
  readonly isGone: boolean;
  /** By name of the PodClique; only of those in the gang. */
  readonly reports: ReadonlyMap<string, Report>;
  /** PodCliques of the scaled gangs that build on this one, by name; true: told that it is
   *  scheduled. They are facts, so they outlive a restart and may be known before the gang. */
  readonly waiters: ReadonlyMap<string, boolean>;
  /** One of them asked again: the PodCliques that are not scheduled are to tell anew. */
  readonly isDoubted: boolean;
  /** Members of scaling groups that are there, by name. */
  readonly members: ReadonlySet<string>;
  /** PodGroups of scheduler backends with this name. */
  readonly podGroups: BackendPodGroups;
  readonly upkeep: Upkeep;
  /** When to ask again the PodCliques that did not tell yet. */
  readonly asked: Repeat | undefined;
  /** What the set wants, until the PodGang shows it. */
  readonly wish: Wish | undefined;
  readonly errors: ErrorBook;
}

export interface Wish {
  readonly template: GangTemplate;
  /** It counts no more then; undefined: it was told since the last reconcile. */
  readonly until: EpochMs | undefined;
  /** What fails of it, as the set was told since it asked for it last. */
  readonly toldFailure?: string | undefined;
}

/** How the PodGroup of the scheduler backend is looked after (podgroup.ts). */
export interface Upkeep {
  /** The patch that was asked for first since one was done or refused: so it is the one sent. */
  readonly asked?: string | undefined;
  /** A patch that was done and the version that it left: it says all that can be had. */
  readonly done?: string | undefined;
  /** What is wrong, as people were told. */
  readonly told?: string | undefined;
}

export type GangEvent =
  | CommonEvent
  | PodGroupEvent
  | { readonly type: 'gang.observed'; readonly fact: GangFact }
  | { readonly type: 'gang.gone'; readonly uid: string }
  /** A PodClique of a scaled gang of which this is the base gang. */
  | { readonly type: 'waiter.observed'; readonly name: string }
  | { readonly type: 'waiter.gone'; readonly name: string }
  /** A member of a scaling group that has its place in this base gang. */
  | { readonly type: 'member.observed'; readonly name: string }
  | { readonly type: 'member.gone'; readonly name: string; readonly uid: string }
  /** A message of a PodClique's actor, or of the set's; its fields are checked here, as it may have
   *  travelled. */
  | ({ readonly type: GangMessage } & Fields);

type GangMessage = 'clique.pods' | 'clique.leaving' | 'base.asked' | 'gang.wanted';

type Fields = { readonly [field: string]: unknown };

export const startContext = ({ key, root, settings }: MachineInput): GangContext => ({
  key,
  root,
  settings,
  gang: undefined,
  isGone: false,
  reports: new Map(),
  asked: undefined,
  errors: [],
  upkeep: {},
  waiters: new Map(),
  members: new Set(),
  podGroups: new Map(),
  isDoubted: false,
  wish: undefined,
});

/** The next context, or the same one where the event is no news. */
export function reduce(context: GangContext, event: GangEvent): GangContext {
  switch (event.type) {
    case 'gang.observed':
      return withGang(context, event.fact);
    case 'clique.pods':
      return withReport(context, event);
    case 'clique.leaving':
      return withoutClique(context, event);
    case 'base.asked':
      return withQuestion(context, event);
    case 'gang.wanted':
      return withWish(context, event);
    case 'waiter.observed':
      return context.waiters.has(event.name) ? context : withWaiter(context, event.name, false);
    case 'waiter.gone':
      return withoutWaiter(context, event.name);
    case 'member.observed':
      return context.members.has(event.name)
        ? context
        : { ...context, members: new Set([...context.members, event.name]) };
    case 'member.gone':
      return withoutMember(context, event);
    case 'podGroup.observed':
    case 'podGroup.gone': {
      const podGroups = withPodGroup(context.podGroups, event, isOwnNews);
      return podGroups === context.podGroups ? context : { ...context, podGroups };
    }
    case 'effect.failed':
      return {
        ...context,
        errors: noted(context.errors, event),
        upkeep: withoutAsked(context.upkeep, event),
      };
    case 'effect.done':
      return {
        ...context,
        errors: struck(context.errors, event.ref),
        upkeep: withDone(context, event),
      };
    case 'gang.gone':
      return context.gang?.uid === event.uid ? { ...context, isGone: true } : context;
    default:
      // A message of another version of this program may have come by wire.
      return context;
  }
}

type Ended = Extract<CommonEvent, { type: 'effect.failed' | 'effect.done' }>;

const isUpkeep = ({ op, ref }: Ended): boolean => op === 'patch' && ref.kind !== 'PodGang';

const withoutAsked = (upkeep: Upkeep, event: Ended): Upkeep =>
  isUpkeep(event) && upkeep.asked !== undefined ? { ...upkeep, asked: undefined } : upkeep;

/** The object in the reply was observed before. */
function withDone({ upkeep, podGroups }: GangContext, event: Ended): Upkeep {
  const there = [...podGroups.values()].find(({ kind }) => kind === event.ref.kind);
  if (!isUpkeep(event) || there === undefined) return withoutAsked(upkeep, event);
  return { ...upkeep, asked: undefined, done: `${there.resourceVersion} ${upkeep.asked}` };
}

function withGang(context: GangContext, fact: GangFact): GangContext {
  const old = context.gang;
  // One that is back is news, whatever its version.
  if (!context.isGone && !isOwnNews(old, fact)) return context;
  return {
    ...context,
    isGone: false,
    gang: fact,
    wish: old?.uid === fact.uid ? context.wish : undefined,
    errors: old?.generation === fact.generation ? context.errors : [],
  };
}

/** Whoever tells it may have started anew, so what fails is told again. */
function withWish(context: GangContext, message: Fields): GangContext {
  const wanted = readWanted(message);
  if (wanted === undefined || wanted.uid !== context.gang?.uid) return context;
  return { ...context, wish: { template: wanted.template, until: undefined } };
}

/** Before the gang is there nothing is kept: it asks when it comes. */
function withReport(context: GangContext, message: Fields): GangContext {
  const clique = word(message['clique']);
  const uid = word(message['uid']);
  const missing = count(message['missing']);
  if (clique === undefined || uid === undefined || missing === undefined) return context;
  if (groupOf(context.gang, clique) === undefined) return context;
  const names = [...new Set(strings(message['names']))].toSorted();
  const isScheduled = message['isScheduled'] === true;
  const report: Report = { uid, names, missing, isScheduled };
  if (isSame(context.reports.get(clique), report)) return context;
  return { ...context, reports: new Map(context.reports).set(clique, report) };
}

/** What it told is void: its group may be scaled below it, and the set empties its place then. */
function withoutMember(
  context: GangContext,
  { name, uid }: { readonly name: string; readonly uid: string },
): GangContext {
  const isTold = context.reports.get(name)?.uid === uid;
  if (!isTold && !context.members.has(name)) return context;
  const members = new Set([...context.members].filter((other) => other !== name));
  if (!isTold) return { ...context, members };
  const reports = new Map([...context.reports].filter(([key]) => key !== name));
  return { ...context, members, reports };
}

/** A PodClique that is being deleted holds its gang's place no more. */
function withoutClique(context: GangContext, message: Fields): GangContext {
  const clique = word(message['clique']) ?? '';
  const report = context.reports.get(clique);
  if (report === undefined || report.uid !== message['uid']) return context;
  // Its pods go with it: they are listed no more, and are missing until another one tells.
  const left: Report = { uid: report.uid, names: [], missing: 1, isScheduled: false };
  if (isSame(report, left)) return context;
  return { ...context, reports: new Map(context.reports).set(clique, left) };
}

const withWaiter = (context: GangContext, name: string, isTold: boolean): GangContext => ({
  ...context,
  waiters: new Map(context.waiters).set(name, isTold),
});

function withoutWaiter(context: GangContext, name: string): GangContext {
  if (!context.waiters.has(name)) return context;
  const waiters = new Map(context.waiters);
  waiters.delete(name);
  return { ...context, waiters };
}

/** Who asks knows nothing any more. One that asks again may wait because a message was lost. */
function withQuestion(context: GangContext, message: Fields): GangContext {
  const name = word(message['clique']) ?? '';
  const isTold = context.waiters.get(name);
  if (isTold === undefined) return context;
  const isDoubted = context.isDoubted || message['isRepeated'] === true;
  if (!isTold && isDoubted === context.isDoubted) return context;
  return { ...withWaiter(context, name, false), isDoubted };
}

const isSame = (a: Report | undefined, b: Report): boolean =>
  a?.uid === b.uid &&
  a.missing === b.missing &&
  a.isScheduled === b.isScheduled &&
  a.names.length === b.names.length &&
  a.names.every((name, index) => name === b.names[index]);

/** The PodCliques of the gang that did not tell yet. */
export const silent = (context: GangContext): readonly string[] =>
  (context.gang?.groups ?? [])
    .map((group) => group.name)
    .filter((name) => name !== '' && !context.reports.has(name));

export const mustAsk = (context: GangContext, now: EpochMs): boolean =>
  silent(context).length > 0 && (context.asked === undefined || isDue(context.asked, now));

/** The PodCliques that have fewer scheduled pods than the gang's minimum, or did not tell. */
export const unscheduled = (context: GangContext): readonly string[] =>
  (context.gang?.groups ?? [])
    .map((group) => group.name)
    .filter((name) => context.reports.get(name)?.isScheduled !== true);

/**
 * Every PodClique has its minimum of scheduled pods, so the gangs that build on this one may be
 * placed. Scheduled, not ready: readiness may need the others (spec controllers 3.4, rule 21).
 */
export const isScheduled = (context: GangContext): boolean =>
  context.gang?.deleting === false && unscheduled(context).length === 0;

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
