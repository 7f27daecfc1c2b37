// What a pod's spec says about nodes - by label, name and taint - and whether a node is such. Pure;
// the scheduler asks before it places a pod, the DaemonSet controller before it makes one.
import { objectAt, objectsAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { isMet } from '#src/devcluster/api/verbs/selectors.ts';

/** The nodes that a pod may run on. */
export interface NodeChoice {
  readonly selector: Readonly<Record<string, string>>;
  /** Alternatives of required node affinity; undefined: none asked for. */
  readonly terms: readonly JsonObject[] | undefined;
}

export interface NodeFace {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Required node affinity of a pod's spec. */
export const requiredTerms = (spec: JsonObject | undefined): readonly JsonObject[] | undefined => {
  const affinity = objectAt(objectAt(spec, 'affinity'), 'nodeAffinity');
  const wanted = objectAt(affinity, 'requiredDuringSchedulingIgnoredDuringExecution');
  return wanted === undefined ? undefined : objectsAt(wanted, 'nodeSelectorTerms');
};

export const nodeChoiceOf = (spec: JsonObject | undefined): NodeChoice => ({
  selector: textsAt(spec, 'nodeSelector'),
  terms: requiredTerms(spec),
});

export function isChosen({ selector, terms }: NodeChoice, node: NodeFace): boolean {
  for (const [key, value] of Object.entries(selector)) {
    if (node.labels[key] !== value) return false;
  }
  return terms === undefined || terms.some((term) => matchesTerm(term, node));
}

/** A term without any requirement matches nothing. */
function matchesTerm(term: JsonObject, node: NodeFace): boolean {
  const expressions = objectsAt(term, 'matchExpressions');
  const fields = objectsAt(term, 'matchFields');
  if (expressions.length + fields.length === 0) return false;
  return (
    expressions.every((each) => isMet(each, node.labels[textAt(each, 'key')])) &&
    fields.every((each) =>
      isMet(each, textAt(each, 'key') === 'metadata.name' ? node.name : undefined),
    )
  );
}

/** Preferences (`PreferNoSchedule`) never keep a pod away. */
export function isTolerated(taint: JsonObject, tolerations: readonly JsonObject[]): boolean {
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
