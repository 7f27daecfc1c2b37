// What an update may take away: pods and members of an older template, one that is ready only when
// it is its turn and the minimum stays served until then (spec controllers 5.4, 5.6, 5.7). Part of
// decisions.ts.
import type { Stored } from '#src/devcluster/contract.ts';
import { conditionOf } from '#src/bench/onlooker.ts';
import { at, fieldsAt, labelsOf, listAt, numberAt, templateHashOf, textAt } from '../fields.ts';
import { nameOf } from './complaints.ts';
import { controllerOf, isGoing, type Look, type Shown } from './shown.ts';
import type { OracleName, Tally } from './tally.ts';
import { contentOf } from './templates.ts';

const index = 'grove.io/podcliquescalinggroup-replica-index';
const setReplica = 'grove.io/podcliqueset-replica-index';

interface Parts {
  readonly shown: Shown;
  readonly tally: Tally;
  readonly violate: (what: string) => void;
  /** Messages between its actors are lost: some may not have heard whose turn it is. */
  readonly isDeaf: boolean;
}

export class Updates {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The pod goes since it is old, by some look at it and at its PodClique. `others`: the pods that
   *  stay. */
  takesPod(cliques: readonly Look[], pods: readonly Stored[], others: readonly Stored[]): boolean {
    const old = cliques.filter((clique) => pods.some((pod) => isOldPod(clique, pod)));
    if (old.length === 0) return false;
    const ready = others.filter(isReadyPod).length + 1;
    const isServed = !pods.every(isReadyPod) || old.some((clique) => ready >= minimumOf(clique));
    this.#judge('delete of an old pod', pods[0], isServed);
    return true;
  }

  /** The PodClique goes with a replica of its scaling group, some member of which is old.
   *  `isTerminated`: whether it may go anyway. */
  takesMember(member: unknown, isTerminated: () => boolean): boolean {
    const place = labelsOf(member)[index];
    if (place === undefined) return false;
    const { shown } = this.#parts;
    const members = shown.possibly(controllerOf(member), 'grove.io/podcliques', isThere);
    const own = members.filter((one) => labelsOf(one)[index] === place);
    const old = shown.looks(controllerOf(member)).filter((group) => {
      const sets = shown.looks(controllerOf(group));
      const isOld = own.some((one) => sets.some((set) => isOldMember(set, group, one)));
      const chosen = ['status', 'updateProgress', 'readyReplicaIndicesSelectedToUpdate', 'current'];
      return isOld && (String(at(group, ...chosen)) === place || !isWhole(group, own));
    });
    if (old.length === 0) return false;
    const replicas = [...Map.groupBy(members, (one) => labelsOf(one)[index]).values()];
    const isServed = old.some((group) => {
      const whole = replicas.filter((ones) => isWhole(group, ones));
      return !isWhole(group, own) || whole.length >= minimumOf(group);
    });
    this.#judge('delete of an old member', member, isServed, isTerminated);
    return true;
  }

  #judge(oracle: OracleName, taken: unknown, isServed: boolean, mayGo = () => false): void {
    const { shown, tally, violate, isDeaf } = this.#parts;
    if (isDeaf) return tally.abstained(oracle, 'messages are lost');
    tally.judged(oracle);
    const { namespace } = fieldsAt(taken, 'metadata');
    const set = labelsOf(taken)['app.kubernetes.io/part-of'] ?? '';
    const looks = shown.looksAt('grove.io/podcliquesets', String(namespace), set);
    const replica = labelsOf(taken)[setReplica];
    const isInTurn = looks.some((look) => isTurn(look, replica));
    if ((isInTurn && isServed) || mayGo()) return;
    const why = isInTurn ? 'from less than a minimum' : 'out of turn';
    violate(`takes ${nameOf(taken)}, which is of an older template, ${why}`);
  }
}

/** The update has come to this replica, or none runs, and nothing holds it. */
function isTurn(set: Look, replica: string | undefined): boolean {
  if (set === undefined || textAt(set, 'spec', 'updateStrategy', 'type') === 'OnDelete')
    return false;
  if (at(set, 'metadata', 'annotations', 'grove.io/pause-update') === 'true') return false;
  const progress = fieldsAt(set, 'status', 'updateProgress');
  const isRunning = 'updateStartedAt' in progress && !('updateEndedAt' in progress);
  const [selected] = listAt(progress, 'currentlyUpdating');
  return !isRunning || String(at(selected, 'replicaIndex')) === replica;
}

function isOldPod(clique: Look, pod: Stored): boolean {
  if (clique === undefined || templateHashOf(clique) === templateHashOf(pod)) return false;
  // The deletion of one that was chosen before may come late.
  const chosen = fieldsAt(clique, 'status', 'updateProgress', 'readyPodsSelectedToUpdate');
  const isChosen = [chosen['current'], ...listAt(chosen, 'completed')].includes(nameOf(pod));
  return !isReadyPod(pod) || isChosen;
}

/** Its template says something else than that of the set. */
function isOldMember(set: Look, group: Look, member: Stored): boolean {
  const prefix = `${nameOf(group)}-${labelsOf(member)[index]}-`;
  const template = listAt(set, 'spec', 'template', 'cliques').find(
    (one) => `${prefix}${textAt(one, 'name')}` === nameOf(member),
  );
  const wanted = contentOf(at(template, 'labels'), template);
  return template !== undefined && contentOf(labelsOf(member), member) !== wanted;
}

/** Or what is wanted, where that is less. */
const minimumOf = (owner: Look): number =>
  Math.min(numberAt(owner, 'spec', 'minAvailable'), numberAt(owner, 'spec', 'replicas'));

const isThere = (one: Look): boolean => one !== undefined;

const isReadyPod = (pod: Stored): boolean => conditionOf(pod, 'Ready') === 'True';

/** A replica of a group is ready by members that are all there, and stay. */
const isWhole = (group: Look, members: readonly Stored[]): boolean =>
  members.length >= listAt(group, 'spec', 'cliqueNames').length && members.every(isReady);

const isReady = (clique: Stored): boolean =>
  !isGoing(clique) &&
  conditionOf(clique, 'PodCliqueScheduled') === 'True' &&
  numberAt(clique, 'status', 'readyReplicas') >= numberAt(clique, 'spec', 'minAvailable');
