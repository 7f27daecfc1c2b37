// The children of a replica, in the order in which they come and in that in which they go: who
// scales goes first.
import type { ChildTable } from '../../children/type.ts';
import type { ObservedChildren } from '../../objects/set-children.ts';
import { autoscaler } from './autoscaler.ts';
import { clique } from './clique.ts';
import { domain } from './domain.ts';
import { gang } from './gang.ts';
import { group } from './group.ts';
import type { ReplicaScope } from '../context.ts';
import { service } from './service.ts';

export const replicaTable: ChildTable<ObservedChildren, ReplicaScope> = {
  Service: service,
  ComputeDomain: domain,
  PodClique: clique,
  PodCliqueScalingGroup: group,
  PodGang: gang,
  HorizontalPodAutoscaler: autoscaler,
};

/** Claims are left out: pods that are terminating use them still, so the garbage collector takes
 *  them. */
export const replicaGoes = [
  'HorizontalPodAutoscaler',
  'PodClique',
  'PodCliqueScalingGroup',
  'PodGang',
  'ComputeDomain',
  'Service',
] as const;
