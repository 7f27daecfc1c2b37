// What the runtime knows of a kind of actor: its chart, its steps and how to read it. Each
// module lists its own (machines/<group>/module.ts).
import type { AnyActorScope, AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { JsonObject } from '../kubernetes/objects.ts';
import type { EpochMs } from '../kubernetes/time.ts';
import type { ActorKey } from './address.ts';
import type { Intent } from './intents.ts';
import type { ActorKind } from './kind.ts';
import type { Question } from './question.ts';
import type { Reading } from './view.ts';

/** What the runtime starts an actor with. */
export interface ActorInput {
  readonly key: ActorKey;
  readonly root: ActorKey;
}

/** The same with the settings of the module, which the runtime does not know: whoever puts the
 *  process together binds them (module.ts). */
export interface ConfiguredInput<S> extends ActorInput {
  readonly settings: S;
}

/** Something that the actor waits for: read by `why`, and by the runtime for the next deadline. */
export interface Wait {
  /** When it is reconciled again at the latest; absent: news will come. Absolute. */
  readonly until?: EpochMs;
  /** Sentences for people; asked for only when somebody asks. */
  readonly say?: () => readonly string[];
}

export interface Reconciled {
  readonly snapshot: AnyMachineSnapshot;
  /** In order; carried out by the runtime. */
  readonly intents: readonly Intent[];
  readonly waits: readonly Wait[];
}

export interface ReconcileOptions {
  /** Who carries out xstate's side of a move; absent: nobody, which loses nothing. */
  readonly scope?: AnyActorScope;
  /** Hears of a state that cannot be; the chart is restored then. Absent: it throws ASSERTION. */
  readonly impossible?: (what: string) => void;
}

/** From any of these states of a row to another one, and why. */
export interface RowArrow {
  readonly from: readonly string[];
  readonly to: string;
  readonly cause: string;
}

/** Made by `defineBehaviour`. Pure: the runtime and plain xstate take the same steps. */
export interface Behaviour<I extends ActorInput = ActorInput> {
  readonly kind: ActorKind;
  /** Controller name in metrics, events and logs: Grove's (`podcliqueset-controller`,
   *  `podgang`). */
  readonly controller: string;
  /** The chart: all states and arrows. */
  readonly machine: AnyStateMachine;
  /** What depends on each state, by its dotted name, in words: steps, conditions, explanations. */
  readonly uses: ReadonlyMap<string, readonly string[]>;
  /** Charts of rows by what a row is called: the states of each region, any to any. */
  readonly rows: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  /** Arrows of rows that have some of their own, in the order in which they are tried; for the
   *  docs. */
  readonly rowArrows: ReadonlyMap<string, readonly RowArrow[]>;
  readonly start: (input: I) => AnyMachineSnapshot;
  /** Takes in what happened; the same snapshot where it is no news. Moves nothing, intends
   *  nothing. */
  readonly reduce: (
    snapshot: AnyMachineSnapshot,
    event: { readonly type: string },
  ) => AnyMachineSnapshot;
  /** What it reads of objects that are not its own and of other actors: it gets the events of these
   *  views before a reconcile. */
  readonly reads: (snapshot: AnyMachineSnapshot) => readonly Reading[];
  /** Moves the chart and says what is wanted: the only step that yields intents. */
  readonly reconcile: (
    snapshot: AnyMachineSnapshot,
    now: EpochMs,
    options?: ReconcileOptions,
  ) => Reconciled;
  /** True: each reconcile says everything that is wanted, so what waits to be sent and the newest
   *  one did not say again is wanted no more. Absent: a reconcile may say what changed alone, and
   *  is asked again for what waits to be sent on an object that was seen anew since. */
  readonly saysAll?: true;
  /** What it answers besides what every actor does, by name; its `reduce` takes `AskedEvent`. */
  readonly questions: ReadonlyMap<string, Question>;
  /** True when the actor has nothing left to live for and may be reaped. */
  readonly isOver: (snapshot: AnyMachineSnapshot) => boolean;
  /** True: what it reads keeps it, also where no object is addressed to it. Absent: nothing
   *  does. */
  readonly isHeld?: (snapshot: AnyMachineSnapshot) => boolean;
  /** True: nobody waits for what it would do of its news, so its reconcile gives way while others
   *  wait for writes. Absent: somebody always may. */
  readonly yields?: (snapshot: AnyMachineSnapshot) => boolean;
  /** Fields that the CRD asks for in any status, with what they are at first. */
  readonly requiredStatus: JsonObject;
  /** Its status has a condition `Ready` of ours. */
  readonly hasReady: boolean;
  /** Answers `why`: sentences that say what is waited for, most important first. */
  readonly why: (snapshot: AnyMachineSnapshot, now: EpochMs) => readonly string[];
  /** The state for `/actors` and `ask state`: JSON, without secrets, bounded in size. */
  readonly view: (snapshot: AnyMachineSnapshot) => JsonObject;
}
