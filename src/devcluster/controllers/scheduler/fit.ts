// Whether a pod may and can run on a node, and the words for why not. Pure; the scheduler asks for
// every node in turn and counts the words.
import {
  isTrue,
  listAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { Resources } from './resources.ts';

/** What is asked of a node, read from the pod once. */
/** A node, and what the pods on it use. */
export interface NodeState {
  readonly name: string;
  object: Stored;
  labels: Readonly<Record<string, string>>;
  taints: readonly JsonObject[];
  allocatable: Resources;
  readonly used: Map<string, number>;
  podCount: number;
}

export interface PodNeeds {
  readonly requests: Resources;
  readonly tolerations: readonly JsonObject[];
  readonly selector: Readonly<Record<string, string>>;
  /** Alternatives of required node affinity; undefined: none asked for. */
  readonly terms: readonly JsonObject[] | undefined;
}

export function needsOf(pod: Stored, requests: Resources): PodNeeds {
  const spec = objectAt(pod, 'spec');
  const affinity = objectAt(objectAt(spec, 'affinity'), 'nodeAffinity');
  const wanted = objectAt(affinity, 'requiredDuringSchedulingIgnoredDuringExecution');
  return {
    requests,
    tolerations: objectsAt(spec, 'tolerations'),
    selector: textsAt(spec, 'nodeSelector'),
    terms: wanted === undefined ? undefined : objectsAt(wanted, 'nodeSelectorTerms'),
  };
}

/** The reasons against the node, of the first rule that fails; empty: the pod fits. */
export function reasonsAgainst(needs: PodNeeds, node: NodeState): readonly string[] {
  if (isTrue(objectAt(node.object, 'spec'), 'unschedulable')) {
    const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
    if (!isTolerated(taint, needs.tolerations)) return ['node(s) were unschedulable'];
  }
  const taint = node.taints.find((each) => !isTolerated(each, needs.tolerations));
  if (taint !== undefined) {
    const shown = `{${textAt(taint, 'key')}: ${textAt(taint, 'value')}}`;
    return [`node(s) had untolerated taint ${shown}`];
  }
  if (!matchesNode(needs, node)) return ["node(s) didn't match Pod's node affinity/selector"];
  return lackingResources(needs.requests, node);
}

function lackingResources(requests: Resources, node: NodeState): readonly string[] {
  const reasons: string[] = [];
  if (node.podCount + 1 > (node.allocatable.get('pods') ?? 0)) reasons.push('Too many pods');
  for (const [name, amount] of requests) {
    const free = (node.allocatable.get(name) ?? 0) - (node.used.get(name) ?? 0);
    // Sums of fractions of cores are not exact; a billionth of a core does not decide.
    if (amount > 0 && amount > free + 1e-9) reasons.push(`Insufficient ${name}`);
  }
  return reasons;
}

/** Preferences (`PreferNoSchedule`) never keep a pod away. */
function isTolerated(taint: JsonObject, tolerations: readonly JsonObject[]): boolean {
  if (textAt(taint, 'effect') === 'PreferNoSchedule') return true;
  return tolerations.some((toleration) => {
    const effect = textAt(toleration, 'effect');
    const key = textAt(toleration, 'key');
    if (effect !== '' && effect !== textAt(taint, 'effect')) return false;
    if (key !== '' && key !== textAt(taint, 'key')) return false;
    if (textAt(toleration, 'operator') === 'Exists') return true;
    return textAt(toleration, 'value') === textAt(taint, 'value');
  });
}

function matchesNode(needs: PodNeeds, node: NodeState): boolean {
  for (const [key, value] of Object.entries(needs.selector)) {
    if (node.labels[key] !== value) return false;
  }
  return needs.terms === undefined || needs.terms.some((term) => matchesTerm(term, node));
}

/** A term without any requirement matches nothing. */
function matchesTerm(term: JsonObject, node: NodeState): boolean {
  const expressions = objectsAt(term, 'matchExpressions');
  const fields = objectsAt(term, 'matchFields');
  if (expressions.length + fields.length === 0) return false;
  return (
    expressions.every((each) => matches(each, node.labels[textAt(each, 'key')])) &&
    fields.every((each) =>
      matches(each, textAt(each, 'key') === 'metadata.name' ? node.name : undefined),
    )
  );
}

function matches(expression: JsonObject, value: string | undefined): boolean {
  const values = listAt(expression, 'values');
  switch (textAt(expression, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 Too many pods.` */
export function noFitMessage(against: readonly (readonly string[])[]): string {
  if (against.length === 0) return 'no nodes available to schedule pods';
  const counts = new Map<string, number>();
  for (const reason of against.flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).toSorted();
  return `0/${against.length} nodes are available: ${reasons.join(', ')}.`;
}
