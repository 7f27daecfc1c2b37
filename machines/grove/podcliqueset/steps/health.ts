// People are told when all replicas have become available, and when some stopped being so
// without a change of the spec. On change only: what was said last is remembered, and read off the
// status after a restart.
import type { Intent } from '../../../contract/intents.ts';
import { count } from '../../../kubernetes/json.ts';
import { idle } from '../../../statechart/step.ts';
import { entries } from '../../children/radix.ts';
import { living } from '../../children/reconcile.ts';
import { replicaAt } from '../../children/replicas.ts';
import type { ObservedSet } from '../../objects/podcliqueset.ts';
import { isIn, replicasIn } from '../context.ts';
import type { Health, Query, Result, SetContext, Step } from '../context.ts';
import { whyReplica } from '../explain.ts';
import { runningProgress } from '../rollout.ts';
import { normal, warning } from '../../../contract/object-intents.ts';

/** Replicas named in a note. */
const maxNamed = 3;

export const announceAvailable: Step = (context, set) => {
  if (isUpdating(context, set)) return idle;
  const isNews = !healthBefore(context, set).isAvailable;
  return { intents: isNews ? [availableEvent(context, set)] : [], ...remember(context, set) };
};

export const announceDegraded: Step = (context, set) => {
  if (isUpdating(context, set)) return idle;
  const before = healthBefore(context, set);
  const isNews = before.isAvailable && isUnprovoked(before, set);
  return { intents: isNews ? [degradedEvent(context, set)] : [], ...remember(context, set) };
};

/** Replicas come and go then, and its end is told of. */
const isUpdating: Query<boolean> = (context, set) => runningProgress(context, set) !== undefined;

/** Without replicas there is nothing to tell, and without a plan nothing is known of them. */
export const forgetHealth: Step = (context, set) =>
  set.problem === undefined ? { intents: [], ...remember(context, set) } : idle;

const healthBefore: Query<Health> = ({ health }, set) => health ?? persistedHealth(set);

function remember(context: SetContext, set: ObservedSet): Pick<Result, 'changes'> {
  const health = healthFound(context, set);
  return { changes: isSame(context.health, health) ? {} : { health } };
}

/** Nothing of the spec was being carried out when it happened. */
const isUnprovoked = (before: Health, set: ObservedSet): boolean =>
  before.isUpdated && before.generation === set.generation;

const healthFound: Query<Health> = (context, set) => ({
  generation: set.generation,
  isAvailable: set.replicas > 0 && replicasIn(context, 'availability.available') >= set.replicas,
  isUpdated: replicasIn(context, 'update.updated') >= set.replicas,
});

/** What the last status said, whoever wrote it. */
function persistedHealth({ status, replicas }: ObservedSet): Health {
  const available = count(status['availableReplicas']) ?? 0;
  const updated = count(status['updatedReplicas']) ?? 0;
  const meant = count(status['replicas']) ?? 0;
  return {
    generation: count(status['observedGeneration']) ?? 0,
    isAvailable: available > 0 && available >= Math.min(meant, replicas),
    isUpdated: updated >= meant,
  };
}

const isSame = (a: Health | undefined, b: Health): boolean =>
  a?.generation === b.generation && a.isAvailable === b.isAvailable && a.isUpdated === b.isUpdated;

function availableEvent(context: SetContext, set: ObservedSet): Intent {
  let gangs = 0;
  let pods = 0;
  for (const [, replica] of entries(context.replicas)) {
    for (const gang of replica.children.PodGang.values())
      if (living(gang, set) !== undefined) gangs++;
    for (const clique of replica.children.PodClique.values()) pods += clique.observed.readyReplicas;
  }
  const note = `all ${set.replicas} replicas are available: ${gangs} PodGangs, ${pods} pods ready`;
  return normal(set, 'PodCliqueSetAvailable', note);
}

function degradedEvent(context: SetContext, set: ObservedSet): Intent {
  const named: string[] = [];
  for (let index = 0; index < set.replicas && named.length < maxNamed; index++) {
    const replica = replicaAt(context, index);
    const [reason] = isIn(replica, 'availability.available') ? [] : whyReplica(set, index, replica);
    if (reason !== undefined) named.push(`replica ${index}: ${reason}`);
  }
  const lost = set.replicas - replicasIn(context, 'availability.available');
  const more = lost > maxNamed ? `; and ${lost - maxNamed} more` : '';
  const what = `${lost} of ${set.replicas} replicas are not available`;
  return warning(set, 'PodCliqueSetDegraded', `${what}: ${named.join('; ')}${more}`);
}
