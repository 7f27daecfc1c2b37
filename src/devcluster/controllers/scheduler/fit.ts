// Whether a pod may and can run on a node, and the words for why not. Pure; the scheduler asks for
// every node in turn and counts the words.
import { isTrue, objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { isChosen, isTolerated, nodeChoiceOf } from '../node-rules.ts';
import type { NodeChoice } from '../node-rules.ts';
import type { Resources } from './resources.ts';

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

/** What is asked of a node, read from the pod once. */
export interface PodNeeds extends NodeChoice {
  readonly requests: Resources;
  readonly tolerations: readonly JsonObject[];
}

export function needsOf(pod: Stored, requests: Resources): PodNeeds {
  const spec = objectAt(pod, 'spec');
  return { ...nodeChoiceOf(spec), requests, tolerations: objectsAt(spec, 'tolerations') };
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
  if (!isChosen(needs, node)) return ["node(s) didn't match Pod's node affinity/selector"];
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

/** `0/3 nodes are available: 1 Insufficient cpu, 2 Too many pods.` */
export function noFitMessage(against: readonly (readonly string[])[]): string {
  if (against.length === 0) return 'no nodes available to schedule pods';
  const counts = new Map<string, number>();
  for (const reason of against.flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).toSorted();
  return `0/${against.length} nodes are available: ${reasons.join(', ')}.`;
}
