// What a podcliqueset actor reads: what of its PodGangs cannot be written, the levels of the
// topology that it names, and the claim templates that it refers to.
import { keyIn } from '../../contract/view.ts';
import type { Reading } from '../../contract/view.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import { readingsOfTemplates } from '../views/claim-template.ts';
import { gangFailures } from '../views/gang-failures.ts';
import { topologyLevels } from '../views/topology.ts';
import type { SetContext } from './context.ts';

export const setReads = ({ settings }: SetContext, set: ObservedSet): readonly Reading[] => [
  { view: gangFailures, key: keyIn(set, set.name) },
  ...(settings.isTopologyAware && set.topologyName !== ''
    ? [{ view: topologyLevels, key: set.topologyName }]
    : []),
  ...readingsOfTemplates(set),
];
