// Phase: every replica has its member PodCliques. `replicas` of a member is set at creation only,
// so what somebody changes survives (spec controllers 1.2.3).
import { idle } from '../../phases.ts';
import { problemOf } from '../context.ts';
import type { GroupContext, Step } from '../context.ts';
import type { GroupFact } from '../facts.ts';
import { findings } from '../replicas.ts';

export function planMembers(context: GroupContext, group: GroupFact): Step {
  if (problemOf(group) !== undefined) return idle;
  return { intents: findings(context, group).flatMap(({ intents }) => intents), changes: {} };
}
