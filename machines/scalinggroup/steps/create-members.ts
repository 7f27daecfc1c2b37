// Every replica has its member PodCliques. `replicas` of a member is set at creation only, so what
// somebody changes survives (spec controllers 1.2.3).
import type { Step } from '../context.ts';
import { findings } from '../replicas.ts';

export const createMembers: Step = (context, group) => ({
  intents: findings(context, group).flatMap(({ intents }) => intents),
  changes: {},
});
