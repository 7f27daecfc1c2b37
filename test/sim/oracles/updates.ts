// What an update may take away: pods and members of an older template, where they are not ready or
// where the status of their owner names them (spec controllers 5.6, 5.7). Part of decisions.ts.
import type { Stored } from '#src/devcluster/contract.ts';
import { conditionOf } from '#test/support/onlooker.ts';
import { at, labelsOf, numberAt, textAt } from '../fields.ts';
import { nameOf } from './complaints.ts';
import { controllerOf, type Look, type Shown } from './shown.ts';

const hash = 'grove.io/pod-template-hash';
const generation = 'grove.io/podcliqueset-generation-hash';
const index = 'grove.io/podcliquescalinggroup-replica-index';

/** By some look at its PodClique. */
export const looksOld = (cliques: readonly Look[], pod: Stored): boolean =>
  cliques.some((clique) => isOldPod(clique, pod));

function isOldPod(clique: Look, pod: Stored): boolean {
  if (clique === undefined || labelsOf(clique)[hash] === labelsOf(pod)[hash]) return false;
  const chosen = ['status', 'updateProgress', 'readyPodsSelectedToUpdate', 'current'];
  return conditionOf(pod, 'Ready') !== 'True' || textAt(clique, ...chosen) === nameOf(pod);
}

/** The PodClique is of a replica of a scaling group, and that has a member of an older generation
 *  than the one that the status of the set says. */
export function isOfOldReplica(shown: Shown, member: unknown): boolean {
  const place = labelsOf(member)[index];
  if (place === undefined) return false;
  const owner = controllerOf(member);
  const isThere = (one: Look): boolean => one !== undefined && labelsOf(one)[index] === place;
  const members = shown.possibly(owner, 'grove.io/podcliques', isThere);
  return shown.looks(owner).some((group) => {
    const hashes = shown
      .looks(controllerOf(group))
      .map((set) => textAt(set, 'status', 'currentGenerationHash'));
    const isOld = members.some((one) =>
      hashes.some((now) => now !== textAt(one, 'metadata', 'annotations', generation)),
    );
    const chosen = ['status', 'updateProgress', 'readyReplicaIndicesSelectedToUpdate', 'current'];
    const isChosen = String(at(group, ...chosen)) === place;
    return isOld && (isChosen || !members.every(isReady));
  });
}

const isReady = (clique: Stored): boolean =>
  conditionOf(clique, 'PodCliqueScheduled') === 'True' &&
  numberAt(clique, 'status', 'readyReplicas') >= numberAt(clique, 'spec', 'minAvailable');
