// The kinds that the activator reads: revisions of Knative, or of our own configuration in their
// shape, what Knative says of their Services, and the endpoints of these. It writes none of them.
import type { KindRow } from '../contract/kind.ts';
import { keptOfSlice } from './objects/endpoint-slice.ts';
import { serviceLabel } from './objects/labels.ts';

export const activatorKinds = {
  Revision: {
    apiVersion: 'serving.knative.dev/v1',
    plural: 'revisions',
    writes: [],
    owners: [],
    isOptional: true,
    isApart: true,
  },
  ServerlessService: {
    apiVersion: 'networking.internal.knative.dev/v1alpha1',
    plural: 'serverlessservices',
    writes: [],
    owners: [],
    isOptional: true,
    isApart: true,
  },
  EndpointSlice: {
    apiVersion: 'discovery.k8s.io/v1',
    plural: 'endpointslices',
    labelled: serviceLabel,
    writes: [],
    owners: [],
    keeps: keptOfSlice,
    // Requests wait for a pod, or go to one that is leaving.
    isAwaited: true,
  },
} as const satisfies Record<string, KindRow>;

type ActivatorKind = keyof typeof activatorKinds;

export const activatorActors = {
  revision: 'Revision',
} as const satisfies Record<string, ActivatorKind>;

declare module '../contract/kind.ts' {
  interface KindNames extends Record<ActivatorKind, true> {}
  interface ActorNames extends Record<keyof typeof activatorActors, true> {}
}
