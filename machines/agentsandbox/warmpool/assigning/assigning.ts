// What a warm pool's actor remembers of the claims that name its pool, and the parts of its context
// that they are served from. One claim is in one place: it has arrived, waits for a member, is not
// to have one, or has an assignment until its status names the Sandbox. Nothing here is copied or
// counted anew for a claim: thousands may wait at once.
import type { ActorKey } from '../../../contract/address.ts';
import { PersistentMap } from '../../../contract/persistent-map.ts';
import { classified, otherwise } from '../../../statechart/region.ts';
import type { ObservedClaim } from '../../objects/claim.ts';
import type { ObservedPool } from '../../objects/pool.ts';
import type { ObservedSandbox } from '../../objects/sandbox.ts';
import type { ObservedTemplate } from '../../objects/template.ts';
import type { AgentSandboxSettings } from '../../settings.ts';
import type { EpochMs } from '../../../kubernetes/time.ts';
import { WarmQueue } from '../queue/queue.ts';

/** What is read of the pool's context. */
export interface AssigningContext {
  readonly key: ActorKey;
  readonly settings: AgentSandboxSettings;
  readonly pool: ObservedPool | undefined;
  /** Undefined: not known, or not there. */
  readonly template: ObservedTemplate | undefined;
  /** By name: what a pool of this name controls, also those that are assigned or being deleted. */
  readonly members: PersistentMap<string, ObservedSandbox>;
  /** Members that are there to stay, assigned ones too until they are taken over. */
  readonly counts: { readonly active: number };
  /** Ready, with pod IPs, not assigned, not going. */
  readonly ready: WarmQueue;
  /** The same of those that are not ready. */
  readonly unready: WarmQueue;
  readonly assigning: Assigning;
}

/**
 * - `asked`: the assignment was asked for, and the claim does not show it yet
 * - `stored`: the claim shows it, and the Sandbox is to be taken over
 * - `clearing`: the claim shows it, and it is to be taken off: never to be finished any more
 * - `settled`: the rest is the claim's: it controls the Sandbox, starts cold or has expired
 */
export type Phase = 'asked' | 'stored' | 'clearing' | 'settled';

export interface Assignment {
  readonly claim: ObservedClaim;
  /** The claim's own name where it starts cold. */
  readonly sandbox: string;
  /** Of the member that was chosen, whatever has its name by now; undefined: none was, or the claim
   *  does not show it. */
  readonly sandboxUid: string | undefined;
  readonly phase: Phase;
  /** Its write was refused, or has failed for long, and not another since: it holds up no other
   *  claim, whatever news there is of claim and member meanwhile. */
  readonly isFailing: boolean;
  /** Undefined: before this actor was there. */
  readonly seenAt: EpochMs | undefined;
}

export interface Waiting {
  readonly claim: ObservedClaim;
  /** When the claim was seen first; undefined: since the last reconcile. */
  readonly seenAt: EpochMs | undefined;
}

/** All by the name of the claim where nothing else is said. */
export interface Assigning {
  /** Of which it is not known whether they control a Sandbox already, and those that do: their
   *  status will name it. */
  readonly arrived: PersistentMap<string, Waiting>;
  readonly waiting: PersistentMap<string, Waiting>;
  /** Of those that wait: first come, first served. */
  readonly order: WarmQueue;
  /** To have no member, until their spec or the template changes, or the write that was refused may
   *  be tried again. */
  readonly refused: PersistentMap<string, Waiting>;
  readonly assignments: PersistentMap<string, Assignment>;
  /** By Sandbox: the claim to which it is assigned. */
  readonly bySandbox: PersistentMap<string, string>;
  /** By name: members that are assigned and not taken over yet, but for those whose write fails. */
  readonly inHand: PersistentMap<string, true>;
  /** Of these something is to be said at the next reconcile. */
  readonly due: PersistentMap<string, true>;
  /** Assigned to a Sandbox that is no member (any more): what became of it is read by its name. */
  readonly looking: PersistentMap<string, true>;
  /** What was read of these Sandboxes, by name. */
  readonly found: ReadonlyMap<string, ObservedSandbox>;
  /** By UID: claims that were found to control a Sandbox. */
  readonly controlling: ReadonlySet<string>;
  /** Assigned to a Sandbox that was in no view, nor in a consistent list since then. */
  readonly searched: PersistentMap<string, true>;
  /** Of the last such list, which failed. */
  readonly searchError: string | undefined;
  /** By UID: claims that were told why a write for them fails. */
  readonly told: PersistentMap<string, true>;
  /** What they are to be told, by UID; undefined: that it is over. */
  readonly toTell: PersistentMap<string, string | undefined>;
}

export const noAssigning: Assigning = {
  arrived: PersistentMap.of(),
  waiting: PersistentMap.of(),
  order: WarmQueue.of(),
  refused: PersistentMap.of(),
  assignments: PersistentMap.of(),
  bySandbox: PersistentMap.of(),
  inHand: PersistentMap.of(),
  due: PersistentMap.of(),
  looking: PersistentMap.of(),
  found: new Map(),
  controlling: new Set(),
  searched: PersistentMap.of(),
  searchError: undefined,
  told: PersistentMap.of(),
  toTell: PersistentMap.of(),
};

export const startAssigning = { assigning: noAssigning } as const;

type Claims = Pick<AssigningContext, 'assigning'>;

/** A claim is told of this member, or is about to be: it is nobody else's, and in no queue. */
export const isAssigned = ({ assigning }: Claims, sandbox: string): boolean =>
  assigning.bySandbox.has(sandbox);

/** Another pool of this name controls it, most often an earlier one. It is not taken over (S-18),
 *  and the claim keeps the assignment until the garbage collector has deleted or freed it: a
 *  take-over that was sent for the other pool may still arrive. */
export const isOfNamesake = (
  { pool }: Pick<AssigningContext, 'pool'>,
  { controller }: ObservedSandbox,
): boolean => pool !== undefined && controller?.uid !== pool.uid;

/** Claims that wait for a Sandbox or are being given one. They keep the actor of a pool that is not
 *  there. */
export const claimsInProgress = ({ assigning }: Claims): number =>
  assigning.arrived.size +
  assigning.waiting.size +
  assigning.refused.size +
  assigning.assignments.size;

/** A claim waits for what is decided next. Of one whose Sandbox is no member any more it does not:
 *  it has that already, or that is looked for. */
export const isAwaited = ({ assigning }: Claims): boolean => {
  const { arrived, waiting, due, looking, toTell } = assigning;
  if (arrived.size + waiting.size + toTell.size > 0) return true;
  return due.keys().some((name) => !looking.has(name));
};

/** A region of the pool's chart. */
export const claims = classified<AssigningContext, ObservedPool>({
  waiting: ({ assigning }) => assigning.waiting.size > 0,
  assigning: ({ assigning }) => assigning.assignments.size > 0,
  served: otherwise,
});

/** Members that are assigned and not taken over at once: as many as there are writes in flight, so
 *  that who came first is ready first and not all of them at the end of a burst. */
export const maxInHand = 64;

/** The longest that a claim waits for a member to become ready (Q22). */
export const patienceMs = 2_000;
