// The CRD of ClusterTopologyBinding (spec grove-api 1.5).
import { conditions, topologyDomain } from './common.ts';
import { age, column, conditionStatus, flag, int64, list, object } from './shapes.ts';
import { root, text, wideColumn } from './shapes.ts';
import type { Definition } from './shapes.ts';

const labelKeyPattern =
  '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$';

const level = object('One level of the hierarchy.', {
  'domain!': topologyDomain('Name that workloads use, e.g. zone, block, rack, host.'),
  'key!': text('Node label whose value tells the domains of this level apart.', {
    maxLength: 63,
    minLength: 1,
    pattern: labelKeyPattern,
  }),
});

const binding = {
  'schedulerName!': text('The scheduler.'),
  'topologyReference!': text("Name of the scheduler's own topology object."),
};

const spec = object('The topology of the nodes.', {
  'levels!': list(level, 'The levels, from the broadest to the narrowest.', { minItems: 1 }),
  schedulerTopologyBindings: list(
    object('A topology object that somebody else looks after.', binding),
    'Schedulers whose topology object is not made by us, only compared.',
  ),
});

const status = object('What was observed.', {
  conditions: conditions('Observations about the binding.'),
  observedGeneration: int64('The last metadata.generation that was fully processed.'),
  schedulerTopologyStatuses: list(
    object('State of the topology object of one scheduler.', {
      ...binding,
      'inSync!': flag('Whether it has the same levels as the spec.'),
      message: text('What differs.'),
      schedulerBackendTopologyObservedGeneration: int64(
        'Generation of the object that was compared.',
      ),
    }),
    'One entry for each scheduler that knows topologies.',
  ),
});

export const clusterTopologyBinding: Definition = {
  group: 'grove.io',
  version: 'v1alpha1',
  kind: 'ClusterTopologyBinding',
  plural: 'clustertopologybindings',
  shortName: 'ct',
  scope: 'Cluster',
  columns: [
    column('Domains', 'string', '.spec.levels[*].domain'),
    wideColumn('Levels', 'string', '.spec.levels'),
    wideColumn('Drift', 'string', conditionStatus('SchedulerTopologyDrift')),
    age,
  ],
  schema: root('Names the levels of the network and node hierarchy of a cluster.', spec, status),
};
