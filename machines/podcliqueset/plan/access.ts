// Phase: the ServiceAccount, Role, RoleBinding and token Secret with which the start-up container
// watches pods (spec controllers 1.1.5). PodCliques do not wait for the token to be filled in: pods
// mount it when they start, and the kubelet waits for that itself.
import { isWithin, patchToward } from '../../merge.ts';
import type { KubeObject } from '../../objects.ts';
import type { Intent } from '../../vocabulary.ts';
import { buildRole, buildRoleBinding, buildSecret, buildServiceAccount } from '../children.ts';
import type { AccessKind } from '../childfacts.ts';
import { living } from '../context.ts';
import type { SetContext } from '../context.ts';
import type { SetFact } from '../facts.ts';

export interface AccessPlan {
  readonly intents: readonly Intent[];
  /** Everything is there and ours. */
  readonly isDone: boolean;
}

export function planAccess(context: SetContext, set: SetFact): AccessPlan {
  const accounts = ['ServiceAccount', 'Role', 'RoleBinding'] as const;
  const kinds = needsToken(context, set) ? ([...accounts, 'Secret'] as const) : accounts;
  const creates = kinds.flatMap((kind) => create(context, set, kind));
  const patches = patchAccount(context, set);
  const areAllOurs = kinds.every((kind) => living(context.access[kind], set) !== undefined);
  return {
    intents: [...creates, ...patches, ...removeLegacySecret(context, set)],
    isDone: areAllOurs && patches.length === 0,
  };
}

const builders: Record<AccessKind, (set: SetFact) => KubeObject> = {
  ServiceAccount: buildServiceAccount,
  Role: buildRole,
  RoleBinding: buildRoleBinding,
  Secret: buildSecret,
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

/** Only pods that wait for others mount the token. */
const needsToken = ({ settings }: SetContext, { cliques }: SetFact): boolean =>
  settings.sparesTokens !== true || cliques.some(({ startsAfter }) => startsAfter.length > 0);

/** Only when the new one works and no pod mounts the old one (rule 48). */
function removeLegacySecret(context: SetContext, set: SetFact): readonly Intent[] {
  const old = living(context.legacySecret, set);
  const isReplaced = living(context.access.Secret, set)?.hasToken === true;
  if (old === undefined || !isReplaced || context.legacyPods.size > 0) return [];
  return [
    {
      type: 'deleteObject',
      ref: { kind: 'Secret', namespace: set.namespace, name: old.name },
      reason: 'replaced by the Secret with the short name',
      uid: old.uid,
    },
  ];
}

/**
 * True where the token Secret's name is held by somebody else and pods would mount it: no PodClique
 * and no group is created then. One of an earlier PodCliqueSet of this name is going, and is waited
 * for instead.
 */
export function hasSecretConflict(context: SetContext, set: SetFact): boolean {
  if (!needsToken(context, set)) return false;
  const secret = context.access.Secret;
  const isRefused = context.errors.some(
    ({ op, ref, code }) => op === 'create' && ref.kind === 'Secret' && code === 'ALREADY_EXISTS',
  );
  if (secret === undefined || secret.deleting) return isRefused;
  const { owner } = secret;
  return owner?.kind !== 'PodCliqueSet' || owner.name !== set.name;
}
