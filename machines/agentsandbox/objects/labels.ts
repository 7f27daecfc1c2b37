// The names by which agent-sandbox's controller and clients find each other's objects (spec
// agent-sandbox 1.5), and our own. Used by whoever reads or builds one.
import { traceContextAnnotation } from '../../kubernetes/trace-context.ts';

export const group = 'agents.x-k8s.io';
export const extensionsGroup = 'extensions.agents.x-k8s.io';

export const label = {
  /** On pods, Services and PVCs: NameHash of the Sandbox; says nothing about who owns them. */
  sandboxNameHash: `${group}/sandbox-name-hash`,
  /** On Sandboxes: `warm` or `cold`. */
  launchType: `${group}/launch-type`,
  createdBy: `${group}/created-by`,
  /** On members of a pool and their pods: NameHash of the pool. */
  warmPool: `${group}/warm-pool-sandbox`,
  /** NameHash of the template: NetworkPolicies select by it. */
  templateRefHash: `${group}/sandbox-template-ref-hash`,
  /** On members of a pool: hash of the blueprint. */
  templateHash: `${group}/sandbox-template-hash`,
  /** Deprecated and still written: hash of `podTemplate` alone. */
  podTemplateHash: `${group}/sandbox-pod-template-hash`,
  /** On Sandboxes of a claim: its UID. */
  claimUid: `${group}/claim-uid`,
  /** `true` allows a Sandbox to take over what has no owner. */
  adoptable: `${group}/adoptable`,
} as const;

export const annotation = {
  /** On Sandboxes: the name of the pod. */
  podName: `${group}/pod-name`,
  /** On Sandboxes: the name of the template. */
  templateRef: `${group}/sandbox-template-ref`,
  /** On claims: the Sandbox that is assigned; a label of the same key in older objects. */
  assigned: `${group}/sandbox-name`,
  firstObservedAt: `${group}/controller-first-observed-at`,
  /** On claims: when its start-up was measured, or `unknown`. */
  firstReadyAt: `${group}/claim-first-ready-at`,
  webhookFirstObservedAt: `${group}/webhook-first-observed-at`,
  clientFirstRequestedAt: `${group}/client-first-requested-at`,
  /** On pods: keys that came from the pod template, sorted, with commas between. */
  propagatedLabels: `${group}/propagated-labels`,
  propagatedAnnotations: `${group}/propagated-annotations`,
  traceContext: traceContextAnnotation,
  safeToEvict: 'cluster-autoscaler.kubernetes.io/safe-to-evict',
  /** Ours, on Sandboxes that come from a pool or a claim: the pool in whose tree they live. */
  pool: 'coppice.dev/warm-pool',
  /** Ours, on claims: the UID of the Sandbox that is assigned. Names of members come back. */
  assignedUid: 'coppice.dev/sandbox-uid',
  /** Ours, on members of a pool: their number, from which their name is made. */
  ordinal: 'coppice.dev/ordinal',
} as const;

/** User pod templates and claims put no such keys on pods. */
export const isReserved = (key: string): boolean =>
  key.startsWith(`${group}/`) ||
  key.startsWith(`${extensionsGroup}/`) ||
  key === annotation.traceContext;
