// The ServiceAccount, Role and RoleBinding of the start-up container.
import { reconcileChildren } from '../../children/reconcile.ts';
import type { Plan } from '../../children/reconcile.ts';
import type { ObservedSet } from '../../objects/podcliqueset.ts';
import { accessTable } from '../children/access.ts';
import type { SetContext, Step } from '../context.ts';

export const ensureAccess: Step = (context, set) => ({
  intents: plan(context, set).intents,
  changes: {},
});

/** Everything is there, ours and as it should be. */
export function isAccessDone(context: SetContext, set: ObservedSet): boolean {
  const { intents, hasAll } = plan(context, set);
  return hasAll && intents.length === 0;
}

const plan = ({ access }: SetContext, set: ObservedSet): Plan =>
  reconcileChildren(accessTable, set, access, { set, hasRole: access.Role.size > 0 });
