// The CRD of SandboxWarmPool (spec agent-sandbox 1.4).
import { conditions } from './common.ts';
import { deprecation, older, stored } from './sandbox.ts';
import { templateRef } from './sandboxclaim.ts';
import { extensions } from './sandboxtemplate.ts';
import { age, column, int32, int64, object, oneOf, root, text } from './shapes.ts';
import type { Definition, Shape } from './shapes.ts';

const size = 'Sandboxes that are kept ready.';

const spec = (replicas: Readonly<Record<string, Shape>>): Shape =>
  object('What is wanted.', {
    ...replicas,
    'sandboxTemplateRef!': templateRef,
    updateStrategy: object('What becomes of Sandboxes of an older template.', {
      type: oneOf(
        'Recreate: they are replaced at once; OnReplenish: when they are used up.',
        ['Recreate', 'OnReplenish'],
        { default: 'OnReplenish' },
      ),
    }),
  });

const counts: Readonly<Record<string, Shape>> = {
  readyReplicas: int32('Sandboxes that are ready.'),
  replicas: int32('Sandboxes that are not being deleted.'),
  selector: text('Label selector of the Sandboxes.'),
};

const columns = [
  column('Ready', 'integer', '.status.readyReplicas'),
  column('Desired', 'integer', '.spec.replicas'),
  age,
];

const description = 'Sandboxes of a template that run already when a claim comes.';
const kind = 'SandboxWarmPool';

export const sandboxWarmPool: Definition = {
  group: extensions,
  kind,
  plural: 'sandboxwarmpools',
  shortName: 'swp',
  scope: 'Namespaced',
  version: stored,
  columns,
  scaleSelector: 'selector',
  schema: root(
    description,
    spec({ replicas: int32(size, { default: 1, minimum: 0 }) }),
    object('What was observed.', {
      ...counts,
      conditions: conditions('Observations about the pool, which agent-sandbox has not.'),
      observedGeneration: int64('The metadata.generation that the counts are of.', { minimum: 0 }),
    }),
  ),
  deprecated: {
    version: older,
    warning: deprecation(extensions, kind),
    columns,
    scaleSelector: 'selector',
    schema: root(
      description,
      spec({ 'replicas!': int32(size, { minimum: 0 }) }),
      object('What was observed.', counts),
    ),
  },
};
