// What each member of a warm pool is, and all that is kept of it by difference: counts, queues,
// what is looked at later. Whatever changes what a member is goes through `withMember`: its own
// object, the choice to delete it, that it is assigned to a claim, or no longer.
import { at, text } from '../../kubernetes/json.ts';
import { conditionsOf } from '../../kubernetes/conditions.ts';
import { epoch, type EpochMs } from '../../kubernetes/time.ts';
import { PersistentMap } from '../../contract/persistent-map.ts';
import { label } from '../objects/labels.ts';
import { nameHash } from '../objects/name-hash.ts';
import { hasPoolLabels, isFailing, isReady } from '../objects/sandbox.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import { isAssigned } from './assigning/assigning.ts';
import type { Counts, PoolContext } from './context.ts';
import type { WarmQueue } from './queue/queue.ts';
import type { Refill } from './refill.ts';

/** Foreign: of an earlier pool of this name; it goes with that. */
type Standing = 'absent' | 'foreign' | 'terminating' | 'ready' | 'unready';

interface Place {
  readonly standing: Standing;
  /** In which queue, under which node. */
  readonly queue: 'ready' | 'unready' | undefined;
  readonly nodeName: string;
  /** Since when it is not ready, and could be. */
  readonly unreadySince: EpochMs | undefined;
  readonly blueprint: string | undefined;
  readonly isUnlabelled: boolean;
  /** When it was made, where it cannot be completed. */
  readonly failingOf: EpochMs | undefined;
}

const nowhere: Place = {
  standing: 'absent',
  queue: undefined,
  nodeName: '',
  unreadySince: undefined,
  blueprint: undefined,
  isUnlabelled: false,
  failingOf: undefined,
};

/** There to stay: of this very pool, and nobody wants it gone. */
export const isActive = (context: PoolContext, name: string): boolean => {
  const { standing } = placeOf(context, name);
  return standing === 'ready' || standing === 'unready';
};

/** May be deleted as far as claims are concerned. */
export const isFree = (context: PoolContext, name: string): boolean =>
  isActive(context, name) && !isAssigned(context, name);

function placeOf(context: PoolContext, name: string): Place {
  const { members, pool, removal } = context;
  const member = members.get(name);
  if (member === undefined) return nowhere;
  if (member.controller?.uid !== pool?.uid) return { ...nowhere, standing: 'foreign' };
  if (member.deleting || removal.chosen.has(name)) return { ...nowhere, standing: 'terminating' };
  const standing = isReady(member) ? 'ready' : 'unready';
  const isAdoptable =
    member.podIPs.length > 0 && hasPoolLabels(member) && !isAssigned(context, name);
  return {
    standing,
    queue: isAdoptable ? standing : undefined,
    nodeName: member.nodeName,
    unreadySince:
      standing === 'ready' ? undefined : unreadySince(member, context.refill.askedAt.get(name)),
    blueprint: blueprintKey(member),
    isUnlabelled: member.labels[label.launchType] !== 'warm',
    failingOf: isFailing(member) ? (member.createdAt ?? 0) : undefined,
  };
}

/** Members with the same one are stale together. */
const blueprintKey = ({ name, labels }: ObservedSandbox): string =>
  `${labels[label.templateRefHash] ?? ''}/${labels[label.templateHash] ?? `of ${name}`}`;

/** From when its readiness can be expected: that it was ready, or has got a node only now, gives it
 *  the whole grace again. The server's clock may be far behind: what was asked for just now is not
 *  old. */
function unreadySince(
  { createdAt = 0, ready, status }: ObservedSandbox,
  askedAt: EpochMs = 0,
): EpochMs {
  const scheduled = conditionsOf(status).find(({ type }) => type === 'PodScheduled');
  const hasNode = scheduled?.['status'] === 'True';
  return Math.max(
    createdAt,
    askedAt,
    epoch(at(ready, 'lastTransitionTime')) ?? 0,
    (hasNode ? epoch(scheduled['lastTransitionTime']) : undefined) ?? 0,
  );
}

/** Its pod finds no node: another one would not either. One that has ended looks for none. */
export const isUnschedulable = ({ status, finished }: ObservedSandbox): boolean =>
  finished === undefined &&
  conditionsOf(status).some(
    (condition) =>
      condition['type'] === 'PodScheduled' &&
      condition['status'] === 'False' &&
      text(condition['reason']) === 'Unschedulable',
  );

