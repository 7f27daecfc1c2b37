// The ports that the actor runtime needs from the world, as types. `src/` and `bus/` implement them
// for real, `test/` on a virtual clock. Nothing in actors/ or machines/ reaches the world
// otherwise.
import type { ObjectRef, ActorKey } from '#machines/contract/address.ts';
import type { ErrorCode } from '#machines/contract/errors.ts';
import type { Measure } from '#machines/contract/intents.ts';
import type { Operation } from '#machines/contract/kind.ts';
import type { Answer, Question } from '#machines/contract/question.ts';
import type { Kind } from '#machines/kinds.ts';
import type { Editors } from '#machines/kubernetes/editors.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { Causality, Fact } from './history/facts.ts';
import type { Past, WantedPast } from './history/past.ts';

// -- time, randomness, ids ------------------------------------------------------------------------

export interface Clock {
  now(): EpochMs;
  /** Runs once at or after `at`; the returned function cancels. */
  at(at: EpochMs, run: () => void): () => void;
  /** Runs once, soon, after what is already queued: the end of the current turn. */
  soon(run: () => void): void;
  /** Milliseconds with fractions, never going back, whatever the time of day does: by it spans are
   *  measured, and only differences mean anything. */
  steady(): number;
}

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
}

export interface Ids {
  /** Unique in this process and unlikely elsewhere; short, subject-safe. */
  next(): string;
}

// -- the cluster ----------------------------------------------------------------------------------

export type Write =
  | { readonly op: 'create'; readonly ref: ObjectRef; readonly body: KubeObject }
  | { readonly op: 'patch'; readonly ref: ObjectRef; readonly patch: JsonObject }
  | { readonly op: 'status'; readonly ref: ObjectRef; readonly body: KubeObject }
  | {
      readonly op: 'delete';
      readonly ref: ObjectRef;
      readonly uid: string;
      readonly resourceVersion?: string;
      /** Absent: in the background. */
      readonly propagation?: 'Foreground';
      /** Absent: as the object says. */
      readonly gracePeriodSeconds?: 0;
    };

/** As the API names it; the group of core is empty. */
export interface Missing {
  readonly group: string;
  readonly plural: string;
  readonly name: string;
}

export type WriteOutcome =
  /** `object`: the reply. Absent for a DELETE that removed the object at once. `gone`: it is there
   *  no more, by a PATCH that took away the last that held it, or as a watch has told already. */
  | { readonly ok: true; readonly object?: KubeObject; readonly gone?: boolean }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly message: string;
      readonly retryAfterMs?: number;
      /** What the server looked for and did not find. Absent in a 404: the kind itself may not be
       *  served, for a moment at least, or a webhook said so. */
      readonly missing?: Missing;
    };

/** Objects with these labels, in these namespaces; absent: in all. */
export interface Selection {
  readonly labels: Readonly<Record<string, string>>;
  readonly namespaces?: readonly string[];
}

export type Listed =
  | { readonly ok: true; readonly objects: readonly KubeObject[] }
  | Extract<WriteOutcome, { ok: false }>;

/** One HTTP request each; never rejects, never retries by itself (the effect runner does that). */
export interface ClusterPort {
  /** `isWanted` is asked at the last moment before it is sent; false: NOT_OWNER, and not sent. */
  write(write: Write, isWanted?: () => boolean): Promise<WriteOutcome>;
  read(ref: ObjectRef): Promise<WriteOutcome>;
  /** False where this process has no permission to read. Absent: it may read everything. */
  mayRead?(ref: ObjectRef): boolean;
  /** Creates or aggregates a core/v1 Event; best effort. */
  event(event: ClusterEvent): Promise<WriteOutcome>;
  /** Resolves when all objects of the kind were observed as they were after this call or later,
   *  however late the watch is. Absent: nothing is ever observed late. */
  refresh?(kind: Kind): Promise<void>;
  /** Objects of a watched kind as they were after this call or later, of those that are watched;
   *  a request or more, `isWanted` as for a write. `signal` ends it: nobody waits for it any more.
   *  Absent: nothing is ever observed late. */
  list?(
    kind: Kind,
    selection: Selection,
    isWanted?: () => boolean,
    signal?: AbortSignal,
  ): Promise<Listed>;
  /** Kinds whose watch is broken. Absent: none ever is. */
  unseen?(): readonly Unseen[];
}

/** What has changed of the kind is not known. */
export interface Unseen {
  readonly kind: Kind;
  /** Null: nothing was seen yet. */
  readonly since: EpochMs | null;
  /** What the server said last. */
  readonly why: string;
}

export interface ClusterEvent {
  /** Deterministic, so that a repeat is the same Event with a higher count. */
  readonly name: string;
  readonly regarding: ObjectRef & { readonly apiVersion: string; readonly uid: string };
  readonly severity: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
  readonly controller: string;
  readonly count: number;
  /** The cluster is known to have it, with a lower count. */
  readonly isWritten: boolean;
  readonly firstAt: EpochMs;
  readonly lastAt: EpochMs;
}

/** What a watch, a list or a reply says of one object, without managedFields: see `editors`. */
export type Observation =
  | {
      readonly type: 'seen';
      readonly kind: Kind;
      readonly object: KubeObject;
      readonly editors?: Editors;
    }
  /** Not `isSure` where there is no such kind, which may be so for a moment only, and where it is
   *  not shown any more by who selects by label. */
  | {
      readonly type: 'gone';
      readonly ref: ObjectRef;
      readonly uid: string;
      readonly isSure?: false;
      /** Where it is not sure: the version up to which this is said. One that is known to be newer
       *  is not meant. Absent: any. */
      readonly upTo?: string;
      /** `upTo` is a version of the object, not of a list that was without it: whatever is older of
       *  it is from before, also where nothing was known of it. */
      readonly isOwnVersion?: true;
    };

