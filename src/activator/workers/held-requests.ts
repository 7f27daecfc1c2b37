// Where the requests of one worker are held in the process: each has its place in the queue of its
// revision, or its permit, as if it had come to the process itself. When the worker has died, all
// of it is given back. Made by worker-thread.ts.
import type { Refusal, Ticket, WaitHandler } from '../admission/types.ts';
import type { Demand } from '../demand.ts';
import type { Figures, RevisionFigures } from '../proxy/figures.ts';
import type { FindPodName } from '../proxy/pod-names.ts';
import { defaultRules, type FindRules } from '../proxy/rules.ts';
import { askForPod, type FindRequests, type Requests } from '../served-revision.ts';
import type { OfRequest, ToRequest } from './messages.ts';

export interface HeldParts {
  readonly plane: FindRequests;
  readonly demand: Demand;
  readonly figures: Figures;
  readonly rules: FindRules;
  readonly podNameOf: FindPodName;
}

interface Options extends HeldParts {
  readonly say: (message: ToRequest) => void;
}

type Asked = Extract<OfRequest, { type: 'asks' }>;
type Ended = Extract<OfRequest, { type: 'ended' }>;

export class HeldRequests {
  readonly #options: Options;
  /** By number: those that wait, and those that have a pod. */
  readonly #held = new Map<number, Held>();
  /** By revision: requests that have begun and not ended. */
  readonly #underWay = new Map<string, number>();

  constructor(options: Options) {
    this.#options = options;
  }

  take(message: OfRequest): void {
    switch (message.type) {
      case 'begun':
        return this.#begun(message.revision);
      case 'asks':
        return this.#ask(message);
      case 'cancels':
      case 'completes':
        return this.#giveBack(message.number);
      case 'failed':
        return this.#find(message.revision)?.failed(message.dest, message.id);
      case 'ended':
        return this.#ended(message);
    }
  }

  /** The worker is gone, and its requests with it. */
  close(): void {
    for (const number of this.#held.keys()) this.#giveBack(number);
    for (const [revision, count] of this.#underWay) {
      for (let left = count; left > 0; left--) {
        this.#ended({ type: 'ended', revision, ending: 'cut', status: 0, ms: 0 });
      }
    }
  }

  #begun(revision: string): void {
    const { demand, rules } = this.#options;
    const figures = this.#figuresOf(revision);
    figures.rules = rules(figures.namespace, figures.name) ?? defaultRules;
    figures.begun();
    demand.begun(revision);
    this.#underWay.set(revision, (this.#underWay.get(revision) ?? 0) + 1);
  }

  #ended({ revision, ending, status, ms }: Ended): void {
    const left = (this.#underWay.get(revision) ?? 0) - 1;
    if (left > 0) this.#underWay.set(revision, left);
    else this.#underWay.delete(revision);
    this.#figuresOf(revision).ended(ending, status, ms);
    this.#options.demand.ended(revision);
  }

  #ask({ revision, number, bodyBytes }: Asked): void {
    const { say, podNameOf } = this.#options;
    const requests = this.#find(revision);
    if (requests === undefined) return say({ type: 'refused', number, reason: 'closed' });
    const held = new Held(requests, this.#figuresOf(revision), {
      granted: ({ dest, id }) => say({ type: 'granted', number, dest, id, podName: podNameOf(id) }),
      refused: (reason) => {
        this.#held.delete(number);
        say({ type: 'refused', number, reason });
      },
    });
    this.#held.set(number, held);
    held.ask(bodyBytes);
  }

  /** Not held any more: it was refused while its worker cancelled it. */
  #giveBack(number: number): void {
    const held = this.#held.get(number);
    this.#held.delete(number);
    held?.giveBack();
  }

  #find(revision: string): Requests | undefined {
    const [namespace = '', name = ''] = revision.split('/');
    return this.#options.plane.find(namespace, name);
  }

  #figuresOf(revision: string): RevisionFigures {
    const [namespace = '', name = ''] = revision.split('/');
    return this.#options.figures.of(namespace, name);
  }
}

interface Answers {
  granted(pod: { readonly dest: string; readonly id: string }): void;
  refused(reason: Refusal): void;
}

/** A request of a worker in the queue of its revision, or with a pod. */
class Held implements WaitHandler {
  readonly #requests: Requests;
  readonly #figures: RevisionFigures;
  readonly #answers: Answers;
  #ticket: Ticket | undefined;
  #permit: { readonly index: number; readonly gen: number } | undefined;

  constructor(requests: Requests, figures: RevisionFigures, answers: Answers) {
    this.#requests = requests;
    this.#figures = figures;
    this.#answers = answers;
  }

  ask(bodyBytes: number): void {
    this.#figures.queued += 1;
    this.#ticket = askForPod(this.#requests, this, bodyBytes);
  }

  granted(index: number, gen: number): void {
    const { table } = this.#requests.admission;
    this.#ticket = undefined;
    this.#permit = { index, gen };
    this.#figures.queued -= 1;
    this.#figures.active += 1;
    this.#answers.granted({ dest: table.destOf(index), id: table.idOf(index) });
  }

  refused(reason: Refusal): void {
    this.#ticket = undefined;
    this.#figures.queued -= 1;
    this.#answers.refused(reason);
  }

  /** Its permit, or its place. */
  giveBack(): void {
    const { admission } = this.#requests;
    if (this.#permit !== undefined) {
      this.#figures.active -= 1;
      admission.complete(this.#permit.index, this.#permit.gen);
    } else if (this.#ticket !== undefined && admission.cancel(this.#ticket)) {
      this.#figures.queued -= 1;
    }
  }
}
