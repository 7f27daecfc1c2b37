// What a podcliqueset actor reads: what of its PodGangs cannot be written, the levels of the
// topology that it names, and the claim templates that it refers to.
import { readingsOfTemplates } from '../claims/facts.ts';
import { gangFailures } from '../podgang/failure.ts';
import { topologyLevels } from '../topologybinding/views.ts';
import { keyIn } from '../view.ts';
import type { Reading } from '../view.ts';
import type { SetContext } from './context.ts';
import type { SetFact } from './facts.ts';

export const setReads = ({ settings }: SetContext, set: SetFact): readonly Reading[] => [
  { view: gangFailures, key: keyIn(set, set.name) },
  ...(settings.isTopologyAware && set.topologyName !== ''
    ? [{ view: topologyLevels, key: set.topologyName }]
    : []),
  ...readingsOfTemplates(set),
];
