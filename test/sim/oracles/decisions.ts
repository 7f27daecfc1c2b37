// Judges what one process decides - which pods it creates, deletes and lets be scheduled, which
// children it makes and takes away - as it hands the write to its client, by what it had been shown
// until then and what it has under way itself. Fed by witness.ts.
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { at, labelsOf, textAt, uidOf } from '../fields.ts';
import { nameOf } from './complaints.ts';
import { Excesses } from './excesses.ts';
import { isGated, listedBy } from './gates.ts';
import { isMarked } from './marks.ts';
import { type Place, placeOf } from './place.ts';
import {
  controllerOf,
  isGoing,
  isLive,
  isThere,
  mostWanted,
  replicasOf,
  type PodDecision,
  type Shown,
} from './shown.ts';
import type { OracleName, Tally } from './tally.ts';
import { Updates } from './updates.ts';

export interface DecisionOptions {
  readonly life: number;
  readonly shown: Shown;
  readonly tally: Tally;
  /** How many changes of hands there have been: who gains a shard anew decides anew. */
  readonly moment: () => number;
  readonly violate: (what: string) => void;
  /** Messages between its actors are lost. */
  readonly isDeaf: boolean;
  /** A pod is about to be asked for. */
  readonly decided: (clique: string, name: string, decision: PodDecision) => void;
  readonly mayTerminate: (clique: Stored) => boolean;
  /** A pod is about to be deleted. */
  readonly deletesPod: (pod: string) => void;
}

interface Creating {
  readonly clique: string;
  readonly name: string;
  readonly index: string;
}

/** The label of a child that says of which replica it is, by the kind of its owner. */
const indexLabelOf: Readonly<Record<string, string>> = {
  PodCliqueSet: 'grove.io/podcliqueset-replica-index',
  PodCliqueScalingGroup: 'grove.io/podcliquescalinggroup-replica-index',
};
const indexLabels = Object.values(indexLabelOf);

export class Decisions {
  readonly #options: DecisionOptions;
  /** Creates of pods without an answer so far. */
  readonly #creating = new Map<unknown, Creating>();
  /** Pods that it has asked to delete, by UID, and at which moment. */
  readonly #podsToDelete = new Map<string, number>();

  readonly #excesses = new Excesses();
  readonly #updates: Updates;
  /** The server has asked it to wait with writes of pods: what it chose by then may come late. */
  #wasHeldUp = false;

  constructor(options: DecisionOptions) {
    this.#options = options;
    this.#updates = new Updates({ ...options, violate: (what) => this.#violate(what) });
  }

  /** The process was shown something of this PodClique, or of a pod of it. */
  noticed(clique: string): void {
    const { shown, moment } = this.#options;
    const wished = shown.looks(clique).at(-1);
    const desired = isThere(wished) ? replicasOf(wished) : undefined;
    this.#excesses.notice(clique, desired, this.#staying(clique), moment());
  }

  judge(request: KubeRequest): void {
    const { method, path, body } = request;
    const place = placeOf(path);
    if (method === 'GET' || place.plural === 'events' || place.plural === 'leases') return;
    if (method === 'POST') {
      if (place.plural === 'pods') this.#judgePodCreate(body);
      else this.#judgeChild('child create', place.plural, body);
    }
    if (method === 'DELETE') this.#judgeDelete(place, textAt(body, 'preconditions', 'uid'));
    if (method !== 'PATCH') return;
    const isGates = Array.isArray(at(body, 'spec', 'schedulingGates'));
    if (place.plural === 'pods' && isGates) this.#judgeGate(body);
    const isLetGo = Array.isArray(at(body, 'metadata', 'finalizers'));
    const uid = textAt(body, 'metadata', 'uid');
    if (place.plural === 'computedomains' && isLetGo) this.#judgeDomainEnd(uid);
  }

  answered({ method, path, body }: KubeRequest, status: number | undefined): void {
    this.#creating.delete(body);
    const isRefusal = status === 429 || status === 503 || status === 504;
    if (isRefusal && method !== 'GET' && placeOf(path).plural === 'pods') this.#wasHeldUp = true;
  }

  // -- pods ---------------------------------------------------------------------------------------

