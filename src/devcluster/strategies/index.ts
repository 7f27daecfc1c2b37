// The table of strategies: the rules of each built-in kind by `group/plural` (core: `/pods`). The
// REST layer looks them up when it builds the table of resources; a kind that is not listed takes
// `plainStrategy` or `withStatus({})`.
import type { NameRule } from '#machines/kubernetes/names.ts';
import type { Strategy } from '#src/devcluster/contract.ts';
import {
  eventStrategy,
  leaseStrategy,
  namespaceStrategy,
  nodeStrategy,
  priorityClassStrategy,
} from './cluster.ts';
import { configMapStrategy, secretStrategy, serviceAccountStrategy } from './config.ts';
import { daemonSetStrategy } from './daemon-sets.ts';
import { networkPolicyStrategy } from './network-policies.ts';
import { podStrategy } from './pods/index.ts';
import {
  clusterRoleBindingStrategy,
  clusterRoleStrategy,
  roleBindingStrategy,
  roleStrategy,
} from './rbac.ts';
import { serviceStrategy } from './services.ts';
import { deploymentStrategy, replicaSetStrategy } from './templates.ts';
import { volumeClaimStrategy } from './volumes.ts';
import {
  definitionStrategy,
  mutatingWebhookStrategy,
  validatingWebhookStrategy,
} from './webhooks.ts';
import {
  autoscalerStrategy,
  disruptionBudgetStrategy,
  resourceClaimStrategy,
  resourceClaimTemplateStrategy,
} from './workloads.ts';

export { plainStrategy, withStatus } from './base.ts';
export { validateObjectMeta, validateObjectMetaUpdate } from '#machines/kubernetes/object-meta.ts';
export type { NameRule } from '#machines/kubernetes/names.ts';

const rbac = 'rbac.authorization.k8s.io';
const admission = 'admissionregistration.k8s.io';

export const strategies: Readonly<Record<string, Strategy>> = {
  '/configmaps': configMapStrategy,
  '/events': eventStrategy,
  '/namespaces': namespaceStrategy,
  '/nodes': nodeStrategy,
  '/persistentvolumeclaims': volumeClaimStrategy,
  '/pods': podStrategy,
  '/secrets': secretStrategy,
  '/serviceaccounts': serviceAccountStrategy,
  '/services': serviceStrategy,
  [`${admission}/mutatingwebhookconfigurations`]: mutatingWebhookStrategy,
  [`${admission}/validatingwebhookconfigurations`]: validatingWebhookStrategy,
  'apiextensions.k8s.io/customresourcedefinitions': definitionStrategy,
  'apps/daemonsets': daemonSetStrategy,
  'apps/deployments': deploymentStrategy,
  'apps/replicasets': replicaSetStrategy,
  'autoscaling/horizontalpodautoscalers': autoscalerStrategy,
  'coordination.k8s.io/leases': leaseStrategy,
  'events.k8s.io/events': eventStrategy,
  'networking.k8s.io/networkpolicies': networkPolicyStrategy,
  'policy/poddisruptionbudgets': disruptionBudgetStrategy,
  [`${rbac}/clusterrolebindings`]: clusterRoleBindingStrategy,
  [`${rbac}/clusterroles`]: clusterRoleStrategy,
  [`${rbac}/rolebindings`]: roleBindingStrategy,
  [`${rbac}/roles`]: roleStrategy,
  'resource.k8s.io/resourceclaims': resourceClaimStrategy,
  'resource.k8s.io/resourceclaimtemplates': resourceClaimTemplateStrategy,
  'scheduling.k8s.io/priorityclasses': priorityClassStrategy,
};

const nameRules: Readonly<Record<string, NameRule>> = {
  '/namespaces': 'label',
  '/services': 'label1035',
  [`${rbac}/clusterrolebindings`]: 'path',
  [`${rbac}/clusterroles`]: 'path',
  [`${rbac}/rolebindings`]: 'path',
  [`${rbac}/roles`]: 'path',
};

/** The rule for `metadata.name` of a kind by `group/plural`; most are DNS subdomains. */
export const nameRuleOf = (key: string): NameRule => nameRules[key] ?? 'subdomain';
