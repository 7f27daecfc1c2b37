// How many series a family can have: the product of the values that its labels can take, from the
// tables that these values are from. docs/metrics.md says it of every family that is ours.
import { podArrows } from '#machines/activator/pod/chart.ts';
import { validated } from '#machines/activator/families.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import { errorTable } from '#machines/contract/errors.ts';
import { modules } from '#machines/index.ts';
import { allKinds, kindRow } from '#machines/kinds.ts';
import type { Wakes } from '#actors/views/wakes.ts';
import type { Ending } from '#src/activator/proxy/figures.ts';
import { enabledWebhooks } from '#src/admission/webhooks.ts';
import { sandboxConversion } from '#src/modules/agentsandbox/conversion/webhook.ts';
import type { CertificateName } from '#src/metrics/sampled.ts';
import { spanResults } from '#src/tracing/span.ts';
import type { ChartNode } from './charts.ts';

/** `per`: there are so many for each of these, and of those as many as users make. */
export interface Series {
  readonly count: number;
  readonly per?: string;
}

/** Of unions that no table lists: a value that is missing here is a type error. */
const every = <K extends string>(values: Readonly<Record<K, true>>): readonly string[] =>
  Object.keys(values);

const dropReasons = every<keyof Wakes['dropped']>({ stale: true, refused: true, unknown: true });
const certificates = every<CertificateName>({ webhooks: true, questions: true });
const endings = every<Ending>({ answered: true, refused: true, cancelled: true, cut: true });
const results = every<Parameters<typeof validated>[0]>({
  ok: true,
  failed: true,
  reused: true,
  lost: true,
});

/** Sums of the tables of all revisions, and classes of statuses: src/activator/metrics.ts and
 *  request-metrics.ts. A test holds them to what is served. */
const sums = 8;
const classes = 6;

/** Of a process with all modules. The activator is a process of its own, with a single one. */
const ofController = modules.flatMap(({ behaviours }) => behaviours);
const controllers = new Set(ofController.map(({ controller }) => controller));

const webhooks = new Set([...enabledWebhooks(true), sandboxConversion].map(({ path }) => path));

const outcomes = 1 + Object.keys(errorTable).length;

const leaves = (node: ChartNode, path: string): readonly string[] =>
  Object.values(node.states).length === 0
    ? [path]
    : Object.values(node.states).flatMap((each) => leaves(each, `${path}.${each.key}`));

/** By dotted name, without those that have states themselves. */
export const chartStates = ({ machine: { root } }: Behaviour<never>): readonly string[] =>
  Object.values<ChartNode>(root.states).flatMap((node) => leaves(node, node.key));

/** While an actor has no chart it is in a mode: before its first step, restarting, parked. */
const modes = 3;

const statesOf = (behaviour: Behaviour<never>): number => chartStates(behaviour).length + modes;

const total = (counts: readonly number[]): number => counts.reduce((sum, each) => sum + each, 0);

const revision = 'revision';

const counted: Readonly<Record<string, Series>> = {
  coppice_writes_total: {
    count: outcomes * total(allKinds().map((kind) => kindRow(kind).writes.length)),
  },
  coppice_messages_dropped_total: { count: dropReasons.length },
  coppice_trace_spans_total: { count: spanResults.length },
  coppice_admission_refused_total: { count: webhooks.size },
  coppice_actor_states: { count: total(ofController.map(statesOf)) },
  coppice_cache_age_seconds: { count: allKinds().length },
  coppice_certificate_not_after_seconds: { count: certificates.length },
  activator_pod_state_transitions_total: {
    count: total(podArrows.map(({ from }) => from.length)),
  },
  activator_ready_validations_total: { count: results.length },
  activator_requests_total: { count: endings.length, per: revision },
  activator_responses_total: { count: classes, per: revision },
  activator_tracker_table: { count: sums },
  activator_sparse_array_fragmentation_ratio: { count: 1, per: revision },
};

/** Throws where nothing is known of its labels. */
export function seriesOf(name: string, labels: readonly string[]): Series {
  const known = counted[name];
  if (known !== undefined) return known;
  if (labels.length === 0) return { count: 1 };
  if (labels.every((label) => label === 'controller')) return { count: controllers.size };
  throw new Error(`test/surface/series.ts does not know the labels of ${name}`);
}