  #judgePodCreate(pod: unknown): void {
    const { shown, decided } = this.#options;
    const clique = controllerOf(pod);
    const name = nameOf(pod);
    const index = indexOf(pod);
    const desired = this.#mostWanted(clique, name);
    const known = shown.surely(clique, '/pods', isLive);
    // A pod of that name makes the server refuse this one.
    const stay = known.filter(
      (other) => !this.#podsToDelete.has(uidOf(other)) && nameOf(other) !== name,
    );
    const coming = [...this.#creating.values()].filter(
      (each) =>
        each.clique === clique &&
        each.name !== name &&
        !known.some((other) => nameOf(other) === each.name),
    );
    const all = shown.possibly(clique, '/pods', (pod) => pod !== undefined);
    const isUnderWay = (): boolean => this.#creating.has(pod);
    decided(clique, name, { desired: desired ?? 0, known: new Set(all.map(uidOf)), isUnderWay });
    this.#creating.set(pod, { clique, name, index });
    this.#judged('pod create');
    if (desired !== undefined && stay.length + coming.length >= desired) {
      const others = [...stay.map(nameOf), ...coming.map((each) => `${each.name} (under way)`)];
      this.#violate(
        `creates pod ${name} though ${desired} are wanted and it knows ${others.join(', ')}`,
      );
    }
    if ([...stay.map(indexOf), ...coming.map((each) => each.index)].includes(index))
      this.#violate(`creates pod ${name} though it knows another one with index ${index}`);
    if (!isGated(pod)) this.#judgeListed(pod);
  }

  /** The most that it may take for wanted; undefined, and said, where it knows of no wish. */
  #mostWanted(clique: string, name: string): number | undefined {
    const most = mostWanted(this.#options.shown, clique);
    if (most !== undefined) return most;
    this.#violate(`creates pod ${name} for a PodClique that it knows to be going, or not at all`);
    return undefined;
  }

  #judgePodDelete(uid: string): void {
    const { shown, moment, deletesPod } = this.#options;
    // Once chosen a pod goes, however often that has to be asked for: it may be going already.
    const isAgain = this.#podsToDelete.get(uid) === moment();
    this.#podsToDelete.set(uid, moment());
    this.#forgetEnded();
    deletesPod(uid);
    if (isAgain) return;
    const looks = shown.looks(uid);
    const pods = looks.filter((look) => look !== undefined);
    const [pod] = pods;
    if (pod === undefined && !shown.knowsEndOf(uid)) {
      this.#violate(`deletes pod ${uid}, which it was never shown`);
    }
    if (pod === undefined || !looks.every(isLive)) return this.#judged('delete of a done pod');
    const clique = controllerOf(pod);
    const desiredStates = shown.looks(clique);
    const isDrained = !desiredStates.every(isThere) || shown.knowsEndOf(clique);
    if (isDrained) return this.#judged('delete with the PodClique');
    const desired = Math.min(...desiredStates.filter(isThere).map(replicasOf));
    const live = [pod, ...this.#staying(clique)];
    const wasChosen = this.#excesses.take(clique, uid, moment()) && this.#wasHeldUp;
    const twins = live.filter((other) => indexOf(other) === indexOf(pod));
    if (live.length > desired || twins.length > 1) return this.#judged('delete of a live pod');
    if (this.#updates.takesPod(desiredStates, pods, live.slice(1))) return;
    const why = 'chosen under an earlier wish, and held up by a Retry-After';
    if (wasChosen) return this.#options.tally.abstained('delete of a live pod', why);
    this.#judged('delete of a live pod');
    const names = live.map(nameOf).toSorted().join(', ');
    this.#violate(
      `deletes live pod ${nameOf(pod)} though ${desired} are wanted and it knows ${names}`,
    );
  }

  /** Live pods that it has not asked to delete, since the shard is its. */
  #staying(clique: string): readonly Stored[] {
    const { shown, moment } = this.#options;
    return shown
      .possibly(clique, '/pods', isLive)
      .filter((pod) => this.#podsToDelete.get(uidOf(pod)) !== moment());
  }

  /** What is gone needs no remembering. */
  #forgetEnded(): void {
    const { shown } = this.#options;
    for (const uid of this.#podsToDelete.keys()) {
      if (shown.knowsEndOf(uid) && shown.looks(uid).length === 0) this.#podsToDelete.delete(uid);
    }
  }

  #judgeGate(patch: unknown): void {
    if (isGated(patch)) return;
    const pod = this.#options.shown
      .looks(textAt(patch, 'metadata', 'uid'))
      .find((look) => look !== undefined);
    if (pod !== undefined && isGated(pod)) this.#judgeListed(pod);
  }

  /** A pod may be scheduled when its PodGang lists it. */
  #judgeListed(pod: unknown): void {
    const gang = labelsOf(pod)['grove.io/podgang'] ?? '';
    const looks = this.#options.shown.looksAt(
      'scheduler.grove.io/podgangs',
      textAt(pod, 'metadata', 'namespace'),
      gang,
    );
    this.#judged('ungated pod');
    if (looks.some((look) => isThere(look) && listedBy(look).includes(nameOf(pod)))) return;
    this.#violate(
      `lets pod ${nameOf(pod)} be scheduled though PodGang ${gang} is not known to list it`,
    );
  }

  // -- children -----------------------------------------------------------------------------------

  #judgeDelete(place: Place, uid: string): void {
    const { plural, collection } = place;
    const { shown } = this.#options;
    if (plural === 'pods') this.#judgePodDelete(uid);
    if (plural === 'computedomains') this.#judgeDomainEnd(uid);
    const object = shown.looks(uid).find((look) => look !== undefined);
    if (plural === 'topologies') return;
    if (object === undefined) {
      if (plural !== 'pods' && !shown.knowsEndOf(uid) && !isMarked(shown, place, uid))
        this.#violate(`deletes ${collection} ${uid}, which it was never shown`);
      return;
    }
    if (isMarked(shown, place, uid)) return; // Whoever cut the owner off cannot have been seen.
    this.#judgeOwner(object);
    if (plural !== 'pods' && plural !== 'computedomains')
      this.#judgeChild('child delete', plural, object);
  }

  /** Only what belongs to an object that is there, by its UID; names are used again. */
  #judgeOwner(object: Stored): void {
    const owner = controllerOf(object);
    const looks = this.#options.shown.looks(owner);
    this.#judged('owner of the deleted');
    if (looks.some((look) => look !== undefined)) return;
    this.#violate(`deletes ${nameOf(object)} and does not know its owner, ${owner}`);
  }

  /** No edit takes a group away, so only its replica goes, or the whole set. */
  #judgeDomainEnd(uid: string): void {
    const looks = this.#options.shown.looks(uid);
    this.#judged('domain end');
    const domain = looks.find((look) => look !== undefined);
    if (domain === undefined || looks.some((look) => look === undefined || isGoing(look))) return;
    if (this.#wantedIn(domain).includes(false)) return;
    this.#violate(`ends ComputeDomain ${nameOf(domain)}, which is wanted`);
  }

  /** What is of a replica is wanted as long as its index is below the wish, the rest as long as its
   *  owner stays. */
  #judgeChild(oracle: 'child create' | 'child delete', plural: string, child: unknown): void {
    const wanted = this.#wantedIn(child);
    if (oracle === 'child create') {
      this.#judged(oracle);
      if (wanted.includes(true)) return;
      return this.#violate(`creates ${plural} ${nameOf(child)}, which is not wanted`);
    }
    if (!wanted.includes(false) && !indexLabels.some((label) => label in labelsOf(child))) {
      return this.#options.tally.abstained(oracle, 'it is of no replica, and its owner stays');
    }
    if (wanted.includes(false)) return this.#judged(oracle);
    const isTerminated = () => this.#options.mayTerminate(child as Stored);
    if (this.#updates.takesMember(child, isTerminated)) return;
    this.#judged(oracle);
    if (plural === 'podcliques' && isTerminated()) return;
    this.#violate(`deletes ${plural} ${nameOf(child)}, which is wanted`);
  }

  /** Whether the owner wants this child, in each way in which it may be taken. */
  #wantedIn(child: unknown): readonly boolean[] {
    const { shown } = this.#options;
    const owner = controllerOf(child);
    const looks = shown.looks(owner);
    if (looks.length === 0) return shown.knowsEndOf(owner) ? [false] : [];
    return looks.map((look) => {
      const label = indexLabelOf[textAt(look, 'kind')] ?? '';
      const index = Number(labelsOf(child)[label] ?? -1);
      return isThere(look) && index < replicasOf(look);
    });
  }

  #judged(oracle: OracleName): void {
    this.#options.tally.judged(oracle);
  }

  #violate(what: string): void {
    this.#options.violate(`controller ${this.#options.life} ${what}`);
  }
}

export const indexOf = (pod: unknown): string =>
  labelsOf(pod)['grove.io/podclique-pod-index'] ?? '';
