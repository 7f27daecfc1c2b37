// What a podgang actor reads: the pods that its PodCliques want, what its set wants of it, and, for
// people, whether it is scheduled where other gangs wait for that.
import { wantedPods } from '../podclique/wanted-pods.ts';
import { keyIn } from '../view.ts';
import type { Reading } from '../view.ts';
import type { GangContext } from './context.ts';
import type { GangFact } from './facts.ts';
import { gangScheduling, gangWaiters } from './scheduling.ts';
import { gangTemplate } from './template.ts';

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
