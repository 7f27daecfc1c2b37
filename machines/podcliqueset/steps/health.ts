// People are told when all replicas have become available, and when some stopped being so
// without a change of the spec. On change only: what was said last is remembered, and read off the
// status after a restart.
import { count } from '../../json.ts';
import type { Intent } from '../../vocabulary.ts';
import { entries } from '../../radix.ts';
import { living, replicaAt } from '../context.ts';
import type { Health, SetContext, Step } from '../context.ts';
import type { SetFact } from '../facts.ts';
import { whyReplica } from '../explain.ts';

/** Replicas named in a note. */
const maxNamed = 3;

/** After the replicas were planned: `context` holds what was found. */
export const announceHealth: Step = (context, set) => {
  const before = context.health ?? healthSaid(set);
  const now = healthFound(context, set);
  const changes = isSame(context.health, now) ? {} : { health: now };
  if (now.isAvailable && !before.isAvailable) {
    return { intents: [availableEvent(context, set)], changes };
  }
  const isLoss = before.isAvailable && !now.isAvailable && set.replicas > 0;
  return isLoss && isUnprovoked(before, set)
    ? { intents: [degradedEvent(context, set)], changes }
    : { intents: [], changes };
};

/** Nothing of the spec was being carried out when it happened. */
const isUnprovoked = (before: Health, set: SetFact): boolean =>
  before.isUpdated && before.generation === set.generation;

const healthFound = ({ totals }: SetContext, set: SetFact): Health => ({
  generation: set.generation,
  isAvailable: set.replicas > 0 && totals.available >= set.replicas,
  isUpdated: totals.updated >= set.replicas,
});

/** What the last status said, whoever wrote it. */
function healthSaid({ status, replicas }: SetFact): Health {
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

const regarding = ({ namespace, name, uid }: SetFact) =>
  ({ kind: 'PodCliqueSet', namespace, name, uid }) as const;

function availableEvent(context: SetContext, set: SetFact): Intent {
  let gangs = 0;
  let pods = 0;
  for (const [, replica] of entries(context.replicas)) {
    for (const gang of replica.gangs.values()) if (living(gang, set) !== undefined) gangs++;
    for (const clique of replica.cliques.values()) pods += clique.observed.readyReplicas;
  }
  return {
    type: 'recordEvent',
    regarding: regarding(set),
    severity: 'Normal',
    reason: 'PodCliqueSetAvailable',
    note: `all ${set.replicas} replicas are available: ${gangs} PodGangs, ${pods} pods ready`,
  };
}

function degradedEvent(context: SetContext, set: SetFact): Intent {
  const named: string[] = [];
  for (let index = 0; index < set.replicas && named.length < maxNamed; index++) {
    const replica = replicaAt(context, index);
    const [reason] = replica.isAvailable ? [] : whyReplica(set, index, replica);
    if (reason !== undefined) named.push(`replica ${index}: ${reason}`);
  }
  const lost = set.replicas - context.totals.available;
  const more = lost > maxNamed ? `; and ${lost - maxNamed} more` : '';
  return {
    type: 'recordEvent',
    regarding: regarding(set),
    severity: 'Warning',
    reason: 'PodCliqueSetDegraded',
    note: `${lost} of ${set.replicas} replicas are not available: ${named.join('; ')}${more}`,
  };
}
