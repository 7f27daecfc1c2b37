// Which built-in kind has which columns, by `group/plural` (core: `/pods`). A kind that is not
// listed shows its name and age.
import type { PrinterColumn } from '../../contract.ts';
import { ageColumn, nameColumn } from './cells.ts';
import * as core from './core.ts';
import { podColumns } from './pods.ts';
import * as workloads from './workloads.ts';

const rbac = 'rbac.authorization.k8s.io';
const admission = 'admissionregistration.k8s.io';

export const defaultColumns: readonly PrinterColumn[] = [nameColumn, ageColumn];

export const builtinColumns: Readonly<Record<string, readonly PrinterColumn[]>> = {
  '/configmaps': core.configMapColumns,
  '/endpoints': core.endpointsColumns,
  '/events': core.eventColumns,
  '/limitranges': core.createdColumns,
  '/namespaces': core.namespaceColumns,
  '/nodes': core.nodeColumns,
  '/persistentvolumeclaims': core.claimColumns,
  '/persistentvolumes': core.volumeColumns,
  '/pods': podColumns,
  '/resourcequotas': core.quotaColumns,
  '/secrets': core.secretColumns,
  '/serviceaccounts': core.serviceAccountColumns,
  '/services': core.serviceColumns,
  [`${admission}/mutatingwebhookconfigurations`]: workloads.webhookColumns,
  [`${admission}/validatingwebhookconfigurations`]: workloads.webhookColumns,
  'apiextensions.k8s.io/customresourcedefinitions': core.createdColumns,
  'apiregistration.k8s.io/apiservices': workloads.apiServiceColumns,
  'apps/controllerrevisions': workloads.revisionColumns,
  'apps/daemonsets': workloads.daemonSetColumns,
  'apps/deployments': workloads.deploymentColumns,
  'apps/replicasets': workloads.replicaSetColumns,
  'apps/statefulsets': workloads.statefulSetColumns,
  'autoscaling/horizontalpodautoscalers': workloads.hpaColumns,
  'batch/cronjobs': workloads.cronJobColumns,
  'batch/jobs': workloads.jobColumns,
  'coordination.k8s.io/leases': workloads.leaseColumns,
  'discovery.k8s.io/endpointslices': core.endpointSliceColumns,
  'events.k8s.io/events': core.eventColumns,
  'networking.k8s.io/networkpolicies': workloads.networkPolicyColumns,
  'policy/poddisruptionbudgets': workloads.disruptionBudgetColumns,
  [`${rbac}/clusterrolebindings`]: workloads.bindingColumns,
  [`${rbac}/clusterroles`]: core.createdColumns,
  [`${rbac}/rolebindings`]: workloads.bindingColumns,
  [`${rbac}/roles`]: core.createdColumns,
  'resource.k8s.io/resourceclaims': workloads.resourceClaimColumns,
  'resource.k8s.io/resourceslices': workloads.resourceSliceColumns,
  'scheduling.k8s.io/priorityclasses': core.priorityClassColumns,
  'storage.k8s.io/storageclasses': workloads.storageClassColumns,
};
