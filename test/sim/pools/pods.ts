// One pod for each Sandbox, and readiness that is its pod's (spec agent-sandbox 2.1.5, R49, R55,
// S4): judged at every version of the store. Part of oracle.ts.
import type { Change } from '#src/devcluster/api/store/collection.ts';
import { uidOf } from '../fields.ts';
import {
  all,
  annotationOf,
  collections,
  controllerOf,
  ipsOf,
  isGoing,
  isOf,
  isReady,
  nameOf,
  phaseOf,
  podIpsOf,
  podName,
} from './objects.ts';
import type { Judged } from './oracle.ts';

export class Pods {
  readonly #options: Judged;
  /** What pods were when they were ready, by UID of the Sandbox. */
  readonly #ready = new Map<string, Set<string>>();

  constructor(options: Judged) {
    this.#options = options;
  }

  watch(): void {
    const { store } = this.#options;
    store.collection(collections.pods).onChange((change) => this.#takePod(change));
    store.collection(collections.sandboxes).onChange((change) => this.#takeSandbox(change));
  }

  #takePod({ type, object }: Change): void {
    const { store, tally, violate } = this.#options;
    const owner = controllerOf(object);
    if (owner?.kind !== 'Sandbox' || type === 'DELETED') return;
    if (isReady(object) && phaseOf(object) === 'Running' && podIpsOf(object) !== '') {
      const before = this.#ready.get(owner.uid) ?? new Set<string>();
      this.#ready.set(owner.uid, before.add(`${nameOf(object)} ${podIpsOf(object)}`));
    }
    if (type !== 'ADDED') return;
    tally.judged('pods of a Sandbox');
    const pods = all(store, 'pods').filter((pod) => isOf(pod, 'Sandbox', owner.uid));
    if (pods.length > 1) {
      violate(`Sandbox ${owner.name} has pods ${pods.map(nameOf).join(' and ')} (R49, R55)`);
    }
  }

  #takeSandbox({ type, object, previous }: Change): void {
    if (type === 'DELETED' || !isReady(object) || isGoing(object)) return;
    if (isReady(previous) && ipsOf(previous) === ipsOf(object)) return;
    const { tally, violate } = this.#options;
    tally.judged('Ready of a Sandbox');
    const [ips, pod] = [ipsOf(object), annotationOf(object, podName)];
    if (ips === '') return violate(`Sandbox ${nameOf(object)} is Ready without IPs (R59)`);
    if (pod === '') violate(`Sandbox ${nameOf(object)} is Ready and names no pod (S4)`);
    if (this.#ready.get(uidOf(object))?.has(`${pod} ${ips}`) === true) return;
    violate(`Sandbox ${nameOf(object)} is Ready with ${ips}, as its pod ${pod} never was`);
  }
}
