// The CRD of ComputeDomainClique (spec compute-domain 1.2): the rows are at the top, and there is
// neither a spec nor a status.
import { nvidia, readiness } from './computedomain.ts';
import { int, listBy, object, text, topLevel } from './shapes.ts';
import type { Definition } from './shapes.ts';

const daemon = object('The daemon on a node.', {
  'cliqueID!': text('The clique, as in the name of the object.'),
  index: int('Index of the node in the clique, which names it to the others.'),
  'ipAddress!': text('Address of the daemon.'),
  'nodeName!': text('Name of the node.'),
  status: readiness('Whether the daemon is ready.'),
});

export const computeDomainClique: Definition = {
  ...nvidia,
  kind: 'ComputeDomainClique',
  plural: 'computedomaincliques',
  scope: 'Namespaced',
  columns: [],
  schema: topLevel('The nodes of a ComputeDomain in one NVLink clique, with their indices.', {
    daemons: listBy('nodeName', daemon, 'One for each node.'),
  }),
  isWithoutStatus: true,
};
