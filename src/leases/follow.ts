// Follows the leases of one namespace: a list, then a watch from there, and again a list when the
// watch ends. There are some twenty leases, so a list costs little, and nothing has to be resumed.
// A watch that is silent although this process renews its own lease is half open, and is closed.
import type { Clock } from '#actors/ports.ts';
import type { Followed, LeaseRecord, StoreSink } from '#actors/shards/lease/records.ts';
import { list, object, textOf } from '#machines/kubernetes/json.ts';
import { isSuccess } from '#src/kube/errors.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from '#src/kube/transport/transport.ts';
import { readLease } from './objects.ts';

export interface FollowOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly request: (request: KubeRequest) => Promise<KubeResponse>;
}

/** The server ends a watch by then. */
const watchSeconds = 290;
/** Every member renews each few seconds, and each renewal is an event. */
const silenceMs = 10_000;
/** Between the end of a watch, or a list that failed, and the next list. */
const pauseMs = 250;

export class Following implements Followed {
  readonly #path: string;
  readonly #sink: StoreSink;
  readonly #options: FollowOptions;
  /** Grows with every list: what belongs to an earlier one is ignored. */
  #round = 0;
  #isListing = false;
  #isStopped = false;
  #closeWatch: (() => void) | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(path: string, sink: StoreSink, options: FollowOptions) {
    this.#path = path;
    this.#sink = sink;
    this.#options = options;
    this.refresh();
  }

  refresh(): void {
    if (this.#isListing || this.#isStopped) return;
    this.#isListing = true;
    const round = this.#begin();
    void this.#options
      .request({ method: 'GET', path: this.#path })
      .then((response) => this.#listed(response, round))
      .catch(() => this.#again())
      .finally(() => {
        this.#isListing = false;
      });
  }

  stop(): void {
    this.#isStopped = true;
    this.#begin();
  }

  #begin(): number {
    this.#closeWatch?.();
    this.#closeWatch = undefined;
    this.#cancelTimer?.();
    return ++this.#round;
  }

  #listed(response: KubeResponse, round: number): void {
    if (round !== this.#round) return;
    const { metadata, items } = object(response.body);
    const version = textOf(object(metadata)['resourceVersion']);
    if (!isSuccess(response) || version === undefined) return this.#again();
    const records = list(items)
      .map(readLease)
      .filter((record) => record !== undefined);
    this.#sink.listed(records, version);
    if (round === this.#round) this.#watch(version, round);
  }

  #watch(version: string, round: number): void {
    const from = `watch=true&resourceVersion=${version}&timeoutSeconds=${watchSeconds}`;
    this.#expectNews();
    this.#closeWatch = this.#options.transport.watch(`${this.#path}&${from}`, {
      event: ({ type, object }) => {
        if (round === this.#round) this.#event(type, readLease(object));
      },
      closed: () => {
        if (round === this.#round) this.#again();
      },
    });
  }

  #event(type: string, record: LeaseRecord | undefined): void {
    this.#expectNews();
    if (record === undefined) {
      // An error of the watch, or a lease that lost its labels: the list tells.
      if (type === 'ERROR') this.#again();
    } else if (type === 'DELETED') this.#sink.gone(record);
    else if (type === 'ADDED' || type === 'MODIFIED') this.#sink.seen(record);
  }

  #expectNews(): void {
    this.#after(silenceMs);
  }

  #again(): void {
    this.#after(pauseMs);
  }

  #after(ms: number): void {
    const { clock } = this.#options;
    this.#cancelTimer?.();
    if (this.#isStopped) return;
    this.#cancelTimer = clock.at(clock.now() + ms, () => this.refresh());
  }
}
