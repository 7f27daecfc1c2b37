// What the controller must never ask of the API server: a write without its preconditions, and the
// end of what a ComputeDomain that is there needs. Judged at its requests.
import type { ActorKey } from '#machines/contract/address.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { at, textAt, uidOf } from '../fields.ts';
import { notGranted } from '../oracles/granted.ts';
import { type Place, placeOf } from '../oracles/place.ts';
import type { Tally } from '../oracles/tally.ts';
import { collections, domainLabel, domainOf, isGoing, versionOf } from './objects.ts';

interface GuardOptions {
  readonly store: Store;
  readonly tally: Tally;
  readonly violate: (what: string) => void;
}

const ended: readonly string[] = ['daemonsets', 'resourceclaimtemplates', 'nodes'];

export class Guards {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** A request arrives at the server. */
  judge(request: KubeRequest): void {
    const { method, path, body } = request;
    const { violate } = this.#options;
    const refusal = notGranted(request);
    if (refusal !== undefined) violate(refusal);
    if (method === 'GET' || /\/(events|leases)\b/.test(path)) return;
    const place = placeOf(path);
    const metadata = method === 'DELETE' ? at(body, 'preconditions') : at(body, 'metadata');
    if (method !== 'POST' && textAt(metadata, 'uid') === '') {
      violate(`${method} ${path} names no UID`);
    }
    if (place.plural === 'computedomaincliques' && method !== 'POST') {
      this.#options.tally.judged('write of a clique');
      if (textAt(metadata, 'resourceVersion') === '') {
        violate(`${method} ${path} names no version`);
      }
    }
    if (ended.includes(place.plural)) this.#judgeEnd(place, request);
  }

  /** While its domain stays, what it needs stays, and so does the label of its nodes. */
  #judgeEnd(place: Place, { method, body }: KubeRequest): void {
    const { store, tally, violate } = this.#options;
    const isUnlabelled = at(body, 'metadata', 'labels', domainLabel) === null;
    const child = store.collection(place.collection).get(place.namespace, place.name);
    if (child === undefined || (method !== 'DELETE' && !isUnlabelled)) return;
    const given = method === 'DELETE' ? at(body, 'preconditions') : at(body, 'metadata');
    const version = textAt(given, 'resourceVersion');
    const isBusy = version !== '' && version !== versionOf(child);
    if (isBusy || textAt(given, 'uid') !== uidOf(child)) return;
    tally.judged('end of a child');
    const domain = store
      .collection(collections.domains)
      .list()
      .find((one) => uidOf(one) === domainOf(child));
    if (domain === undefined || isGoing(domain) || isGoing(child)) return;
    violate(`${method} of ${place.plural} ${place.name}, whose ComputeDomain is there`);
  }
}

/** Only cliques and domains are written by one tree alone. */
export function treeOf({ plural, namespace, name }: Place, object: unknown): ActorKey | undefined {
  const kinds = { computedomains: 'computedomain', computedomaincliques: 'clique' } as const;
  const isKnown = (one: string): one is keyof typeof kinds => Object.hasOwn(kinds, one);
  if (!isKnown(plural)) return undefined;
  return { kind: kinds[plural], namespace, name: name || textAt(object, 'metadata', 'name') };
}
