// Judges which PodCliques a process of a history decides to delete that their owner wants: only in
// a replica where, as the process knows, something is below its minimum for the whole delay that
// was not so before, by all that was ever written. It knows nothing of how the machines decide.
import { at, count, list, text } from '#machines/kubernetes/json.ts';
import { controllerOf, type KubeObject } from '#machines/kubernetes/objects.ts';
import { epoch } from '#machines/kubernetes/time.ts';
import type { Judge, LateWorld } from './late-world.ts';
import { kindOf, type WriteIntent } from './world-store.ts';

const indexLabel = 'grove.io/podcliqueset-replica-index';
const groupIndexLabel = 'grove.io/podcliquescalinggroup-replica-index';

export class TerminationJudge implements Judge {
  readonly violations: string[] = [];
  /** Deletions of PodCliques that were wanted. */
  judged = 0;
  readonly #delayMs: number;
  /** UIDs of what was good once. */
  readonly #good = new Set<string>();
  /** UIDs of PodCliques that were there when the process began to terminate their replica: it goes
   *  on, also where one recovers. */
  readonly #begun = new Set<string>();

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  restarted(): void {
    this.#begun.clear();
  }

  landed(intent: WriteIntent): void {
    if (intent.type !== 'writeStatus') return;
    const { kind } = intent.ref;
    const isGood =
      kind === 'PodClique'
        ? statusOf(intent.status, 'PodCliqueScheduled') === 'True'
        : statusOf(intent.status, 'MinAvailableBreached') === 'False';
    if (isGood) this.#good.add(intent.uid);
  }

  decided(intent: WriteIntent, { known, store }: LateWorld): void {
    if (intent.type !== 'deleteObject' || intent.ref.kind !== 'PodClique') return;
    const objects = [...known];
    const victim = objects.find(({ metadata }) => metadata.uid === intent.uid);
    if (victim === undefined || !isWanted(objects, victim)) return;
    this.judged++;
    const index = victim.metadata.labels?.[indexLabel];
    const replica = objects.filter(({ metadata }) => metadata.labels?.[indexLabel] === index);
    if (replica.some((one) => this.#isDue(one, store.now))) {
      for (const { kind, metadata } of replica) {
        if (kind === 'PodClique') this.#begun.add(metadata.uid ?? '');
      }
    }
    if (this.#begun.has(intent.uid) || mayBeUpdated(objects, victim)) return;
    this.violations.push(`${victim.metadata.name} goes, and nothing in its replica is due`);
  }

  #isDue(one: KubeObject, now: number): boolean {
    if (one.metadata.deletionTimestamp !== undefined) return false;
    const breach = conditionOf(one['status'], 'MinAvailableBreached');
    const since = epoch(at(breach, 'lastTransitionTime')) ?? Infinity;
    const isLong = at(breach, 'status') === 'True' && since + this.#delayMs <= now;
    return isLong && this.#good.has(one.metadata.uid ?? '');
  }
}

const generation = 'grove.io/podcliqueset-generation-hash';

/** The replica of a group that it is in has a member of an older generation (spec controllers
 *  5.6). */
function mayBeUpdated(objects: readonly KubeObject[], victim: KubeObject): boolean {
  const index = victim.metadata.labels?.[groupIndexLabel];
  const uid = controllerOf(victim)?.uid;
  const group = objects.find(({ metadata }) => metadata.uid === uid);
  const set = objects.find(({ metadata }) => metadata.uid === controllerOf(group ?? victim)?.uid);
  const members = objects.filter(
    (one) => controllerOf(one)?.uid === uid && one.metadata.labels?.[groupIndexLabel] === index,
  );
  const now = at(set, 'status', 'currentGenerationHash');
  const isOld = members.some(({ metadata }) => metadata.annotations?.[generation] !== now);
  const chosen = ['status', 'updateProgress', 'readyReplicaIndicesSelectedToUpdate', 'current'];
  const ready = members.filter(
    (one) =>
      one.metadata.deletionTimestamp === undefined &&
      statusOf(one['status'], 'PodCliqueScheduled') === 'True' &&
      (count(at(one, 'status', 'readyReplicas')) ?? 0) >=
        (count(at(one, 'spec', 'minAvailable')) ?? 1),
  );
  const isReady = ready.length === list(at(group, 'spec', 'cliqueNames')).length;
  return index !== undefined && isOld && (!isReady || String(at(group, ...chosen)) === index);
}

const conditionOf = (status: unknown, type: string): unknown =>
  list(at(status, 'conditions')).find((one) => at(one, 'type') === type);

const statusOf = (status: unknown, type: string): string =>
  text(at(conditionOf(status, type), 'status'));

/** Its owner is there, stays, and has not been scaled below it. */
function isWanted(objects: readonly KubeObject[], clique: KubeObject): boolean {
  const ownerOf = (one: KubeObject): KubeObject | undefined =>
    objects.find(({ metadata }) => metadata.uid === controllerOf(one)?.uid);
  const owner = ownerOf(clique);
  if (owner === undefined || owner.metadata.deletionTimestamp !== undefined) return false;
  const isMember = kindOf(owner) === 'PodCliqueScalingGroup';
  const label = isMember ? groupIndexLabel : indexLabel;
  const index = Number(clique.metadata.labels?.[label]);
  if (index >= (count(at(owner, 'spec', 'replicas')) ?? 0)) return false;
  if (!isMember) return true;
  const set = ownerOf(owner);
  if (set === undefined || set.metadata.deletionTimestamp !== undefined) return false;
  return Number(clique.metadata.labels?.[indexLabel]) < (count(at(set, 'spec', 'replicas')) ?? 0);
}
