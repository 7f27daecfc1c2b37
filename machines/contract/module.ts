// An API group: everything that runtime and edge must know of it. One folder, machines/<group>, and
// a row in machines/index.ts and in machines/kinds.ts.
import type { ActorInput, Behaviour, ConfiguredInput } from './behaviour.ts';
import type { ConditionTable } from './condition-reasons.ts';
import type { EventTable } from './event-reasons.ts';
import type { ActorKind, Kind, KindRow } from './kind.ts';
import type { Route } from './route.ts';
import type { View } from './view.ts';

/** `I` is a `ConfiguredInput` where its behaviours depend on settings. */
export interface Module<I extends ActorInput = ActorInput> {
  /** As the configuration names it. */
  readonly name: string;
  /** What it reads or writes, and is watched where the module is on. Modules may share kinds. */
  readonly kinds: readonly Kind[];
  readonly behaviours: readonly Behaviour<I>[];
  readonly routes: readonly Route[];
  readonly views: readonly View[];
  /** All that its behaviours and its part of the edge record. */
  readonly events: EventTable;
  /** All reasons that conditions of its behaviours have. */
  readonly conditions?: ConditionTable;
  readonly operator?: OperatorMetrics;
  readonly gauges?: readonly ActorGauge[];
  readonly families?: readonly MeasuredFamily[];
}

/** Why there is a family of metrics. One without a reason is not served: docs/metrics.md. */
export type Reason =
  /** Another system prescribes it, so that its dashboards work: which. */
  | { readonly source: string }
  /** It is ours: the built-in family that comes nearest, and what that one cannot answer. */
  | { readonly nearest: string; readonly gap: string };

/** A family of the system that the module replaces, under its name. */
export type MeasuredFamily = {
  readonly name: string;
  readonly help: string;
  readonly why: Reason;
  readonly labels: readonly string[];
  /** Labels whose values are served as an empty text, whatever was measured. */
  readonly emptied?: readonly string[];
} & (
  | {
      /** `measure` intents of behaviours make it grow. */
      readonly type: 'counter';
    }
  | {
      /** They are its observations. */
      readonly type: 'histogram';
      readonly buckets: readonly number[];
    }
  | {
      /** A gauge that is 1, with labels that the process sets at its start. */
      readonly type: 'info';
      readonly values?: Readonly<Record<string, string>>;
    }
);

/** How many actors show which value: a gauge of the system that the module replaces, under its
 *  name. Each process counts those that it owns. */
export type ActorGauge = {
  readonly name: string;
  readonly help: string;
  readonly why: Reason;
  readonly actor: ActorKind;
  /** Of what the behaviour shows (`Behaviour.view`). */
  readonly field: string;
} & (
  | {
      /** The field holds one of these texts and is the label; actors that show another one, or
       *  none, are not counted. */
      readonly values: readonly string[];
    }
  | {
      /** The field holds an object with the values of these labels. Combinations that no actor
       *  shows have no series. */
      readonly labels: readonly string[];
      /** Of those, the ones that are served as an empty text, whatever is shown. */
      readonly emptied?: readonly string[];
    }
);

/** Families of the system that the module replaces, under its names, so that its dashboards work;
 *  src/metrics has the meaning, docs/metrics.md lists them. */
export interface OperatorMetrics {
  /** The system, for docs/metrics.md. */
  readonly source: string;
  readonly statusConflicts: string;
  readonly reconcileErrors: string;
  /** Others are not counted there. */
  readonly controllers: readonly string[];
  readonly kinds: readonly string[];
}

/** The module as the runtime takes it: it starts actors and knows nothing of settings. */
export const withSettings = <S>(module: Module<ConfiguredInput<S>>, settings: S): Module => ({
  ...module,
  behaviours: module.behaviours.map((behaviour) => ({
    ...behaviour,
    start: ({ key, root }) => behaviour.start({ key, root, settings }),
  })),
});

/** The names of the rows of a module. */
export const namesOf = <K extends string>(rows: Readonly<Record<K, KindRow>>): readonly K[] =>
  Object.keys(rows).filter((name): name is K => Object.hasOwn(rows, name));
