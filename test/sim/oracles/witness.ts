// Stands at the wire of one process and tells those who judge it what it is shown and what it asks
// for, at the moment at which the process itself hears or says it. One per wire; the wire calls it
// (faulty-transport.ts).
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest, KubeResponse, WatchSink } from '#src/kube/transport/transport.ts';
import { labelsOf, listAt, numberAt, textAt, uidOf } from '../fields.ts';
import type { Decisions } from './decisions.ts';
import { leaseCollection, type Owning } from './owning.ts';
import { type Place, placeOf } from './place.ts';
import { isActorList } from './actor-lists.ts';
import type { ReportedAnswers } from './reported-answers.ts';
import { controllerOf, isGoing, type Shown, versionOf } from './shown.ts';
import type { TakeOvers } from './take-overs.ts';
import type { Waits } from './waits.ts';

interface Listing {
  readonly version: number;
  readonly uids: Set<string>;
}

export class Witness {
  readonly #shown: Shown;
  readonly #told: ReportedAnswers;
  readonly #decisions: Decisions;
  readonly #waits: Waits;
  readonly #owning: Owning | undefined;
  readonly #takeOvers: TakeOvers | undefined;
  /** Lists under way, by path and selector. */
  readonly #listings = new Map<string, Listing>();
  /** The newest that came to its end, by the same. */
  readonly #newest = new Map<string, Listing>();

  constructor(parts: {
    readonly shown: Shown;
    readonly told: ReportedAnswers;
    readonly decisions: Decisions;
    readonly waits: Waits;
    /** These where processes share the work. */
    readonly owning?: Owning;
    readonly takeOvers?: TakeOvers;
  }) {
    this.#shown = parts.shown;
    this.#told = parts.told;
    this.#decisions = parts.decisions;
    this.#waits = parts.waits;
    this.#owning = parts.owning;
    this.#takeOvers = parts.takeOvers;
  }

  /** The process hands this to the wire. */
  asks(request: KubeRequest): void {
    this.#told.judge(request);
    this.#decisions.judge(request);
    this.#waits.judge(request);
    this.#owning?.decided(request);
    this.#takeOvers?.judge(request);
  }

  /** It goes on the wire now: until here the process could keep it back. */
  sends(request: KubeRequest): void {
    this.#owning?.judge(request);
  }

  /** The answer reaches it; undefined: that there is none. */
  hears(request: KubeRequest, response: KubeResponse | undefined): void {
    if (response !== undefined) {
      this.#told.hears(request, response);
      this.#take(request, response);
    }
    this.#decisions.answered(request, response?.status);
  }

  /** The sink of a watch that it opens, overheard. */
  overhears(path: string, sink: WatchSink): WatchSink {
    const { collection } = placeOf(path);
    const isFiltered = collection !== leaseCollection && selectorOf(path) !== undefined;
    return {
      ...sink,
      event: (event) => {
        this.#event(collection, event, isFiltered);
        sink.event(event);
      },
      ...(sink.isEcho === undefined
        ? {}
        : { isEcho: (version) => sink.isEcho?.(version) === true }),
    };
  }

  #event(
    collection: string,
    { type, object }: { readonly type: string; readonly object: unknown },
    isFiltered: boolean,
  ): void {
    if (type === 'ADDED' || type === 'MODIFIED') this.#see(collection, object as Stored);
    if (type !== 'DELETED') return;
    const wasGoing = isGoing(object) && listAt(object, 'metadata', 'finalizers').length === 0;
    this.#shown.gone(uidOf(object), versionOf(object), !isFiltered || wasGoing);
  }

  #see(collection: string, object: Stored): void {
    this.#shown.see(collection, object);
    if (collection === 'grove.io/podcliques') this.#decisions.noticed(uidOf(object));
    if (collection === '/pods') this.#decisions.noticed(controllerOf(object));
  }

  #take(request: KubeRequest, response: KubeResponse): void {
    const { method, path } = request;
    const { status, body } = response;
    const place = placeOf(path);
    // The process waits for no answer about a lease for longer than it says.
    const isLate = place.plural === 'leases' && request.signal?.aborted === true;
    if (place.plural === 'events' || isLate) return;
    if (status === 404 && place.name !== '') return this.#vacant(place, method, body);
    if (status >= 300) return;
    if (method === 'GET' && place.name === '') return this.#page(place, path, body);
    const hasEnded =
      method === 'DELETE'
        ? textAt(body, 'kind') === 'Status' || !isGoing(body) || !isHeld(body)
        : method === 'PATCH' && isGoing(body) && !isHeld(body);
    if (!hasEnded) return this.#see(place.collection, body as Stored);
    const uid = textAt(request.body, 'preconditions', 'uid') || uidOf(body);
    this.#shown.gone(uid, undefined, true);
  }

  /** A 404 that names the object is the last word, as the server has looked for it, and so is the
   *  answer to a look for a pod that is missed (src/kube/watch/unlabelled.ts). A kind that is not
   *  served for a moment is answered with a 404 too, which names none. */
  #vacant(place: Place, method: KubeRequest['method'], body: unknown): void {
    const { collection, namespace, name, subresource } = place;
    const isNamed =
      subresource === '' &&
      textAt(body, 'details', 'name') === name &&
      `${textAt(body, 'details', 'group')}/${textAt(body, 'details', 'kind')}` === collection;
    const isMissed = method === 'GET' && collection === '/pods';
    this.#shown.vacant(collection, namespace, name, isNamed || isMissed);
  }

  #page({ collection }: Place, path: string, body: unknown): void {
    const query = new URLSearchParams(path.split('?', 2)[1]);
    // Those of the protocol, and no others are watched.
    const selector = collection === leaseCollection ? undefined : selectorOf(path);
    const key = `${collection} ${selector}`;
    const isPart = isActorList(path);
    if (!query.has('continue') && !isPart) {
      this.#listings.set(key, { version: versionOf(body), uids: new Set() });
    }
    const listing = isPart ? undefined : this.#listings.get(key);
    const newest = this.#newest.get(key);
    for (const item of listAt(body, 'items')) {
      listing?.uids.add(uidOf(item));
      // A list of the past brings nothing back that a newer one did not show.
      const isPast = newest !== undefined && versionOf(item) <= newest.version;
      if (isPast && !newest.uids.has(uidOf(item))) continue;
      this.#see(collection, item as Stored);
    }
    const isOver = textAt(body, 'metadata', 'continue') === '';
    if (!isOver || listing === undefined) return;
    if (listing.version >= (newest?.version ?? 0)) this.#newest.set(key, listing);
    // Only a selector that asks for one label tells what it would have shown.
    const wanted = /^([^=!,]+)(?:=([^=!,]+))?$/.exec(selector ?? '');
    if (selector !== undefined && wanted === null) return;
    const [, label = '', value] = wanted ?? [];
    const isSelected =
      wanted === null
        ? undefined
        : (object: Stored) => {
            const has = labelsOf(object)[label];
            return value === undefined ? has !== undefined : has === value;
          };
    this.#shown.listed(collection, listing.uids, listing.version, isSelected);
  }
}

const selectorOf = (path: string): string | undefined =>
  new URLSearchParams(path.split('?', 2)[1]).get('labelSelector') ?? undefined;

/** What is being deleted is there as long as something holds it (src/kube/write.ts). */
const isHeld = (object: unknown): boolean =>
  listAt(object, 'metadata', 'finalizers').length > 0 ||
  numberAt(object, 'metadata', 'deletionGracePeriodSeconds') > 0;
