// Judges which pods a process of a history decides to create and delete, by what it has been shown
// then, and what came of it at the server: never more live pods of a PodClique than were wanted by
// the wish that it acted on, and no index twice.
import { at, count, list, text } from '#machines/kubernetes/json.ts';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { Judge, LateWorld } from './late-world.ts';
import { kindOf, type WriteIntent } from './world-store.ts';

export class PodJudge implements Judge {
  readonly violations: string[] = [];
  /** The wish that a create was decided by. */
  readonly #desiredStates = new WeakMap<WriteIntent, number>();
  /** UIDs of the pods that the process has asked to delete. */
  readonly #podsToDelete = new Set<string>();

  restarted(): void {
    this.#podsToDelete.clear();
  }

  decided(intent: WriteIntent, world: LateWorld): void {
    if (intent.ref.kind !== 'Pod') return;
    if (intent.type === 'createObject') this.#judgeCreate(intent, world);
    if (intent.type === 'deleteObject') this.#judgeDelete(intent.uid, world);
  }

  landed(intent: WriteIntent, { store }: LateWorld): void {
    const desired = this.#desiredStates.get(intent);
    if (desired === undefined || intent.type !== 'createObject') return;
    const live = livePods(store.objects.values(), ownerOf(intent.body));
    const hosts = live.map(hostOf);
    if (live.length > desired)
      this.violations.push(`${namesOf(live)} live and ${desired} are wanted`);
    if (new Set(hosts).size < hosts.length) {
      this.violations.push(`${namesOf(live)} share a host name: ${hosts.join(', ')}`);
    }
  }

  #judgeCreate(
    intent: Extract<WriteIntent, { type: 'createObject' }>,
    { known, inFlight }: LateWorld,
  ): void {
    const owner = ownerOf(intent.body);
    const objects = [...known];
    const desired = desiredOf(objects, owner);
    if (desired === undefined) {
      this.violations.push(`${intent.ref.name} is created for a PodClique that is not known`);
      return;
    }
    this.#desiredStates.set(intent, desired);
    const live = livePods(objects, owner);
    const coming = inFlight.filter(
      (other) =>
        other.type === 'createObject' &&
        ownerOf(other.body) === owner &&
        !live.some((pod) => pod.metadata.name === other.ref.name),
    );
    if (live.length + coming.length >= desired) {
      const known = `${namesOf(live)} and ${coming.length} under way`;
      this.violations.push(
        `${intent.ref.name} is created beside ${known}, and ${desired} are wanted`,
      );
    }
  }

  #judgeDelete(uid: string, { known }: LateWorld): void {
    const objects = [...known];
    const pod = objects.find(({ metadata }) => metadata.uid === uid);
    const isAgain = this.#podsToDelete.has(uid);
    this.#podsToDelete.add(uid);
    if (isAgain || pod === undefined || !isLive(pod)) return;
    const desired = desiredOf(objects, ownerOf(pod));
    if (desired === undefined) return;
    if (isOld(objects, pod)) return this.#judgeUpdate(objects, pod);
    const others = livePods(objects, ownerOf(pod)).filter(
      ({ metadata }) => metadata.uid === uid || !this.#podsToDelete.has(metadata.uid ?? ''),
    );
    const hasTwin = others.some((other) => other !== pod && hostOf(other) === hostOf(pod));
    if (others.length > desired || hasTwin) return;
    this.violations.push(`${pod.metadata.name} of ${namesOf(others)} goes, ${desired} are wanted`);
  }

  /** One that is ready goes when the statuses say so, of its set whose turn it is and of its
   *  PodClique which pod, and when the minimum is there. */
  #judgeUpdate(objects: readonly KubeObject[], pod: KubeObject): void {
    const clique = objects.find(({ metadata }) => metadata.uid === ownerOf(pod));
    if (!isReady(pod) || isSurplus(objects, clique)) return;
    const { name } = pod.metadata;
    const progress = ['status', 'updateProgress'];
    const chosen = at(clique, ...progress, 'readyPodsSelectedToUpdate', 'current');
    if (chosen !== name) this.violations.push(`${name} goes, and ${text(chosen)} is chosen`);
    const set = objects.find((one) => kindOf(one) === 'PodCliqueSet');
    const [turn] = list(at(set, ...progress, 'currentlyUpdating'));
    const index = clique?.metadata.labels?.['grove.io/podcliqueset-replica-index'];
    const isTurn = turn === undefined || String(at(turn, 'replicaIndex')) === index;
    if (!isTurn)
      this.violations.push(`${name} goes, and it is the turn of ${JSON.stringify(turn)}`);
    const ready = livePods(objects, ownerOf(pod)).filter(
      (one) => isReady(one) && (one === pod || !this.#podsToDelete.has(one.metadata.uid ?? '')),
    );
    const [most = 1, minimum = 1] = ['replicas', 'minAvailable'].map((field) =>
      count(at(clique, 'spec', field)),
    );
    const least = Math.min(most, minimum);
    if (ready.length < least) this.violations.push(`${name} goes of ${namesOf(ready)}`);
  }
}

const hashLabel = 'grove.io/pod-template-hash';

const isOld = (objects: readonly KubeObject[], pod: KubeObject): boolean => {
  const clique = objects.find(({ metadata }) => metadata.uid === ownerOf(pod));
  return clique?.metadata.labels?.[hashLabel] !== pod.metadata.labels?.[hashLabel];
};

const isReady = (pod: KubeObject): boolean =>
  list(at(pod, 'status', 'conditions')).some(
    (one) => at(one, 'type') === 'Ready' && at(one, 'status') === 'True',
  );

const isSurplus = (objects: readonly KubeObject[], clique: KubeObject | undefined): boolean =>
  livePods(objects, clique?.metadata.uid ?? '').length >
  (count(at(clique, 'spec', 'replicas')) ?? 0);

/** Undefined where the PodClique is going or not known. */
function desiredOf(objects: readonly KubeObject[], uid: string): number | undefined {
  const clique = objects.find(({ metadata }) => metadata.uid === uid);
  const isGoing = clique?.metadata.deletionTimestamp !== undefined;
  return clique === undefined || isGoing ? undefined : count(at(clique, 'spec', 'replicas'));
}

const livePods = (objects: Iterable<KubeObject>, owner: string): readonly KubeObject[] =>
  [...objects].filter((one) => kindOf(one) === 'Pod' && ownerOf(one) === owner && isLive(one));

const isLive = (pod: KubeObject): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  !['Failed', 'Succeeded'].includes(text(at(pod, 'status', 'phase')) ?? '');

const ownerOf = (one: KubeObject): string => controllerOf(one)?.uid ?? '';
const hostOf = (pod: KubeObject): string => text(at(pod, 'spec', 'hostname')) ?? '';
const namesOf = (pods: readonly KubeObject[]): string =>
  pods.map(({ metadata }) => metadata.name).join(', ');
