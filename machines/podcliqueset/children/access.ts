// Of the whole set: the ServiceAccount, Role and RoleBinding with which the start-up container
// watches pods (spec controllers 1.1.5). Its token is planned beside them (token.ts).
import { sameForAll } from '../../children/type.ts';
import type { ChildPatch, ChildTable, ChildType, Place } from '../../children/type.ts';
import { childLabels, component } from '../../grove/labels.ts';
import { ownedMeta } from '../../grove/owned.ts';
import { isWithin, patchToward } from '../../merge.ts';
import type { KubeObject } from '../../objects.ts';
import { isAccessNews, readAccess } from '../childfacts.ts';
import type { AccessFact, AccessFacts } from '../childfacts.ts';
import type { SetFact } from '../facts.ts';
import { roleName, serviceAccountName } from '../names.ts';
import { usualReason } from './reasons.ts';

interface AccessScope {
  readonly set: SetFact;
  /** A RoleBinding comes after its Role: who may only grant what it has itself is asked what that
   *  is. */
  readonly hasRole: boolean;
}

const reason = 'access of the start-up container';

/** Each is created once, under one name. */
const placed =
  (nameIn: (set: string) => string) =>
  (set: string, name: string): Place | undefined =>
    name === nameIn(set) ? { replica: undefined, slot: '' } : undefined;

const account: ChildType<AccessFact<'ServiceAccount'>, AccessScope> = {
  kind: 'ServiceAccount',
  read: readAccess('ServiceAccount'),
  place: placed(serviceAccountName),
  hasChanged: isAccessNews,
  desired: ({ set }) => [
    {
      slot: '',
      name: serviceAccountName(set.name),
      reason,
      build: () => buildAccount(set),
      patch: (there) => patchOfAccount(set, there),
    },
  ],
  errorCode: sameForAll('ERR_SYNC_SERVICEACCOUNT', 'ERR_DELETE_SERVICEACCOUNT'),
  eventReason: usualReason,
};

const role: ChildType<AccessFact<'Role'>, AccessScope> = {
  kind: 'Role',
  read: readAccess('Role'),
  place: placed(roleName),
  hasChanged: isAccessNews,
  desired: ({ set }) => [
    {
      slot: '',
      name: roleName(set.name),
      reason,
      build: () => buildRole(set),
    },
  ],
  errorCode: sameForAll('ERR_SYNC_ROLE', 'ERR_DELETE_ROLE'),
  eventReason: usualReason,
};

const binding: ChildType<AccessFact<'RoleBinding'>, AccessScope> = {
  kind: 'RoleBinding',
  read: readAccess('RoleBinding'),
  place: placed(roleName),
  hasChanged: isAccessNews,
  desired: ({ set, hasRole }) => [
    {
      slot: '',
      name: roleName(set.name),
      reason,
      ...(hasRole ? { build: () => buildBinding(set) } : {}),
    },
  ],
  errorCode: sameForAll('ERR_SYNC_ROLEBINDING', 'ERR_DELETE_ROLEBINDING'),
  eventReason: usualReason,
};

export const accessTable: ChildTable<AccessFacts, AccessScope> = {
  ServiceAccount: account,
  Role: role,
  RoleBinding: binding,
};

export const accessGoes = ['ServiceAccount', 'Role', 'RoleBinding'] as const;

function patchOfAccount(set: SetFact, there: AccessFact<'ServiceAccount'>): ChildPatch | undefined {
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

function buildAccount(set: SetFact): KubeObject {
  const name = serviceAccountName(set.name);
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: ownedMeta(set, name, childLabels(set.name, name, component.serviceAccount)),
    automountServiceAccountToken: true,
  };
}

function buildRole(set: SetFact): KubeObject {
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

function buildBinding(set: SetFact): KubeObject {
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
