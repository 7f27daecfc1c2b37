// The memory of a clique actor: its object, the daemons that say they are in it, who asked for an
// index, and what is known of nodes that have lost theirs.
import { refKey } from '../../contract/address.ts';
import type { ActorKey } from '../../contract/address.ts';
import type { CommonEvent } from '../../contract/events.ts';
import type { FailedEffect } from '../../contract/failure-log.ts';
import type { QuestionEvent } from '../../contract/question.ts';
import { withRead } from '../../contract/view.ts';
import { text } from '../../kubernetes/json.ts';
import { isOwnNews } from '../../kubernetes/meta.ts';
import type { OwnerReference } from '../../kubernetes/objects.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import type { Indices, ObservedClique, Row } from '../objects/clique.ts';
import { absentClique } from '../objects/clique.ts';
import type { ObservedDaemon } from '../objects/daemon-pod.ts';
import type { NvidiaInput, NvidiaSettings } from '../settings.ts';
import type { LabelledEvent } from '../views/children.ts';
import type { OwningEvent } from '../views/cliques.ts';
import type { StartingEvent } from '../views/daemons.ts';
import type { DomainEvent, DomainFacts } from '../views/domain.ts';
import { mayBeIn, shownStarting } from './starting.ts';
import type { Starting } from './starting.ts';

/** A question `join` that is not answered yet. */
export interface Ask {
  readonly node: string;
  readonly podUid: string;
  /** Empty: the pod's own. */
  readonly ip: string;
  /** While its pod is not known. */
  readonly waitsUntil?: EpochMs;
}

export interface CliqueContext extends Starting {
  readonly key: ActorKey;
  readonly settings: NvidiaSettings;
  /** By name: those with the label of this clique. */
  readonly daemons: ReadonlyMap<string, ObservedDaemon>;
  readonly asks: ReadonlyMap<string, Ask>;
  readonly domain: DomainFacts | undefined;
  readonly labelled: ReadonlySet<string>;
  /** Of rows that went without us: an object that is gone, a daemon that removed its row. */
  readonly lost: Indices;
  /** What was asked to be written since the object was seen last: it may have been, and be gone
   *  again before it is seen. */
  readonly given: Indices;
  /** Nodes for which a live list is under way. */
  readonly checked: ReadonlySet<string> | undefined;
  /** Nodes that surely had no daemon when that list was made, and have shown none since. */
  readonly vacated: ReadonlySet<string>;
  /** UIDs of pods that were ready at some time. */
  readonly wereReady: ReadonlySet<string>;
  /** How many nodes it had when it was last told to be complete. */
  readonly completeWith: number;
  /** How often pods went from the owners of the object since they were seen last, by UID: the
   *  garbage collector knows before a late watch that they are gone. */
  readonly disowned: ReadonlyMap<string, number>;
  /** What people were told of, so that they are told once. */
  readonly told: ReadonlySet<string>;
  /** Why what was asked for last does not proceed: by key of what is written, and `daemons`
   *  for the live list. */
  readonly refusals: ReadonlyMap<string, string>;
}

export type CliqueEvent =
  | CommonEvent
  | QuestionEvent
  | { readonly type: 'clique.observed'; readonly observed: ObservedClique }
  | { readonly type: 'clique.gone'; readonly uid: string }
  | { readonly type: 'daemon.observed' | 'daemon.gone'; readonly observed: ObservedDaemon }
  | StartingEvent
  | OwningEvent
  | LabelledEvent
  | DomainEvent;

export const startContext = ({ key, settings }: NvidiaInput): CliqueContext => ({
  key,
  settings,
  clique: absentClique(key.namespace, key.name),
  daemons: new Map(),
  starting: new Map(),
  elsewhere: new Map(),
  asks: new Map(),
  admitted: new Map(),
  domain: undefined,
  labelled: new Set(),
  lost: new Map(),
  given: new Map(),
  checked: undefined,
  vacated: new Set(),
  wereReady: new Set(),
  completeWith: 0,
  disowned: new Map(),
  told: new Set(),
  refusals: new Map(),
});

