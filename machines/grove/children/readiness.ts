// Whether an owner of replicas, a set or a scaling group, is what its spec asks for, as condition
// `Ready` says it: an addition to Grove, for kubectl, Helm and kstatus (decision 0029). It says
// nothing but what moves the status anyway, so it costs no write.
import type { ConditionReason } from '../../contract/condition-reasons.ts';
import type { ConditionRows } from '../../statechart/define.ts';
import { classified, otherwise, type Classified, type Rule } from '../../statechart/region.ts';
import type { RowTotals } from '../../statechart/rows.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { sufficientReason } from '../objects/podclique.ts';

export const terminationDue = 'TerminationDue';

/** Also of a PodClique. */
export const updating = {
  status: 'False',
  reason: 'UpdateInProgress',
  message: () => 'Update is in progress',
} as const;

interface Counted {
  readonly totals: RowTotals;
}

interface Scaled {
  readonly replicas: number;
  readonly status: JsonObject;
}

interface Readiness<C, O> {
  readonly region: Classified<C, O>;
  readonly ready: ConditionRows<C, O>;
}

type Count = 'availability.available' | 'update.updated' | 'readiness.ready';

const countOf = ({ totals }: Counted, count: Count): number => totals.get(count) ?? 0;

const lacks =
  (count: Count) =>
  (context: Counted, { replicas }: Scaled): boolean =>
    countOf(context, count) < replicas;

const short = (reason: ConditionReason, count: Count, are: string) => ({
  status: 'False' as const,
  reason,
  message: (context: Counted, { replicas }: Scaled): string =>
    `${countOf(context, count)} of ${replicas} replicas are ${are}`,
});

interface Causes<C, O> {
  /** As the status is to say it. */
  readonly isUpdating: Rule<C, O>;
  /** What its lastErrors say first. */
  readonly failureOf: Rule<C, O, string | undefined>;
  /** How many replicas its owner waits for, where it has one. */
  readonly minAvailable?: (own: O) => number;
  /** Which replica is terminated first, when and for what; nothing that moves with each pod. */
  readonly terminationOf?: Rule<C, O, string | undefined>;
}

export const readinessBy = <C extends Counted, O extends Scaled>(
  causes: Causes<C, O>,
): Readiness<C, O> => ({
  region: regionBy(causes),
  ready: { region: 'readiness', rows: rowsBy(causes) },
});

/** The first state that holds is the most important cause. Replacing: enough replicas are updated
 *  only with pods that are going. */
const regionBy = <C extends Counted, O extends Scaled>({
  isUpdating,
  failureOf,
  minAvailable,
  terminationOf,
}: Causes<C, O>): Classified<C, O> =>
  classified<C, O>({
    failing: (context, own, now) => failureOf(context, own, now) !== undefined,
    updating: isUpdating,
    ready: (context, own) => !lacks('readiness.ready')(context, own),
    ...(minAvailable && {
      sufficient: (context, own) => countOf(context, 'readiness.ready') >= minAvailable(own),
    }),
    ...(terminationOf && {
      breached: (context, own, now) => terminationOf(context, own, now) !== undefined,
    }),
    unavailable: lacks('availability.available'),
    outdated: lacks('update.updated'),
    replacing: otherwise,
  });

const rowsBy = <C extends Counted, O extends Scaled>({
  failureOf,
  minAvailable,
  terminationOf,
}: Causes<C, O>): ConditionRows<C, O>['rows'] => ({
  failing: {
    status: 'False',
    reason: 'ReconcileFailed',
    message: (context, own, now) => failureOf(context, own, now) ?? '',
  },
  updating,
  ready: {
    status: 'True',
    reason: 'ReplicasReady',
    message: (_, { replicas }) =>
      `${replicas} of ${replicas} replicas are available and up to date`,
  },
  ...(minAvailable && {
    sufficient: {
      status: 'False',
      reason: sufficientReason,
      message: (_, own) =>
        `At least ${minAvailable(own)} of ${own.replicas} replicas are available and up to date`,
    },
  }),
  ...(terminationOf && {
    breached: {
      status: 'False',
      reason: terminationDue,
      message: (context, own, now) => terminationOf(context, own, now) ?? '',
    },
  }),
  unavailable: short('ReplicasUnavailable', 'availability.available', 'available'),
  outdated: short('ReplicasOutdated', 'update.updated', 'up to date'),
  replacing: {
    status: 'False',
    reason: 'ReplicasReplaced',
    message: () => 'Pods of replicas that are up to date are being replaced',
  },
});
