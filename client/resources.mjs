// Written by `npm run surface` from tools/crds; do not edit by hand.
/** @type {import('./index.d.mts').Resources} */
export const resources = {
  ClusterTopologyBinding: {
    group: 'grove.io',
    version: 'v1alpha1',
    plural: 'clustertopologybindings',
    scope: 'Cluster',
  },
  PodClique: {
    group: 'grove.io',
    version: 'v1alpha1',
    plural: 'podcliques',
    scope: 'Namespaced',
  },
  PodCliqueScalingGroup: {
    group: 'grove.io',
    version: 'v1alpha1',
    plural: 'podcliquescalinggroups',
    scope: 'Namespaced',
  },
  PodCliqueSet: {
    group: 'grove.io',
    version: 'v1alpha1',
    plural: 'podcliquesets',
    scope: 'Namespaced',
  },
  PodGang: {
    group: 'scheduler.grove.io',
    version: 'v1alpha1',
    plural: 'podgangs',
    scope: 'Namespaced',
  },
  ComputeDomain: {
    group: 'resource.nvidia.com',
    version: 'v1beta1',
    plural: 'computedomains',
    scope: 'Namespaced',
  },
  ComputeDomainClique: {
    group: 'resource.nvidia.com',
    version: 'v1beta1',
    plural: 'computedomaincliques',
    scope: 'Namespaced',
  },
  Sandbox: {
    group: 'agents.x-k8s.io',
    version: 'v1beta1',
    plural: 'sandboxes',
    scope: 'Namespaced',
  },
  SandboxTemplate: {
    group: 'extensions.agents.x-k8s.io',
    version: 'v1beta1',
    plural: 'sandboxtemplates',
    scope: 'Namespaced',
  },
  SandboxClaim: {
    group: 'extensions.agents.x-k8s.io',
    version: 'v1beta1',
    plural: 'sandboxclaims',
    scope: 'Namespaced',
  },
  SandboxWarmPool: {
    group: 'extensions.agents.x-k8s.io',
    version: 'v1beta1',
    plural: 'sandboxwarmpools',
    scope: 'Namespaced',
  },
};
