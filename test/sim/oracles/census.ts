// How many pods a PodClique may ever be given, counted from what happened in the store and from
// nothing that the code under test says: as many as it wanted when it came, one more for each that
// it wanted more later, and one for each live pod that was lost otherwise than by the controller's
// own hand (deleted, evicted, failed), or was of an older template. No crash, no lost reply and no
// change of hands allows for another one. Judged at each creation; at the end exactly, where
// nothing happened to a PodClique.
import type { Change } from '#src/devcluster/api/store/collection.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, labelsOf, numberAt, templateHashOf, textAt, uidOf } from '../fields.ts';
import { placeOf } from './place.ts';
import { controllerOf, isLive } from './shown.ts';
import type { Tally } from './tally.ts';

interface Account {
  readonly name: string;
  wanted: number;
  /** Pods that it may ever have been given. */
  most: number;
  created: number;
  /** It was scaled, or lost a pod. */
  isDisturbed: boolean;
}

export interface CensusOptions {
  readonly store: Store;
  readonly tally: Tally;
  readonly violate: (what: string) => void;
  /** A process was given a list of the past lately, which no API server does. */
  readonly isMisled: () => boolean;
  /** A shard has two owners by force: each may make what the other took away. */
  readonly isDivided: () => boolean;
}

export const orphan =
  'a create that was late: its PodClique is gone, and garbage collection takes it';

/** A pod whose PodClique is gone: the create was on its way, and nobody can take it back. */
export const isOrphan = (store: Store, pod: Stored): boolean => {
  const cliques = store.collection('grove.io/podcliques').list();
  return !cliques.some((clique) => uidOf(clique) === controllerOf(pod));
};

export class Census {
  readonly #options: CensusOptions;
  /** By UID of the PodClique. */
  readonly #accounts = new Map<string, Account>();
  /** UIDs of live pods that the controller asked to delete. */
  readonly #ownDeletes = new Set<string>();
  /** UIDs of pods whose PodClique has, or had for a while, another template than theirs. */
  readonly #outdated = new Set<string>();

  constructor(options: CensusOptions) {
    this.#options = options;
    const { store } = options;
    store.collection('grove.io/podcliques').onChange((change) => this.#takeClique(change));
    store.collection('/pods').onChange((change) => this.#takePod(change));
  }

  /** A request of the controller's arrives at the server. */
  asked({ method, path, body }: KubeRequest): void {
    const { plural, namespace, name } = placeOf(path);
    if (method !== 'DELETE' || plural !== 'pods') return;
    const pod = this.#options.store.collection('/pods').get(namespace, name);
    const isMeant = pod !== undefined && uidOf(pod) === at(body, 'preconditions', 'uid');
    if (isMeant && isLive(pod)) this.#ownDeletes.add(uidOf(pod));
  }

  /** The run has come to its end, and the controller is quiet. */
  judgeEnd(): void {
    const { store, tally, violate } = this.#options;
    for (const clique of store.collection('grove.io/podcliques').list()) {
      const account = this.#accounts.get(uidOf(clique));
      if (account === undefined) continue;
      if (account.isDisturbed) {
        tally.abstained('pods ever, exactly', 'scaled, or lost a pod');
        continue;
      }
      tally.judged('pods ever, exactly');
      const { name, created, wanted } = account;
      if (created === wanted) continue;
      violate(
        `${name} was given ${created} pods, and nothing happened but that it wants ${wanted}`,
      );
    }
  }

  #takeClique({ type, object, previous }: Change): void {
    const uid = uidOf(object);
    if (previous !== undefined) this.#noteOutdated(previous, object);
    const wanted = numberAt(object, 'spec', 'replicas');
    const account = this.#accounts.get(uid);
    if (account === undefined) {
      const name = textAt(object, 'metadata', 'name');
      this.#accounts.set(uid, { name, wanted, most: wanted, created: 0, isDisturbed: false });
      return;
    }
    if (type === 'DELETED' || wanted === account.wanted) return;
    account.most += Math.max(0, wanted - account.wanted);
    account.wanted = wanted;
    account.isDisturbed = true;
  }

  #takePod({ type, object, previous }: Change): void {
    const account = this.#accounts.get(controllerOf(object));
    if (account === undefined) return;
    if (type === 'ADDED') {
      const { store, tally } = this.#options;
      if (isOrphan(store, object)) return tally.abstained('pods ever', orphan);
      return this.#judgeCreate(account, labelsOf(object));
    }
    const isLost = isLive(previous ?? object) && (type === 'DELETED' || !isLive(object));
    if (!isLost) return;
    const isOwn = this.#ownDeletes.delete(uidOf(object));
    if (isOwn && !this.#isOld(object)) return;
    account.most++;
    account.isDisturbed = true;
  }

  /** Where the template changes: of the pods that there are, each is of one of the two at most. */
  #noteOutdated(previous: Stored, clique: Stored): void {
    if (templateHashOf(previous) === templateHashOf(clique)) return;
    for (const pod of this.#options.store.collection('/pods').list()) {
      if (controllerOf(pod) === uidOf(clique)) this.#outdated.add(uidOf(pod));
    }
  }

  /** One of an older template is replaced, even where its template is the newest again by then. */
  #isOld(pod: Stored): boolean {
    const owner = controllerOf(pod);
    const cliques = this.#options.store.collection('grove.io/podcliques').list();
    const clique = cliques.find((one) => uidOf(one) === owner);
    if (this.#outdated.has(uidOf(pod))) return true;
    return clique !== undefined && templateHashOf(clique) !== templateHashOf(pod);
  }

  #judgeCreate(account: Account, labels: Readonly<Record<string, string>>): void {
    const { tally, violate, isMisled, isDivided } = this.#options;
    account.created++;
    if (account.created <= account.most) return tally.judged('pods ever');
    if (isMisled() || isDivided()) {
      account.most = account.created;
      account.isDisturbed = true;
      return tally.abstained(
        'pods ever',
        isDivided() ? 'two owners by force' : 'a list of the past',
      );
    }
    const index = labels['grove.io/podclique-pod-index'] ?? '';
    violate(
      `${account.name} is given pod number ${account.created} (index ${index}), and may have had ` +
        `${account.most} at most`,
    );
  }
}
