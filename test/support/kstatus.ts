// How clients judge an object that they know nothing about: kstatus (cli-utils, Flux, Argo and Helm
// 4) by its generic rules, and `kubectl wait --for=condition=...`. Written down from their sources.
import { at, listAt, numberAt } from '#test/sim/fields.ts';

export type KStatus = 'Terminating' | 'InProgress' | 'Failed' | 'Current';

const conditionOf = (object: unknown, type: string): unknown =>
  listAt(object, 'status', 'conditions').find((one) => at(one, 'type') === type);

const valueOf = (object: unknown, type: string): unknown => at(conditionOf(object, type), 'status');

const isBehind = (object: unknown, observed: unknown): boolean =>
  typeof observed === 'number' && observed !== numberAt(object, 'metadata', 'generation');

/** An object that says nothing at all is Current. */
export function kstatusOf(object: unknown): KStatus {
  if (at(object, 'metadata', 'deletionTimestamp') !== undefined) return 'Terminating';
  if (isBehind(object, at(object, 'status', 'observedGeneration'))) return 'InProgress';
  if (valueOf(object, 'Reconciling') === 'True') return 'InProgress';
  if (valueOf(object, 'Stalled') === 'True') return 'Failed';
  const ready = valueOf(object, 'Ready');
  return ready === undefined || ready === 'True' ? 'Current' : 'InProgress';
}

/** Whether `kubectl wait --for=condition=<type>` returns: not for an older generation. */
export function isConditionMet(object: unknown, type: string): boolean {
  const condition = conditionOf(object, type);
  const observed =
    at(condition, 'observedGeneration') ?? at(object, 'status', 'observedGeneration');
  return at(condition, 'status') === 'True' && !isBehind(object, observed);
}