export function reduce(context: CliqueContext, event: CliqueEvent): CliqueContext {
  switch (event.type) {
    case 'clique.observed':
      return withClique(context, event.observed);
    case 'clique.gone':
      return withoutClique(context, event.uid);
    case 'daemon.observed':
      return withDaemon(context, event.observed);
    case 'daemon.gone':
      return withoutDaemon(context, event.observed);
    case 'starting.read':
      return withStarting(context, event);
    case 'owning.read':
      return { ...context, elsewhere: withRead(context.elsewhere, event.key, event.cliques) };
    case 'labelled.read':
      return { ...context, labelled: event.nodes };
    case 'domain.read':
      return { ...context, domain: event.domain };
    case 'question.asked': {
      const { node, podUid, ip } = event.payload;
      const ask: Ask = { node: text(node), podUid: text(podUid), ip: text(ip) };
      return { ...context, asks: new Map(context.asks).set(event.id, ask) };
    }
    case 'question.dropped':
      return { ...context, asks: without(context.asks, event.id) };
    case 'objects.listed':
      return checkedBy(context, event);
    case 'effect.failed':
      return withFailure(context, event);
    case 'effect.done':
      return refused(context, refKey(event.ref), undefined);
    default:
      return context;
  }
}

/** A write of the clique that another one came before was not carried out. */
function withFailure(context: CliqueContext, { ref, code, message }: FailedEffect): CliqueContext {
  const isUndone = code === 'CONFLICT' && ref.kind === context.clique.kind;
  const next = isUndone ? { ...context, given: new Map() } : context;
  return refused(next, refKey(ref), `${message} (${code})`);
}

function refused(context: CliqueContext, what: string, why: string | undefined): CliqueContext {
  const { refusals } = context;
  return refusals.get(what) === why
    ? context
    : { ...context, refusals: withRead(refusals, what, why) };
}

function without<V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> {
  if (!map.has(key)) return map;
  const next = new Map(map);
  next.delete(key);
  return next;
}

/** Rows that somebody else removed keep their index for their node. */
function withClique(context: CliqueContext, observed: ObservedClique): CliqueContext {
  const { clique: before } = context;
  if (!isOwnNews(before, observed)) return context;
  const still = new Set(observed.rows.map(({ nodeName }) => nodeName));
  const { checked, vacated } = context;
  const unchanged = unchangedIn(before, observed);
  const owners = new Set(observed.owners.map(({ uid }) => uid));
  const left = before.owners.filter(({ uid }) => !owners.has(uid));
  return {
    ...context,
    clique: observed,
    lost: remembered(context, (node) => still.has(node)),
    given: new Map(),
    checked: checked?.intersection(unchanged),
    vacated: vacated.intersection(unchanged),
    disowned: before.uid === observed.uid ? disownedBy(context, left) : context.disowned,
    admitted: new Map([...agentsAmong(context, left), ...context.admitted]),
  };
}

function disownedBy({ disowned }: CliqueContext, left: readonly OwnerReference[]) {
  if (left.length === 0) return disowned;
  const times = left.map(({ uid }) => [uid, (disowned.get(uid) ?? 0) + 1] as const);
  return new Map([...disowned, ...times]);
}

/** Nodes whose rows no daemon has touched. A row that is new, has another IP or is ready again is
 *  of a daemon that may have come after the list that showed none. */
function unchangedIn(before: ObservedClique, { uid, rows }: ObservedClique): ReadonlySet<string> {
  if (before.uid !== uid) return new Set();
  const was = new Map(before.rows.map((row) => [row.nodeName, row]));
  const isSame = ({ nodeName, ipAddress, status }: Row): boolean => {
    const old = was.get(nodeName);
    return old?.ipAddress === ipAddress && (status === 'NotReady' || old.status === status);
  };
  return new Set(rows.filter(isSame).map(({ nodeName }) => nodeName));
}

