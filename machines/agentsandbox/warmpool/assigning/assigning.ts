// What a warm pool's actor remembers of the claims that name its pool, and what the rest of it may
// ask: the parts of the pool's context that claims are served from, and the queues of its members.
import type { ActorKey } from '../../../contract/address.ts';
import { PersistentMap } from '../../../contract/persistent-map.ts';
import type { ObservedClaim } from '../../objects/claim.ts';
import type { ObservedPool } from '../../objects/pool.ts';
import { isReady, type ObservedSandbox } from '../../objects/sandbox.ts';
import type { ObservedTemplate } from '../../objects/template.ts';
import type { AgentSandboxSettings } from '../../settings.ts';
import type { EpochMs } from '../../../kubernetes/time.ts';
import type { WarmQueue } from '../queue/queue.ts';

/** Members that a claim may be given, by what they are like; each is in one of these at most. */
export interface Queues {
  /** Ready, with pod IPs. */
  readonly ready: WarmQueue;
  /** With pod IPs and not ready. */
  readonly unready: WarmQueue;
  /** Without pod IPs: none is given away, but claims wait for them. */
  readonly starting: WarmQueue;
}

/** What is read of the pool's context. */
export interface AssigningContext extends Queues {
  readonly key: ActorKey;
  readonly settings: AgentSandboxSettings;
  readonly pool: ObservedPool | undefined;
  /** Undefined: not known, or not there. */
  readonly template: ObservedTemplate | undefined;
  /** All that the pool controls, by name: also those that are assigned or being deleted. */
  readonly members: PersistentMap<string, ObservedSandbox>;
  readonly assigning: Assigning;
}

/**
 * - `asked`: the assignment was asked for, and the claim does not show it yet
 * - `stored`: it shows it; the Sandbox is to be taken over, or the assignment cleared
 * - `taken`: the claim controls the Sandbox, and its status does not name it yet
 * - `cold`: the claim shows that it starts without a member
 */
export type Phase = 'asked' | 'stored' | 'taken' | 'cold';

export interface Assignment {
  readonly claim: ObservedClaim;
  /** Name of the Sandbox; the claim's own where it starts cold. */
  readonly sandbox: string;
  readonly phase: Phase;
  readonly firstSeenAt: EpochMs;
}

/** A claim that has no assignment yet. */
export interface Waiting {
  readonly claim: ObservedClaim;
  /** Undefined: since the last reconcile. */
  readonly firstSeenAt: EpochMs | undefined;
}

export interface Assigning {
  /** Of which it is not known yet whether they control a Sandbox already. By name, as all are. */
  readonly arrived: PersistentMap<string, Waiting>;
  /** First come, first served. */
  readonly waiting: PersistentMap<string, Waiting>;
  readonly assignments: PersistentMap<string, Assignment>;
  /** Claims by the Sandbox that is assigned to them. */
  readonly bySandbox: PersistentMap<string, string>;
  /** Claims of which something is to be said at the next reconcile. */
  readonly due: PersistentMap<string, true>;
}

export const startAssigning: Assigning = {
  arrived: PersistentMap.of(),
  waiting: PersistentMap.of(),
  assignments: PersistentMap.of(),
  bySandbox: PersistentMap.of(),
  due: PersistentMap.of(),
};

/** A member that is assigned counts as gone from the pool, and is in no queue. */
export const isAssigned = ({ assigning }: Pick<AssigningContext, 'assigning'>, name: string) =>
  assigning.bySandbox.has(name);

/** No claim keeps the actor of a pool that is not there. */
export const hasNoClaims = ({
  assigning: { arrived, waiting, assignments },
}: Pick<AssigningContext, 'assigning'>): boolean =>
  arrived.size + waiting.size + assignments.size === 0;

/** The queues with this member in the one in which it belongs; none where it is being deleted. */
export function queued({ ready, unready, starting }: Queues, member: ObservedSandbox): Queues {
  const { name, nodeName, podIPs, deleting } = member;
  const own = podIPs.length === 0 ? 'starting' : isReady(member) ? 'ready' : 'unready';
  const put = (queue: WarmQueue, which: keyof Queues): WarmQueue => {
    if (which !== own || deleting) return queue.remove(name);
    return queue.add({ name, nodeName });
  };
  return {
    ready: put(ready, 'ready'),
    unready: put(unready, 'unready'),
    starting: put(starting, 'starting'),
  };
}

export const unqueued = ({ ready, unready, starting }: Queues, name: string): Queues => ({
  ready: ready.remove(name),
  unready: unready.remove(name),
  starting: starting.remove(name),
});