// -- ownership ------------------------------------------------------------------------------------

/** A shard is owned through a Lease; its epoch grows with every change of hands. */
export interface ShardLease {
  readonly shards: number;
  /** True only while it is sure that no other process may write for the shard. */
  holds(shard: number): boolean;
  /** From gaining the shard to losing it: its actors run here, also while it is not surely held.
   *  Absent: as `holds`. */
  runs?(shard: number): boolean;
  epoch(shard: number): number;
  /** Who owns the shard, as far as is known; for people and for asks. Absent: this process. */
  holder?(shard: number): string;
  /** Where the owner answers questions, as it has published; undefined: nowhere. For `HandOn`. */
  address?(shard: number): string | undefined;
  onChange(listener: ShardListener): () => void;
}

/**
 * A shard was gained or lost. `written`: what the owner before wrote last of each kind; the actors
 * wait until they have seen that. The result for a lost one: the same of this process, when no
 * write of the shard is in flight any more.
 */
export type ShardListener = (
  shard: number,
  held: boolean,
  written?: Versions,
) => Promise<Versions> | void;

/** A resourceVersion for each kind. */
export type Versions = Readonly<Partial<Record<Kind, string>>>;

// -- the bus --------------------------------------------------------------------------------------

export type { Past, WantedPast } from './history/past.ts';
export { factKinds, type Causality, type Fact, type FactKind } from './history/facts.ts';

/** Wakes an actor: a view that it reads has changed. What it reads does not travel. */
export interface Envelope extends Causality {
  readonly to: ActorKey;
  readonly root: ActorKey;
  readonly shard: number;
  readonly epoch: number;
  readonly view: string;
  readonly key: string;
  /** In words, for people; empty: there is nothing to read any more. */
  readonly value: string;
}

export interface Ask {
  readonly about: ActorKey;
  /** A word of letters and digits (machines/contract/question.ts). */
  readonly question: string;
  readonly payload: JsonObject;
  /** It came from a process that was asked first: to be answered, not handed on. */
  readonly handedOn?: true;
}

export type { Answer } from '#machines/contract/question.ts';

export interface ShardOwner {
  /** As the leases name it. */
  readonly holder: string;
  readonly address: string;
}

/** Hands a question on to the process that owns the shard in the name of whoever asks, whose
 *  credentials it alone knows. Never rejects. */
export type HandOn = (owner: ShardOwner, ask: Ask, timeoutMs: number) => Promise<Answer>;

/** Never throws, never blocks; with NATS away facts are dropped (counted) and tells go direct. */
export interface BusPort {
  fact(fact: Fact): void;
  /** A copy for tracing of a message that was handed over directly. */
  copy(envelope: Envelope): void;
  /** Sends over the wire. False: not connected, the caller hands over directly instead. */
  tell(envelope: Envelope): boolean;
  /** A handler that returns false does not believe the message; it counts as rejected. */
  onTell(handler: (envelope: Envelope) => unknown): () => void;
  /** Serves `coppice.ask.>`; the handler never rejects. `questions`: what there is to be asked. */
  onAsk(
    handler: (ask: Ask) => Promise<Answer>,
    questions?: ReadonlyMap<string, Question>,
  ): () => void;
  /** Asks an actor in this or another process. */
  ask(ask: Ask, timeoutMs: number): Promise<Answer>;
  /** Asks the process that owns the shard. */
  askOwner?(shard: number, ask: Ask, timeoutMs: number): Promise<Answer>;
  /** Serves `coppice.owner.<shard>.>` of these shards and no others; the handler is that of
   *  `onAsk`. */
  own?(shards: ReadonlySet<number>): void;
  /** What the stream keeps of an actor; undefined: there is none, or it does not answer. */
  past?(about: ActorKey, wanted: WantedPast): Promise<Past | undefined>;
  state(): BusState;
  close(): Promise<void>;
}

export interface BusState {
  readonly connected: boolean;
  /** What is wrong; null or absent: nothing. */
  readonly problem?: string | null;
  readonly dropped: number;
  readonly published: number;
  /** Messages that arrived and were refused: forged, broken or too large. */
  readonly rejected: number;
  /** Last measured round trip to the server in milliseconds; null when unknown. */
  readonly roundTripMs: number | null;
}

// -- telemetry ------------------------------------------------------------------------------------

/** Numbers and log lines leave through here, one way. Labels are bounded: no object names in
 *  metrics; log lines carry namespace and name. */
export interface Telemetry {
  reconciled(event: {
    controller: string;
    seconds: number;
    result: 'success' | 'error' | 'requeue_after';
  }): void;
  /** Mail waiting for actors of a controller; `waitedSeconds` for one that was just taken. */
  queued(event: { controller: string; depth: number; waitedSeconds?: number }): void;
  wrote(event: {
    controller: string;
    kind: Kind;
    op: Operation;
    outcome: 'ok' | ErrorCode;
    seconds: number;
  }): void;
  statusConflict(event: { controller: string; targetKind: Kind }): void;
  reconcileError(event: { controller: string; code: ErrorCode }): void;
  restarted(event: { controller: string; key: ActorKey; error: unknown }): void;
  parked(event: { controller: string; key: ActorKey; error: unknown }): void;
  unparked(event: { controller: string; key: ActorKey; by: string }): void;
  /** A chart was in a state that cannot be, as `what` says. */
  chartRestored(event: { controller: string; key: ActorKey; what: string }): void;
  /** A number for a family of a module. */
  measured(event: Pick<Measure, 'family' | 'labels' | 'value'>): void;
  actors(event: { controller: string; alive: number; parked: number }): void;
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields: JsonObject): void;
}
