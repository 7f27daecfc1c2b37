// What a podgang actor reads: the pods that its PodCliques want, what its set wants of it, and, for
// people, whether it is scheduled where other gangs wait for that.
import { keyIn } from '../../contract/view.ts';
import type { Reading } from '../../contract/view.ts';
import type { GangFact } from '../objects/podgang.ts';
import { gangScheduling, gangWaiters } from '../views/gang-scheduling.ts';
import { gangTemplate } from '../views/gang-template.ts';
import { wantedPods } from '../views/wanted-pods.ts';
import type { GangContext } from './context.ts';

export function gangReads({ waiters }: GangContext, gang: GangFact): readonly Reading[] {
  const key = keyIn(gang, gang.name);
  return [
    ...gang.groups
      .filter(({ name }) => name !== '')
      .map(({ name }) => ({ view: wantedPods, key: keyIn(gang, name) })),
    { view: gangTemplate, key },
    { view: gangWaiters, key },
    ...(waiters > 0 ? [{ view: gangScheduling, key }] : []),
  ];
}
