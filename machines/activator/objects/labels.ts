// Labels and annotations by which the activator reads objects: Kubernetes', Knative's, and our own
// for revisions that are not Knative's.

/** On each EndpointSlice: the Service whose pods it lists. */
export const serviceLabel = 'kubernetes.io/service-name';

export const annotation = {
  /** Most pods of a revision; 0 or absent: any number. */
  maxScale: 'autoscaling.knative.dev/max-scale',
  /** The Service whose endpoints are the pods of the revision; absent: the private one that Knative
   *  makes, `<revision>-private`. */
  service: 'coppice.dev/service',
  /** The port of that Service, by name; absent: `http` or `http2`, by the protocol. */
  port: 'coppice.dev/port',
  /** The Service, as `namespace/name`, whose endpoints are the activators of the revision; absent:
   *  the public one that Knative makes. */
  activators: 'coppice.dev/activators',
  /** `false`: a pod gets requests only when Kubernetes calls it ready, whatever it answers. */
  early: 'coppice.dev/early',
  /** How a pod is chosen; absent: by the container concurrency. */
  policy: 'coppice.dev/load-balancing',
} as const;
