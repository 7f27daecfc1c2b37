// The activator: revisions whose requests are held while no pod can take them. Its actors run
// beside the data plane that holds the tables of pods (src/activator), in every process that
// serves requests, and not in the controller.
import { namesOf } from '../contract/module.ts';
import type { Module } from '../contract/module.ts';
import { activatorFamilies } from './families.ts';
import { activatorKinds } from './kinds.ts';
import { revision } from './revision/behaviour.ts';
import { activatorRoutes } from './routes.ts';
import type { ActivatorInput } from './settings.ts';
import { activatorsOfService, endpointsOfService } from './views/endpoints.ts';
import { servicesOfRevision } from './views/services.ts';

export const activator: Module<ActivatorInput> = {
  name: 'activator',
  kinds: namesOf(activatorKinds),
  behaviours: [revision],
  routes: activatorRoutes,
  views: [endpointsOfService, activatorsOfService, servicesOfRevision],
  events: { Normal: {}, Warning: {} },
  families: activatorFamilies,
};
