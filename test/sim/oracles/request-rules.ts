// What the controller must never ask of the API server, judged at its requests: every write has its
// preconditions, nothing is deleted that is not its own, and what belongs to the user stays the
// user's. Whether it is wanted is judged by decisions.ts.
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { at, labelsOf, listAt, textAt, uidOf } from '../fields.ts';
import { isDisowned, isLeftToOthers, managedBy } from '../world/pending.ts';
import { notGranted } from './granted.ts';
import type { Oracles } from './oracles.ts';
import { type Place, placeOf } from './place.ts';

export class RequestRules {
  readonly #store: Store;
  readonly #oracles: Oracles;
  /** For the trace: the log of requests has no names of objects that are created. */
  readonly #note: (line: string) => void;

  constructor(store: Store, oracles: Oracles, note: (line: string) => void) {
    this.#note = note;
    this.#store = store;
    this.#oracles = oracles;
  }

  /** A request arrives at the server. */
  judge(request: KubeRequest): void {
    const { method, path, body } = request;
    const refusal = notGranted(request);
    if (refusal !== undefined) this.#violate(refusal);
    if (method === 'GET' || /\/(events|leases)\b/.test(path)) return;
    if (method === 'POST') this.#note(`creates ${path} ${textAt(body, 'metadata', 'name')}`);
    const place = placeOf(path);
    const live = this.#store.collection(place.collection).get(place.namespace, place.name);
    if (method === 'DELETE') return this.#judgeDelete(place, live, body);
    if (method === 'POST') return;
    const uid = at(body, 'metadata', 'uid');
    if (typeof uid !== 'string') this.#violate(`${method} ${path} names no UID`);
    if (place.subresource === 'status') return;
    const isSet = place.plural === 'podcliquesets';
    if (isSet && at(body, 'spec') !== undefined) this.#violate(`writes the spec of ${place.name}`);
    const isScaled = place.plural === 'podcliques' || place.plural === 'podcliquescalinggroups';
    if (isScaled && at(body, 'spec', 'replicas') !== undefined) {
      this.#violate(`writes spec.replicas of ${place.plural} ${place.name}, which are the user's`);
    }
    const replacesList =
      at(body, 'metadata', 'finalizers') !== undefined ||
      at(body, 'spec', 'podgroups') !== undefined ||
      at(body, 'spec', 'schedulingGates') !== undefined;
    if (replacesList && typeof at(body, 'metadata', 'resourceVersion') !== 'string') {
      this.#violate(`${method} ${path} replaces a list and names no version`);
    }
  }

  #judgeDelete(place: Place, live: Stored | undefined, body: unknown): void {
    const uid = at(body, 'preconditions', 'uid');
    const what = `DELETE of ${place.plural} ${place.name}`;
    if (typeof uid !== 'string') return this.#violate(`${what} names no UID`);
    if (live === undefined || uidOf(live) !== uid) return;
    const owners = listAt(live, 'metadata', 'ownerReferences');
    // A topology has no labels: anybody may look after it.
    const isOurs =
      (labelsOf(live)[managedBy] === 'grove-operator' ||
        isDisowned(live) ||
        place.plural === 'topologies') &&
      (isLeftToOthers(live) ||
        owners.some((owner) => /^(scheduler\.)?grove\.io\//.test(textAt(owner, 'apiVersion'))));
    if (!isOurs) this.#violate(`${what}: it is not the controller's`);
  }

  #violate(what: string): void {
    this.#oracles.violate(what);
  }
}
