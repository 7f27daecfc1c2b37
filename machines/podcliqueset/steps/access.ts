// The ServiceAccount, Role and RoleBinding with which the start-up container watches pods
// (spec controllers 1.1.5). Its token is planned beside it (token.ts).
import { isWithin, patchToward } from '../../merge.ts';
import type { KubeObject } from '../../objects.ts';
import type { Intent } from '../../vocabulary.ts';
import { buildRole, buildRoleBinding, buildServiceAccount } from '../children.ts';
import { accessKinds } from '../childfacts.ts';
import type { AccessKind } from '../childfacts.ts';
import { living } from '../context.ts';
import type { SetContext, Step } from '../context.ts';
import type { SetFact } from '../facts.ts';

export const ensureAccess: Step = (context, set) => ({
  intents: [
    ...accessKinds.flatMap((kind) => create(context, set, kind)),
    ...patchAccount(context, set),
  ],
  changes: {},
});

/** Everything is there, ours and as it should be. */
export const isAccessDone = (context: SetContext, set: SetFact): boolean =>
  accessKinds.every((kind) => living(context.access[kind], set) !== undefined) &&
  patchAccount(context, set).length === 0;

const builders: Record<AccessKind, (set: SetFact) => KubeObject> = {
  ServiceAccount: buildServiceAccount,
  Role: buildRole,
  RoleBinding: buildRoleBinding,
};

/**
 * Created once. One that is there under the name and not ours, or going, is left alone. A
 * RoleBinding comes after its Role: who may only grant what it has itself is asked what that is.
 */
function create(context: SetContext, set: SetFact, kind: AccessKind): readonly Intent[] {
  if (context.access[kind] !== undefined) return [];
  if (kind === 'RoleBinding' && context.access.Role === undefined) return [];
  const body = builders[kind](set);
  const ref = { kind, namespace: set.namespace, name: body.metadata.name };
  return [{ type: 'createObject', ref, reason: 'access of the start-up container', body }];
}

function patchAccount(context: SetContext, set: SetFact): readonly Intent[] {
  const account = living(context.access.ServiceAccount, set);
  if (account === undefined) return [];
  const labels = buildServiceAccount(set).metadata.labels ?? {};
  if (account.automountsToken && isWithin(labels, account.labels)) return [];
  return [
    {
      type: 'patchObject',
      ref: { kind: 'ServiceAccount', namespace: set.namespace, name: account.name },
      reason: 'labels or token mounting differ',
      patch: {
        metadata: { labels: patchToward(account.labels, labels) },
        automountServiceAccountToken: true,
      },
      uid: account.uid,
    },
  ];
}
