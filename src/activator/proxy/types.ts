// What a request of either protocol, and an attempt to send it to a pod, have to do with each
// other.
import type { IncomingMessage } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { Requests } from '../served-revision.ts';
import type { RevisionFigures } from './figures.ts';
import type { Target } from './identify.ts';
import type { RequestRules } from './rules.ts';
import type { Shared } from './shared.ts';

/** A request on its way to a pod. It calls `answerBegun` and so on, and nothing after `cancel`. */
export interface Attempt {
  /** `left` is called once, when the pod knows: until then it may have the request yet. */
  cancel(left: () => void): void;
}

/** Headers, flat: name, value, name, value. */
export type Flat = readonly string[];

export interface Routed {
  readonly shared: Shared;
  readonly target: Target;
  readonly requests: Requests;
  readonly rules: RequestRules;
  readonly figures: RevisionFigures;
}

/** What an attempt reads of any request, and where it tells of the answer. */
interface Outgoing {
  readonly routed: Routed;
  /** The address of its pod. */
  readonly dest: string;
  readonly hasBody: boolean;
  answerBegun(
    status: number,
    headers: Flat,
    more?: { readonly message?: string; readonly isWhole?: boolean },
  ): void;
  /** False: no more until `whenDrained`. */
  answerData(chunk: Buffer): boolean;
  whenDrained(run: () => void): void;
  answerEnded(trailers: Flat): void;
  /** `wasSent`: the pod may have seen something of it. */
  attemptFailed(error: Error, wasSent: boolean): void;
}

export interface Arrival {
  /** The client waits for `100 Continue` before it sends its body. */
  readonly isExpecting?: boolean;
  /** It wants another protocol on its connection; what it has sent of that already. */
  readonly upgradeHead?: Buffer;
}

export interface OutgoingHttp1 extends Outgoing {
  readonly request: IncomingMessage;
  readonly arrival: Arrival;
  readonly head: {
    readonly method: string;
    readonly path: string;
    readonly headers: string[];
  };
  /** It cannot be sent as it is. */
  refuseAsBad(why: string): void;
  /** The pod has agreed to another protocol. */
  switched(answer: IncomingMessage, tunnel: Duplex, head: Buffer): void;
}

export interface OutgoingHttp2 extends Outgoing {
  readonly stream: ServerHttp2Stream;
  readonly head: readonly string[];
  /** Of the request, once they are here. */
  readonly arrivedTrailers: Flat;
}
