// What the statuses of a set and its children must say, recomputed from specs and pods alone, from
// the specification and not from the code under test (spec controllers 2). Covered, to the letter:
//
// - PodClique: replicas, readyReplicas, scheduledReplicas, scheduleGatedReplicas, updatedReplicas,
//   currentPodTemplateHash, currentPodCliqueSetGenerationHash, hpaPodSelector, observedGeneration,
//   lastErrors; conditions PodCliqueScheduled, MinAvailableBreached, Ready.
// - PodCliqueScalingGroup: replicas, scheduledReplicas, availableReplicas, updatedReplicas,
//   selector, currentPodCliqueSetGenerationHash, observedGeneration, lastErrors; conditions
//   MinAvailableBreached, Ready.
// - PodCliqueSet: replicas, availableReplicas, updatedReplicas, hpaPodSelector,
//   currentGenerationHash, observedGeneration, lastErrors; condition Ready, and no other.
// - PodGang: phase; condition Initialized.
//
// Of each condition: status, reason, message, observedGeneration. A field that is not listed fails.
// Not judged: lastTransitionTime, which status-judge.ts judges, and updateProgress. A value that
// depends on the past, such as a hash that moves at times, may stay what it was.
import type { Kind } from '#machines/kinds.ts';
import { at, fieldsAt, listAt, numberAt, textAt, uidOf } from '#test/sim/fields.ts';
import { groupOf, setOf } from './owners.ts';
import { cliqueOf, isGoing, moved, nameOf, ownerOf, podsOf } from './podclique.ts';
import type { Cluster, Fields, Judged } from './podclique.ts';
import { said } from './ready.ts';

export interface Mismatch {
  readonly object: string;
  readonly is: unknown;
  readonly expected: unknown;
}

/**
 * Everything that a status says and should not, in a cluster that has come to quiet. `isCalm`: all
 * writes were accepted and all pods could run, so nothing fails, lags or waits.
 */
export function* statusMismatches(cluster: Cluster, isCalm: boolean): Iterable<Mismatch> {
  const judge = (kind: Kind, judged: (one: unknown) => Judged | undefined) =>
    cluster
      .all(kind)
      .filter((one) => !isGoing(one))
      .flatMap((one) => mismatchOf(`${kind} ${nameOf(one)}`, one, judged(one), isCalm));
  const setAbove = (one: unknown): unknown =>
    cluster.all('PodCliqueSet').find((set) => uidOf(set) === ownerOf(one));
  yield* judge('PodClique', (clique) => cliqueOf(cluster, clique));
  yield* judge('PodCliqueScalingGroup', (group) => {
    const set = setAbove(group);
    return set === undefined ? undefined : groupOf(cluster, set, group);
  });
  yield* judge('PodCliqueSet', (set) => setOf(cluster, set));
  for (const gang of cluster.all('PodGang')) yield* gangMismatch(cluster, gang, isCalm);
}

function mismatchOf(
  object: string,
  one: unknown,
  judged: Judged | undefined,
  isCalm: boolean,
): readonly Mismatch[] {
  if (judged === undefined) return [];
  const { conditions, updateProgress: _, ...fields } = fieldsAt(one, 'status');
  const generation = numberAt(one, 'metadata', 'generation');
  const isBehind = !isCalm && fields['observedGeneration'] !== generation;
  const errors = isCalm ? undefined : fields['lastErrors'];
  const rows = listAt({ conditions }, 'conditions');
  const said = rows.map((row) => {
    const { lastTransitionTime: __, ...rest } = fieldsAt(row);
    return isBehind ? { ...rest, observedGeneration: generation } : rest;
  });
  const failure = rows.find((row) => at(row, 'type') === 'Ready');
  const wanted = judged.conditions.map((row) => ({
    ...(errors !== undefined && row.type === 'Ready'
      ? { ...row, status: 'False', reason: 'ReconcileFailed', message: textAt(failure, 'message') }
      : row),
    observedGeneration: generation,
  }));
  const is = { ...fields, conditions: sorted(said) };
  const expected = {
    ...judged.fields,
    ...(isBehind
      ? moved(fields, 'observedGeneration', false, 0)
      : { observedGeneration: generation }),
    ...(errors === undefined ? {} : { lastErrors: errors }),
    conditions: sorted(wanted),
  };
  return isSame(is, expected) ? [] : [{ object, is, expected }];
}

/** Initialized and Running are never taken back, so either may be there from before. */
function* gangMismatch(cluster: Cluster, gang: unknown, isCalm: boolean): Iterable<Mismatch> {
  if (isGoing(gang)) return;
  const isRunning = listAt(gang, 'spec', 'podgroups').every((group) => {
    const clique = cluster.all('PodClique').find((one) => nameOf(one) === textAt(group, 'name'));
    const running = podsOf(cluster, clique).filter(
      (pod) => !isGoing(pod) && textAt(pod, 'status', 'phase') === 'Running',
    );
    return clique !== undefined && running.length >= numberAt(group, 'minReplicas');
  });
  const rows = listAt(gang, 'status', 'conditions').map((row) => {
    const { lastTransitionTime: _, ...rest } = fieldsAt(row);
    return rest;
  });
  const phase = textAt(gang, 'status', 'phase');
  const initialized = said(
    'Initialized',
    'True',
    'PodGangPodsCreated',
    'PodGang is fully initialized',
  );
  const isSilent = at(gang, 'status') === undefined;
  if (!isCalm && isSilent) return;
  const isMust = isCalm || isRunning;
  const expected = { phase: isMust && isRunning ? 'Running' : phase, conditions: [initialized] };
  const is = { phase, conditions: rows };
  const isPhase = ['Pending', 'Running'].includes(phase);
  if (!isSame(is, expected) || !isPhase) {
    yield { object: `PodGang ${nameOf(gang)}`, is, expected };
  }
}

const sorted = (rows: readonly Fields[]): readonly Fields[] =>
  rows.toSorted((a, b) => (String(a['type']) < String(b['type']) ? -1 : 1));

const isSame = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
