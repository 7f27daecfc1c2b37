// What a podclique actor reads: whether the gang is scheduled that its pods wait for, the template
// of its set where that shares claims, and the claim templates that are named there.
import { readingsOfTemplates } from '../claims/facts.ts';
import { gangScheduling } from '../podgang/scheduling.ts';
import { sharingTemplate } from '../podcliqueset/template-view.ts';
import { keyIn } from '../view.ts';
import type { Reading } from '../view.ts';
import type { CliqueContext } from './context.ts';
import type { CliqueFact } from './facts.ts';

export const cliqueReads = (
  { root, set }: CliqueContext,
  clique: CliqueFact,
): readonly Reading[] => [
  ...(clique.baseGang === undefined
    ? []
    : [{ view: gangScheduling, key: keyIn(clique, clique.baseGang) }]),
  { view: sharingTemplate, key: keyIn(clique, root.name) },
  ...readingsOfTemplates(set),
];
