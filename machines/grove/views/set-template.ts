// The template of a PodCliqueSet for actors below it: groups make their members from it, and
// PodCliques read in it which claims their pods share. Its status is nobody's news.
import { entry, keyIn, single } from '../../contract/view.ts';
import type { Entry } from '../../contract/view.ts';
import { isEqual } from '../../kubernetes/json.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';

export interface SetEvent {
  readonly type: 'set.read';
  readonly set: ObservedSet | undefined;
}

const ofSets = (name: string) =>
  single<ObservedSet>({
    name,
    isSame: (one, other) =>
      one.uid === other.uid && one.planKey === other.planKey && isEqual(one.problem, other.problem),
    event: (_, set): SetEvent => ({ type: 'set.read', set }),
    say: ({ generation }) => `generation ${generation}`,
  });

/** By key of the PodCliqueSet. */
export const setTemplate = ofSets('setTemplate');

/** The same of those alone that share claims. */
export const sharingTemplate = ofSets('sharingTemplate');

export const templateOfSet = (set: ObservedSet): readonly Entry[] => {
  const key = keyIn(set, set.name);
  return [
    entry(setTemplate, key, set),
    ...(set.sharing.isUsed ? [entry(sharingTemplate, key, set)] : []),
  ];
};
