// Why a PodCliqueSet is not available, in sentences for people, most important first. Answers
// `why`.
import { whyThere } from '../deletion.ts';
import { sayError } from '../errorbook.ts';
import { finalizer } from '../grove/labels.ts';
import { maxListed } from '../limits.ts';
import type { JsonObject } from '../objects.ts';
import { entries } from '../radix.ts';
import { living, replicaAt } from './context.ts';
import type { Replica, SetContext } from './context.ts';
import type { SetFact } from './facts.ts';
import { cliqueName } from './names.ts';
import { deletionsAwaited } from './plan/drain.ts';
import { problemsOf } from './status.ts';

export function why(context: SetContext): readonly string[] {
  const { set } = context;
  if (set === undefined) return [`PodCliqueSet ${context.key.name} was not seen yet`];
  if (set.deleting) {
    const waited = deletionsAwaited(context, set).map(({ kind, name }) => `${kind} ${name}`);
    return [
      whyThere(`PodCliqueSet ${set.name}`, set, { ours: finalizer.set, waited }),
      ...context.errors.map(sayError),
    ].slice(0, maxListed);
  }
  const reasons = [
    ...problemsOf(context, set).map((problem) => problem.message),
    ...context.errors.map(sayError),
    ...whyReplicas(context, set),
  ];
  if (reasons.length > 0) return reasons.slice(0, maxListed);
  const { available } = context.totals;
  return [`${available} of ${set.replicas} replicas are available; nothing is waited for`];
}

function whyReplicas(context: SetContext, set: SetFact): readonly string[] {
  const reasons: string[] = [];
  for (let index = 0; index < set.replicas && reasons.length < maxListed - 1; index++) {
    const replica = replicaAt(context, index);
    if (!replica.isAvailable) reasons.push(...whyReplica(set, index, replica));
  }
  const left = set.replicas - context.totals.available;
  const summary = `${left} of ${set.replicas} replicas are not available`;
  return left > 1 && reasons.length > 0 ? [summary, ...reasons] : reasons;
}

function whyReplica(set: SetFact, index: number, replica: Replica): readonly string[] {
  const reasons = set.cliques.flatMap((template) => {
    const name = cliqueName(set.name, index, template.name);
    const there = replica.cliques.get(template.name);
    const clique = living(there, set);
    if (there !== undefined && clique === undefined)
      return [`waiting for the old PodClique ${name} to go`];
    if (clique === undefined) return [`waiting for PodClique ${name} to be created`];
    const { readyReplicas, scheduledReplicas } = clique.observed;
    if (readyReplicas >= template.minAvailable) return [];
    return [
      `PodClique ${name}: ${readyReplicas} of at least ${template.minAvailable} pods ready, ${scheduledReplicas} scheduled`,
    ];
  });
  const hasGang = living(replica.gang, set) !== undefined;
  return hasGang || reasons.length > 0 ? reasons : [`waiting for PodGang ${set.name}-${index}`];
}

/** For `/actors` and `ask state`. */
export function view(context: SetContext): JsonObject {
  let known = 0;
  for (const _ of entries(context.replicas)) known++;
  return {
    uid: context.set?.uid ?? null,
    generation: context.set?.generation ?? null,
    wanted: context.set?.replicas ?? null,
    known,
    ...context.totals,
    errors: context.errors.map(sayError),
  };
}
