// Of the whole set: the ServiceAccount, Role and RoleBinding with which the start-up container
// watches pods (spec controllers 1.1.5). Its token is planned beside them (token.ts).
import { isWithin, patchToward } from '../../../kubernetes/merge.ts';
import type { KubeObject } from '../../../kubernetes/objects.ts';
import { sameForAll } from '../../children/type.ts';
import type { ChildPatch, ChildTable, ChildType } from '../../children/type.ts';
import { childLabels, component, ownedMeta } from '../../objects/labels.ts';
import { roleName, serviceAccountName } from '../../objects/names.ts';
import type { ObservedSet } from '../../objects/podcliqueset.ts';
import { isAccessNews, readAccess } from '../../objects/set-children.ts';
import type {
  AccessKind,
  ObservedAccess,
  ObservedAccessObjects,
} from '../../objects/set-children.ts';
import { usualReason, type Query, type SetContext, type Step } from '../context.ts';
import { reconcileChildren, type Plan } from '../../children/reconcile.ts';

interface AccessScope {
  readonly set: ObservedSet;
  /** A RoleBinding comes after its Role: who may only grant what it has itself is asked what that
   *  is. */
  readonly hasRole: boolean;
}

interface Access<K extends AccessKind> {
  readonly nameIn: (set: string) => string;
  readonly build: (set: ObservedSet) => KubeObject;
  readonly mayCreate?: (scope: AccessScope) => boolean;
  readonly patch?: (set: ObservedSet, there: ObservedAccess<K>) => ChildPatch | undefined;
  readonly errorCode: ChildType<ObservedAccess<K>, AccessScope>['errorCode'];
}

/** Each is created once, under one name. */
const access = <K extends AccessKind>(
  kind: K,
  { nameIn, build, mayCreate, patch, errorCode }: Access<K>,
): ChildType<ObservedAccess<K>, AccessScope> => ({
  kind,
  read: readAccess(kind),
  place: (set, name) => (name === nameIn(set) ? { replica: undefined, slot: '' } : undefined),
  hasChanged: isAccessNews,
  desired: (scope) => [
    {
      slot: '',
      name: nameIn(scope.set.name),
      reason: 'access of the start-up container',
      ...(mayCreate?.(scope) === false ? {} : { build: () => build(scope.set) }),
      ...(patch && { patch: (there) => patch(scope.set, there) }),
    },
  ],
  errorCode,
  eventReason: usualReason,
});

export const accessTable: ChildTable<ObservedAccessObjects, AccessScope> = {
  ServiceAccount: access('ServiceAccount', {
    nameIn: serviceAccountName,
    build: buildAccount,
    patch: patchOfAccount,
    errorCode: sameForAll('ERR_SYNC_SERVICEACCOUNT', 'ERR_DELETE_SERVICEACCOUNT'),
  }),
  Role: access('Role', {
    nameIn: roleName,
    build: buildRole,
    errorCode: sameForAll('ERR_SYNC_ROLE', 'ERR_DELETE_ROLE'),
  }),
  RoleBinding: access('RoleBinding', {
    nameIn: roleName,
    build: buildBinding,
    mayCreate: ({ hasRole }) => hasRole,
    errorCode: sameForAll('ERR_SYNC_ROLEBINDING', 'ERR_DELETE_ROLEBINDING'),
  }),
};

export const accessGoes = ['ServiceAccount', 'Role', 'RoleBinding'] as const;

function patchOfAccount(
  set: ObservedSet,
  there: ObservedAccess<'ServiceAccount'>,
): ChildPatch | undefined {
  const labels = buildAccount(set).metadata.labels ?? {};
  if (there.automountsToken && isWithin(labels, there.labels)) return undefined;
  return {
    patch: {
      metadata: { labels: patchToward(there.labels, labels) },
      automountServiceAccountToken: true,
    },
    reason: 'labels or token mounting differ',
  };
}

function buildAccount(set: ObservedSet): KubeObject {
  const name = serviceAccountName(set.name);
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: ownedMeta(set, name, childLabels(set.name, name, component.serviceAccount)),
    automountServiceAccountToken: true,
  };
}

function buildRole(set: ObservedSet): KubeObject {
  const name = roleName(set.name);
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: ownedMeta(set, name, childLabels(set.name, name, component.role)),
    rules: [
      { apiGroups: [''], resources: ['pods', 'pods/status'], verbs: ['get', 'list', 'watch'] },
    ],
  };
}

function buildBinding(set: ObservedSet): KubeObject {
  const name = roleName(set.name);
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: ownedMeta(set, name, childLabels(set.name, name, component.roleBinding)),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [
      { kind: 'ServiceAccount', name: serviceAccountName(set.name), namespace: set.namespace },
    ],
  };
}

export const ensureAccess: Step = (context, set) => ({
  intents: plan(context, set).intents,
  changes: {},
});

/** Everything is there, ours and as it should be. */
export function isAccessDone(context: SetContext, set: ObservedSet): boolean {
  const { intents, hasAll } = plan(context, set);
  return hasAll && intents.length === 0;
}

const plan: Query<Plan> = ({ access }, set) =>
  reconcileChildren(accessTable, set, access, { set, hasRole: access.Role.size > 0 });
