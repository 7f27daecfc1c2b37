// What says that a pod may be scheduled: its gate, and the PodGang that lists it.
import { listAt, textAt } from '../fields.ts';

const gate = 'grove.io/podgang-pending-creation';

export const listedBy = (gang: unknown): readonly string[] =>
  listAt(gang, 'spec', 'podgroups').flatMap((group) =>
    listAt(group, 'podReferences').map((reference) => textAt(reference, 'name')),
  );

export const isGated = (pod: unknown): boolean =>
  listAt(pod, 'spec', 'schedulingGates').some((row) => textAt(row, 'name') === gate);
