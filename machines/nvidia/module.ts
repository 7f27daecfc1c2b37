// NVIDIA's ComputeDomains: resource.nvidia.com, in the place of the controller of the DRA driver.
import { namesOf } from '../contract/module.ts';
import type { Module } from '../contract/module.ts';
import { clique } from './clique/behaviour.ts';
import { computeDomain } from './computedomain/behaviour.ts';
import { nvidiaEvents } from './events.ts';
import { nvidiaKinds } from './kinds.ts';
import { orphans } from './orphan/behaviour.ts';
import { nvidiaRoutes } from './routes.ts';
import type { NvidiaInput } from './settings.ts';
import { childrenOfDomain, labelledNodes, nodesOfDomain } from './views/children.ts';
import { cliquesOfDomain, cliquesOfPod } from './views/cliques.ts';
import { daemonsOfDomain, startingDaemons } from './views/daemons.ts';
import { domainByUid } from './views/domain.ts';

export const nvidia: Module<NvidiaInput> = {
  name: 'nvidia',
  kinds: namesOf(nvidiaKinds),
  behaviours: [computeDomain, clique, ...orphans],
  routes: nvidiaRoutes,
  views: [
    domainByUid,
    cliquesOfDomain,
    cliquesOfPod,
    daemonsOfDomain,
    startingDaemons,
    childrenOfDomain,
    nodesOfDomain,
    labelledNodes,
  ],
  events: nvidiaEvents,
  gauges: [
    {
      name: 'nvidia_dra_compute_domain_info',
      help: 'ComputeDomains by global status',
      why: { source: 'NVIDIA DRA driver' },
      actor: 'computedomain',
      field: 'status',
      values: ['Ready', 'NotReady'],
    },
  ],
};