function withoutClique(context: CliqueContext, uid: string): CliqueContext {
  const { clique, key } = context;
  if (clique.uid !== uid) return context;
  return {
    ...context,
    clique: absentClique(key.namespace, key.name),
    lost: remembered(context, () => false),
    given: new Map(),
    admitted: new Map([...agentsAmong(context, clique.owners), ...context.admitted]),
  };
}

/** Our daemons without a label: nothing but these owners of the object has told that they are of
 *  this clique. Each with its own IP. */
function agentsAmong(context: CliqueContext, owners: readonly OwnerReference[]) {
  const uids = new Set(owners.map(({ uid }) => uid));
  return shownStarting(context)
    .filter(({ uid, isAgent }) => isAgent && uids.has(uid))
    .map(({ uid }) => [uid, ''] as const);
}

/** The indices of rows and reservations that were there and of the nodes that lost them before. */
function remembered(
  { clique, lost, given }: CliqueContext,
  isThere: (node: string) => boolean,
): Indices {
  const next = new Map<string, number>();
  const before = [
    ...given,
    ...clique.rows.map(({ nodeName, index }) => [nodeName, index] as const),
    ...clique.reserved,
    ...lost,
  ];
  for (const [node, index] of before) {
    if (!isThere(node) && !next.has(node)) next.set(node, index);
  }
  return next;
}

function withDaemon(context: CliqueContext, daemon: ObservedDaemon): CliqueContext {
  if (!isOwnNews(context.daemons.get(daemon.name), daemon)) return context;
  const daemons = new Map(context.daemons).set(daemon.name, daemon);
  return shown({ ...context, daemons }, [daemon]);
}

function withoutDaemon(context: CliqueContext, daemon: ObservedDaemon): CliqueContext {
  const { name, uid } = daemon;
  if (context.daemons.get(name)?.uid !== uid) return context;
  const next = { ...context, daemons: without(context.daemons, name) };
  return withoutStrangers(refused(next, refKey(daemon), undefined));
}

function withStarting(context: CliqueContext, event: StartingEvent): CliqueContext {
  const { key, daemons = [] } = event;
  const next = { ...context, starting: withRead(context.starting, key, event.daemons) };
  return withoutStrangers(
    shown(
      next,
      daemons.filter((pod) => mayBeIn(next, pod)),
    ),
  );
}

/** Nothing is remembered of pods that are not known any more. */
function withoutStrangers(context: CliqueContext): CliqueContext {
  const { daemons, admitted, wereReady, disowned } = context;
  const uids = new Set([...daemons.values(), ...shownStarting(context)].map(uidOf));
  return {
    ...context,
    admitted: new Map([...admitted].filter(([uid]) => uids.has(uid))),
    wereReady: wereReady.intersection(uids),
    disowned: new Map([...disowned].filter(([uid]) => uids.has(uid))),
  };
}

/** A node with a daemon is not vacated, whatever a list said before. */
function shown(context: CliqueContext, daemons: readonly ObservedDaemon[]): CliqueContext {
  const nodes = new Set(daemons.map(({ node }) => node));
  const isGone = (node: string): boolean => !nodes.has(node);
  const { checked, vacated, wereReady, disowned } = context;
  const ready = daemons.filter(({ isReady, uid }) => isReady && !wereReady.has(uid));
  return {
    ...context,
    checked: checked && new Set([...checked].filter(isGone)),
    vacated: new Set([...vacated].filter(isGone)),
    wereReady: ready.length === 0 ? wereReady : new Set([...wereReady, ...ready.map(uidOf)]),
    disowned: daemons.reduce((left, { uid }) => without(left, uid), disowned),
  };
}

const uidOf = ({ uid }: ObservedDaemon): string => uid;

/** A list that failed says nothing. */
function checkedBy(
  context: CliqueContext,
  { id, error }: Extract<CliqueEvent, { type: 'objects.listed' }>,
): CliqueContext {
  const { checked, vacated } = context;
  if (id !== 'daemons' || checked === undefined) return context;
  return {
    ...refused(context, id, error),
    checked: undefined,
    vacated: error === undefined ? new Set([...vacated, ...checked]) : vacated,
  };
}