/** Past the grace nothing needs to happen for a member to be looked at; not all at once (R38). */
const marginMs = 2_000;
const jitter = 0.1;

/** From 0 to 1. */
const shareOf = (uid: string): number => Number.parseInt(nameHash(uid), 16) / 2 ** 32;

const overdueAt = ({ settings }: PoolContext, uid: string, since: EpochMs): EpochMs => {
  const { readinessGraceMs: grace } = settings.warmPool;
  return Math.round(since + grace + marginMs + jitter * grace * shareOf(uid));
};

/** What is found not ready now is looked at by then at the latest, again as well. */
export const latestOverdue = ({ settings }: PoolContext, now: EpochMs): EpochMs => {
  const { readinessGraceMs: grace, unschedulableRecheckMs } = settings.warmPool;
  return now + Math.ceil(Math.max((1 + jitter) * grace + marginMs, unschedulableRecheckMs));
};

/** The context with this change, and with all that follows from it for the member of this name. */
export function withMember<C extends PoolContext>(
  before: C,
  name: string,
  change: Partial<PoolContext>,
): C {
  const from = placeOf(before, name);
  const after: C = { ...before, ...change };
  const to = placeOf(after, name);
  const uid = after.members.get(name)?.uid ?? '';
  const isSameWait = to.unreadySince !== undefined && to.unreadySince === from.unreadySince;
  return {
    ...after,
    counts: counted(after.counts, from.standing, to.standing),
    ready: queued(after.ready, name, to, 'ready'),
    unready: queued(after.unready, name, to, 'unready'),
    ...(!isSameWait && {
      overdue:
        to.unreadySince === undefined
          ? after.overdue.delete(name)
          : after.overdue.set(name, overdueAt(after, uid, to.unreadySince)),
      held: after.held.delete(name),
    }),
    blueprints: grouped(after.blueprints, name, from.blueprint, to.blueprint),
    failing:
      to.failingOf === undefined
        ? after.failing.delete(name)
        : after.failing.set(name, to.failingOf),
    unlabelled: to.isUnlabelled ? after.unlabelled.set(name, true) : after.unlabelled.delete(name),
    refill: to.unreadySince === undefined ? withoutAsked(after.refill, name) : after.refill,
  };
}

const withoutAsked = (refill: Refill, name: string): Refill =>
  refill.askedAt.has(name) ? { ...refill, askedAt: refill.askedAt.delete(name) } : refill;

function counted(counts: Counts, from: Standing, to: Standing): Counts {
  if (from === to) return counts;
  const moved = (isIn: (standing: Standing) => boolean): number =>
    Number(isIn(to)) - Number(isIn(from));
  return {
    active: counts.active + moved((one) => one === 'ready' || one === 'unready'),
    ready: counts.ready + moved((one) => one === 'ready'),
    terminating: counts.terminating + moved((one) => one === 'terminating'),
  };
}

const queued = (queue: WarmQueue, name: string, { queue: its, nodeName }: Place, one: string) =>
  its === one ? queue.add({ name, nodeName }) : queue.remove(name);

type Blueprints = PoolContext['blueprints'];

function grouped(
  blueprints: Blueprints,
  name: string,
  from: string | undefined,
  to: string | undefined,
): Blueprints {
  if (from === to) return blueprints;
  let next = blueprints;
  if (from !== undefined) {
    const left = next.get(from)?.delete(name);
    next = left === undefined || left.size === 0 ? next.delete(from) : next.set(from, left);
  }
  if (to === undefined) return next;
  return next.set(to, (next.get(to) ?? PersistentMap.of<string, true>()).set(name, true));
}

/** Once for a pool that is another one now: whose members they are says its UID. */
export function countedAnew(context: PoolContext, change: Partial<PoolContext>): PoolContext {
  const members = context.members.entries();
  let next: PoolContext = context;
  for (const [name] of members) {
    next = withMember(next, name, { members: next.members.delete(name) });
  }
  next = { ...next, ...change };
  for (const [name, member] of members) {
    next = withMember(next, name, { members: next.members.set(name, member) });
  }
  return next;
}
