// The memory of a sandboxwarmpool actor. A pool may have ten thousand members, so nothing here is
// copied or counted anew for an event: what is large is persistent, and counts are kept by
// difference (members.ts).
import type { ActorKey } from '../../contract/address.ts';
import type { FailureLog } from '../../contract/failure-log.ts';
import { PersistentMap } from '../../contract/persistent-map.ts';
import type { Rule } from '../../statechart/region.ts';
import type { StepResult } from '../../statechart/step.ts';
import type { ObservedPool } from '../objects/pool.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import type { ObservedTemplate } from '../objects/template.ts';
import type { AgentSandboxInput, AgentSandboxSettings } from '../settings.ts';
import type { Ordinals, OrdinalsRead } from '../views/ordinals.ts';
import type { OrphansRead } from '../views/orphans.ts';
import type { StartErrors, StartErrorsRead } from '../views/start-errors.ts';
import { startAssigning, type AssigningContext } from './assigning/assigning.ts';
import type { AssigningEvent } from './assigning/reduce.ts';
import { Agenda } from './agenda.ts';
import { WarmQueue } from './queue/queue.ts';
import { noRefill, type Refill } from './refill.ts';
import { noRemoval, type Removal } from './removal.ts';

/** How many members of this very pool are what. */
export interface Counts {
  /** There to stay, ready or not: those of which a claim was told too, until it has them. */
  readonly active: number;
  /** Of these. */
  readonly ready: number;
  /** Going, or chosen to go: they count against the wanted number until they are gone (R35). */
  readonly terminating: number;
}

export interface PoolContext extends AssigningContext {
  readonly key: ActorKey;
  readonly settings: AgentSandboxSettings;
  readonly pool: ObservedPool | undefined;
  readonly isGone: boolean;
  readonly errors: FailureLog;
  /** As it is now; undefined: there is none of that name. */
  readonly template: ObservedTemplate | undefined;
  /** By name: Sandboxes that a pool of this name controls. */
  readonly members: PersistentMap<string, ObservedSandbox>;
  readonly counts: Counts;
  /** Members that a claim may have at once: ready, with an IP, not assigned, not going. */
  readonly ready: WarmQueue;
  /** The same of those that are not ready yet, for claims that find no other (Q20, Q21). */
  readonly unready: WarmQueue;
  /** When the members that are not ready are looked at, by name. */
  readonly overdue: Agenda;
  /** Names of members that cannot be scheduled and are kept (R37). */
  readonly held: PersistentMap<string, true>;
  /** Names of members whose pod, volume or Service is refused, by their age. */
  readonly failing: Agenda;
  /** By the hashes of their labels: how many members that stay were made from each blueprint. */
  readonly blueprints: PersistentMap<string, PersistentMap<string, true>>;
  /** Names of members that say in no label that they are warm. */
  readonly unlabelled: PersistentMap<string, true>;
  readonly refill: Refill;
  readonly removal: Removal;
  /** With the label of this pool and without an owner. */
  readonly orphans: ReadonlyMap<string, ObservedSandbox>;
  readonly startErrors: StartErrors | undefined;
  /** Numbers in use when this actor began. */
  readonly ordinals: Ordinals;
  /** What people were told of, until it is over. */
  readonly told: ReadonlySet<'held' | 'refused' | 'startErrors'>;
  /** The CRD in the cluster has no conditions for warm pools, as the original's has not. */
  readonly isPruned: boolean;
}

export type PoolEvent =
  | AssigningEvent
  | { readonly type: 'pool.observed'; readonly observed: ObservedPool }
  | { readonly type: 'pool.gone'; readonly uid: string }
  | OrphansRead
  | OrdinalsRead
  | StartErrorsRead;

export type Result = StepResult<PoolContext>;
export type Step = Rule<PoolContext, ObservedPool, Result>;
/** What is asked of the actor and its object. */
export type Query<R> = (context: PoolContext, own: ObservedPool) => R;

export const startContext = ({ key, settings }: AgentSandboxInput): PoolContext => ({
  ...startAssigning,
  key,
  settings,
  pool: undefined,
  isGone: false,
  errors: [],
  template: undefined,
  members: PersistentMap.of(),
  counts: { active: 0, ready: 0, terminating: 0 },
  ready: WarmQueue.of(),
  unready: WarmQueue.of(),
  overdue: Agenda.of(),
  held: PersistentMap.of(),
  failing: Agenda.of(),
  blueprints: PersistentMap.of(),
  unlabelled: PersistentMap.of(),
  refill: noRefill,
  removal: noRemoval,
  orphans: new Map(),
  startErrors: undefined,
  ordinals: new Set(),
  told: new Set(),
  isPruned: false,
});
