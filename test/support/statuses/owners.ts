// What the statuses of a scaling group and a set must say, recomputed from specs and pods (spec
// controllers 2.2, 2.3). Part of mismatches.ts.
import { at, fieldsAt, labelsOf, listAt, numberAt, textAt, uidOf } from '#test/sim/fields.ts';
import { cliqueOf, isGoing, managed, moved, nameOf, ownerOf } from './podclique.ts';
import type { Cluster, Judged } from './podclique.ts';
import { orTermination, ownerReady, said } from './ready.ts';

const value = ({ conditions }: Judged, type: string): string | undefined =>
  conditions.find((one) => one.type === type)?.status;

/** A PodClique of this name that its owner has, with what its status must say. */
interface Child extends Judged {
  readonly clique: unknown;
  readonly least: number;
}

function childOf(cluster: Cluster, owner: unknown, name: string): Child | undefined {
  const clique = cluster.all('PodClique').find((one) => nameOf(one) === name);
  const isThere = clique !== undefined && ownerOf(clique) === uidOf(owner) && !isGoing(clique);
  if (!isThere) return undefined;
  return { ...cliqueOf(cluster, clique), clique, least: numberAt(clique, 'spec', 'minAvailable') };
}

const isChildReady = ({ fields, least }: Child): boolean =>
  Number(fields['readyReplicas']) >= least;

/** It has reached the template that it has, and the generation of the set. */
function isReached({ clique, fields }: Child, set: unknown): boolean {
  return (
    fields['currentPodTemplateHash'] === labelsOf(clique)['grove.io/pod-template-hash'] &&
    fields['currentPodCliqueSetGenerationHash'] === at(set, 'status', 'currentGenerationHash')
  );
}

const isUpdated = (child: Child, set: unknown): boolean =>
  isReached(child, set) &&
  isChildReady(child) &&
  Number(child.fields['updatedReplicas']) >= child.least;

const range = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

export function groupOf(cluster: Cluster, set: unknown, group: unknown): Judged {
  const name = nameOf(group);
  const replicas = numberAt(group, 'spec', 'replicas');
  const least = numberAt(group, 'spec', 'minAvailable');
  const rows = range(replicas).map((index) =>
    listAt(group, 'spec', 'cliqueNames').map((clique) =>
      childOf(cluster, group, `${name}-${index}-${String(clique)}`),
    ),
  );
  const whole = rows.flatMap((row) => {
    const there = row.filter((child) => child !== undefined);
    return there.length === row.length ? [there] : [];
  });
  const scheduled = whole.filter((row) =>
    row.every((child) => value(child, 'PodCliqueScheduled') === 'True'),
  );
  const available = scheduled.filter((row) => row.every(isChildReady));
  const updated = available.filter((row) => row.every((child) => isUpdated(child, set)));
  const done = updated.filter((row) => row.every(({ isSufficient }) => isSufficient)).length;
  const sound = whole.filter((row) =>
    row.every((child) => value(child, 'MinAvailableBreached') !== 'True'),
  ).length;
  const isMoving =
    whole.length === replicas && whole.every((row) => row.every((child) => isReached(child, set)));
  const hash = at(set, 'status', 'currentGenerationHash');
  const owner = `${managed},app.kubernetes.io/part-of=${nameOf(set)}`;
  const is = sound < least ? 'below' : 'meets';
  return {
    fields: {
      replicas,
      scheduledReplicas: scheduled.length,
      availableReplicas: available.length,
      updatedReplicas: updated.length,
      selector: `${owner},grove.io/podcliquescalinggroup=${name}`,
      ...moved(fieldsAt(group, 'status'), 'currentPodCliqueSetGenerationHash', isMoving, hash),
    },
    conditions: [
      said(
        'MinAvailableBreached',
        sound < least ? 'True' : 'False',
        `${sound < least ? 'Insufficient' : 'Sufficient'}AvailablePodCliqueScalingGroupReplicas`,
        `PCSG replicas not in breach (${sound}) ${is} MinAvailable (${least})`,
      ),
      ownerReady(
        { available: available.length, updated: updated.length, done },
        { wanted: replicas, least },
      ),
    ],
    isSufficient: done >= least && at(group, 'status', 'lastErrors') === undefined,
  };
}

export function setOf(cluster: Cluster, set: unknown): Judged {
  const replicas = numberAt(set, 'spec', 'replicas');
  const configs = listAt(set, 'spec', 'template', 'podCliqueScalingGroups');
  const grouped = new Set(configs.flatMap((config) => listAt(config, 'cliqueNames')));
  const rows = range(replicas).map((index) => ({
    cliques: listAt(set, 'spec', 'template', 'cliques')
      .filter((template) => !grouped.has(at(template, 'name')))
      .map((one) => childOf(cluster, set, `${nameOf(set)}-${index}-${textAt(one, 'name')}`)),
    groups: configs.map((config) => {
      const name = `${nameOf(set)}-${index}-${textAt(config, 'name')}`;
      const group = cluster.all('PodCliqueScalingGroup').find((one) => nameOf(one) === name);
      const isThere = group !== undefined && ownerOf(group) === uidOf(set) && !isGoing(group);
      return isThere ? { ...groupOf(cluster, set, group), group } : undefined;
    }),
  }));
  const available = rows.filter(
    ({ cliques, groups }) =>
      cliques.every((child) => child !== undefined && isChildReady(child)) &&
      groups.every(
        (one) =>
          one !== undefined &&
          Number(one.fields['availableReplicas']) >= numberAt(one.group, 'spec', 'minAvailable'),
      ),
  );
  const hash = at(set, 'status', 'currentGenerationHash');
  const updated = available.filter(
    ({ cliques, groups }) =>
      cliques.every((child) => child !== undefined && isUpdated(child, set)) &&
      groups.every((one) => one?.fields['currentPodCliqueSetGenerationHash'] === hash),
  );
  const done = updated.filter(({ cliques, groups }) =>
    [...cliques, ...groups].every((one) => one?.isSufficient === true),
  ).length;
  return {
    fields: {
      replicas,
      availableReplicas: available.length,
      updatedReplicas: updated.length,
      hpaPodSelector: `${managed},app.kubernetes.io/part-of=${nameOf(set)}`,
      currentGenerationHash: hash,
    },
    conditions: [
      orTermination(
        ownerReady(
          { available: available.length, updated: updated.length, done },
          { wanted: replicas },
        ),
        at(set, 'status'),
      ),
    ],
    isSufficient: false,
  };
}
