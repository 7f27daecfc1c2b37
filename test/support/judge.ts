// Judges which pods a process of a history decides to create and delete, by what it has been shown
// then, and what came of it at the server: never more live pods of a PodClique than were wanted by
// the wish that it acted on, and no index twice.
import { at, count, text } from '#machines/kubernetes/json.ts';
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
    const others = livePods(objects, ownerOf(pod)).filter(
      ({ metadata }) => metadata.uid === uid || !this.#podsToDelete.has(metadata.uid ?? ''),
    );
    const hasTwin = others.some((other) => other !== pod && hostOf(other) === hostOf(pod));
    if (others.length > desired || hasTwin) return;
    this.violations.push(`${pod.metadata.name} of ${namesOf(others)} goes, ${desired} are wanted`);
  }
}

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
