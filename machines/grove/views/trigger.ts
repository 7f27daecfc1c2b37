// Somebody asks for a look at a whole PodCliqueSet by its annotation `grove.io/reconcile-trigger`
// (spec controllers 1.1.1, api 5). The set and its scaling groups plan by the template, of which it
// is a part; its PodCliques and PodGangs read it here, so that a change has them plan too.
import { entry, keyIn, single, type Entry, type Reading } from '../../contract/view.ts';
import { annotation } from '../objects/labels.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';

/** By key of the PodCliqueSet; its readers need not remember the value. */
const trigger = single<string>({ name: 'reconcileTrigger', say: (value) => value });

export const triggerOfSet = (set: ObservedSet): readonly Entry[] => {
  const value = set.annotations[annotation.reconcileTrigger];
  return value === undefined ? [] : [entry(trigger, keyIn(set, set.name), value)];
};

/** Of whoever belongs to the set of this name. */
export const triggerReads = (own: { readonly namespace: string }, set: string): Reading => ({
  view: trigger,
  key: keyIn(own, set),
});
