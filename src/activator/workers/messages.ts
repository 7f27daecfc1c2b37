// What the process and its workers say to each other. Requests are in the workers; tables, queues
// and counters are in the process, so that a pod is given away in one place however many workers
// there are. Revisions are `namespace/name`; `number` counts the requests for a pod of one worker.
import type { Telemetry } from '#actors/ports.ts';
import type { Refusal } from '../admission/types.ts';
import type { Ending } from '../proxy/figures.ts';
import type { Listening, RequestLimits, RequestPath } from '../proxy/options.ts';
import type { RequestRules } from '../proxy/rules.ts';

/** What a worker says of its requests. */
export type OfRequest =
  /** A request is here; it asks for a pod next. */
  | { readonly type: 'begun'; readonly revision: string }
  /** Answered by `granted` or `refused`, unless it is cancelled before. */
  | {
      readonly type: 'asks';
      readonly revision: string;
      readonly number: number;
      readonly bodyBytes: number;
    }
  | { readonly type: 'cancels'; readonly number: number }
  /** Gives its permit back. */
  | { readonly type: 'completes'; readonly number: number }
  /** The pod could not be reached. */
  | {
      readonly type: 'failed';
      readonly revision: string;
      readonly dest: string;
      readonly id: string;
    }
  | {
      readonly type: 'ended';
      readonly revision: string;
      readonly ending: Ending;
      readonly status: number;
      readonly ms: number;
    };

export type FromWorker =
  | OfRequest
  | { readonly type: 'log'; readonly line: Parameters<Telemetry['log']> }
  | { readonly type: 'listens'; readonly ports: RequestPath['ports'] }
  /** It cannot be started. */
  | { readonly type: 'unable'; readonly message: string }
  /** The answer to `health`. */
  | { readonly type: 'alive' }
  | { readonly type: 'drained' };

/** What it is told of them. */
export type ToRequest =
  | {
      readonly type: 'granted';
      readonly number: number;
      readonly dest: string;
      readonly id: string;
      /** Empty: it is not known. */
      readonly podName: string;
    }
  | { readonly type: 'refused'; readonly number: number; readonly reason: Refusal };

/** Which revisions there are. */
export type OfRevision =
  /** There is such a revision, or its rules have changed. */
  | {
      readonly type: 'revision';
      readonly namespace: string;
      readonly name: string;
      readonly rules: RequestRules;
    }
  | { readonly type: 'gone'; readonly namespace: string; readonly name: string };

export type ToWorker =
  | ToRequest
  | OfRevision
  /** Why the process is not well, for probes that come to the port of requests. */
  | { readonly type: 'health'; readonly health: Health }
  | { readonly type: 'drain' }
  | { readonly type: 'stop' };

/** Undefined: it is. */
export interface Health {
  readonly live: string | undefined;
  readonly ready: string | undefined;
}

/** What a worker is started with. */
export interface WorkerSetup {
  readonly listen: Listening;
  readonly limits: Partial<RequestLimits>;
  readonly requestLogTemplate: string | undefined;
  readonly health: Health;
}

/**
 * Posts messages in batches: what comes together in a turn of the event loop goes together, in its
 * order, as each post costs as much as a dozen messages do.
 */
export class Outbox<Message> {
  readonly #post: (batch: readonly Message[]) => void;
  #batch: Message[] = [];

  constructor(post: (batch: readonly Message[]) => void) {
    this.#post = post;
  }

  readonly say = (message: Message): void => {
    if (this.#batch.push(message) === 1) setImmediate(() => this.flush());
  };

  flush(): void {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    this.#post(batch);
  }
}
