// What a podgang actor reads: the pods that its PodCliques want, what its set wants of it, and, for
// people, whether it is scheduled where other gangs wait for that.
import { keyIn } from '../../contract/view.ts';
import type { Reading } from '../../contract/view.ts';
import type { ObservedGang } from '../objects/podgang.ts';
import { gangScheduling, gangDependents } from '../views/gang-scheduling.ts';
import { gangTemplate } from '../views/gang-template.ts';
import { wantedPods } from '../views/wanted-pods.ts';
import type { GangContext } from './context.ts';

export function gangReads({ dependents }: GangContext, gang: ObservedGang): readonly Reading[] {
  const key = keyIn(gang, gang.name);
  return [
    ...gang.groups
      .filter(({ name }) => name !== '')
      .map(({ name }) => ({ view: wantedPods, key: keyIn(gang, name) })),
    { view: gangTemplate, key },
    { view: gangDependents, key },
    ...(dependents > 0 ? [{ view: gangScheduling, key }] : []),
  ];
}
