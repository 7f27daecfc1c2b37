// The revisions of the process as the request path of a worker sees them: every question is a
// message, and the answer comes in a later turn. Made by worker.ts.
import { mustWait, type Refusal, type Ticket, type WaitHandler } from '../admission/types.ts';
import type { Demand } from '../demand.ts';
import { type Ending, Figures, RevisionFigures } from '../proxy/figures.ts';
import type { FindRules, RequestRules } from '../proxy/rules.ts';
import type { FindRequests, Requests } from '../served-revision.ts';
import type { OfRequest, OfRevision, ToRequest } from './messages.ts';

type Say = (message: OfRequest) => void;

export class RemoteRevisions implements FindRequests, Demand {
  readonly #say: Say;
  readonly #asked: AskedPods;
  readonly #known = new Map<string, { readonly requests: Requests; rules: RequestRules }>();
  /** Of this worker; the process has the same numbers of all. */
  readonly figures: Figures;

  constructor(say: Say) {
    this.#say = say;
    this.#asked = new AskedPods(say);
    this.figures = new Figures((namespace, name) => new ToldFigures(namespace, name, say));
  }

  find(namespace: string, name: string): Requests | undefined {
    return this.#known.get(`${namespace}/${name}`)?.requests;
  }

  readonly rules: FindRules = (namespace, name) => this.#known.get(`${namespace}/${name}`)?.rules;

  /** Of the pod that was granted last: it is asked for in the same turn. */
  readonly podNameOf = (): string => this.#asked.podName;

  begun(revision: string): void {
    this.#say({ type: 'begun', revision });
  }

  /** Its figures have told it. */
  ended(): void {}

  hear(message: ToRequest | OfRevision): void {
    switch (message.type) {
      case 'granted':
        return this.#asked.granted(message);
      case 'refused':
        return this.#asked.refused(message.number, message.reason);
      case 'revision':
        return this.#set(`${message.namespace}/${message.name}`, message.rules);
      case 'gone': {
        const revision = `${message.namespace}/${message.name}`;
        this.#known.delete(revision);
        this.figures.forget(revision);
      }
    }
  }

  #set(revision: string, rules: RequestRules): void {
    const known = this.#known.get(revision);
    if (known === undefined) {
      this.#known.set(revision, { requests: new RemoteRequests(revision, this.#asked), rules });
    } else known.rules = rules;
  }
}

/** A request that waits for a pod. */
class Place implements Ticket {
  readonly number: number;
  readonly handler: WaitHandler;
  isWaiting = true;

  constructor(number: number, handler: WaitHandler) {
    this.number = number;
    this.handler = handler;
  }
}

interface Pod {
  readonly dest: string;
  readonly id: string;
}

/** The requests of a worker that ask for a pod, and those that have one. */
class AskedPods {
  readonly say: Say;
  readonly #waiting = new Map<number, Place>();
  readonly #pods = new Map<number, Pod>();
  #last = 0;
  podName = '';

  constructor(say: Say) {
    this.say = say;
  }

  ask(revision: string, handler: WaitHandler, bodyBytes: number): Ticket {
    const place = new Place(++this.#last, handler);
    this.#waiting.set(place.number, place);
    this.say({ type: 'asks', revision, number: place.number, bodyBytes });
    return place;
  }

  /** What was granted meanwhile, the process takes back by itself. */
  cancel(ticket: Ticket): boolean {
    if (!(ticket instanceof Place) || !ticket.isWaiting) return false;
    ticket.isWaiting = false;
    this.#waiting.delete(ticket.number);
    this.say({ type: 'cancels', number: ticket.number });
    return true;
  }

  complete(number: number): void {
    if (!this.#pods.delete(number)) throw new Error(`request ${number} has no pod`);
    this.say({ type: 'completes', number });
  }

  granted({ number, dest, id, podName }: Extract<ToRequest, { type: 'granted' }>): void {
    const place = this.#leave(number);
    if (place === undefined) return;
    this.#pods.set(number, { dest, id });
    this.podName = podName;
    place.handler.granted(number, 0);
  }

  refused(number: number, reason: Refusal): void {
    this.#leave(number)?.handler.refused(reason);
  }

  pod(number: number): Pod | undefined {
    return this.#pods.get(number);
  }

  #leave(number: number): Place | undefined {
    const place = this.#waiting.get(number);
    if (place === undefined) return undefined;
    this.#waiting.delete(number);
    place.isWaiting = false;
    return place;
  }
}

/** What is an index of a slot elsewhere is the number of the request here. */
class RemoteRequests implements Requests {
  readonly #revision: string;
  readonly #asked: AskedPods;
  readonly admission: Requests['admission'];

  constructor(revision: string, asked: AskedPods) {
    this.#revision = revision;
    this.#asked = asked;
    this.admission = {
      admit: () => mustWait,
      cancel: (ticket) => asked.cancel(ticket),
      complete: (number) => asked.complete(number),
      table: {
        genOf: () => 0,
        destOf: (number) => asked.pod(number)?.dest ?? '',
        idOf: (number) => asked.pod(number)?.id ?? '',
      },
    };
  }

  wait(handler: WaitHandler, bodyBytes = 0): Ticket {
    return this.#asked.ask(this.#revision, handler, bodyBytes);
  }

  failed(dest: string, id: string): void {
    this.#asked.say({ type: 'failed', revision: this.#revision, dest, id });
  }
}

class ToldFigures extends RevisionFigures {
  readonly #say: Say;

  constructor(namespace: string, name: string, say: Say) {
    super(namespace, name);
    this.#say = say;
  }

  override ended(ending: Ending, status: number, ms: number): void {
    super.ended(ending, status, ms);
    this.#say({ type: 'ended', revision: this.key, ending, status, ms });
  }
}
