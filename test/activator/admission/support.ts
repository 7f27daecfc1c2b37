// An admission whose turns of the event loop are run by hand, and requests that remember what they
// were told.
import { Admission } from '#src/activator/admission/admission.ts';
import { Backlog, type BacklogLimits } from '#src/activator/admission/backlog.ts';
import { Turns } from '#src/activator/admission/turns.ts';
import type { Refusal, Ticket, WaitHandler } from '#src/activator/admission/types.ts';
import type { TableOptions } from '#src/activator/table/types.ts';
import { now, podsAt } from '../table/support.ts';

/** The event loop: what was put off, until somebody runs it. */
export class Loop {
  readonly #deferred: (() => void)[] = [];

  readonly defer = (run: () => void): void => {
    this.#deferred.push(run);
  };

  get isIdle(): boolean {
    return this.#deferred.length === 0;
  }

  /** What was put off before the turn. */
  turn(): void {
    for (const run of this.#deferred.splice(0)) run();
  }

  /** How many turns it took. */
  untilIdle(): number {
    let turns = 0;
    for (; !this.isIdle; turns++) this.turn();
    return turns;
  }
}

export interface World {
  readonly loop: Loop;
  readonly backlog: Backlog;
  readonly turns: Turns;
}

export function newWorld(limits?: BacklogLimits, perTurn?: number): World {
  const loop = new Loop();
  const turns = new Turns(loop.defer, perTurn);
  return { loop, backlog: new Backlog(limits), turns };
}

interface Settings extends Partial<TableOptions> {
  readonly pods?: number;
  readonly world?: World;
  readonly maxWaiting?: number;
}

export function admissionOf(settings: Settings = {}): Admission {
  const { pods = 0, world = newWorld(), maxWaiting, ...table } = settings;
  const { backlog, turns } = world;
  const bound = maxWaiting === undefined ? {} : { maxWaiting };
  const options = { limit: 1, seed: 1, ...table };
  const admission = new Admission({ table: options, backlog, turns, ...bound });
  addPods(admission, pods);
  return admission;
}

/** Those at places 0 to `count` - 1. */
export function addPods(admission: Admission, count: number): void {
  admission.change((table) => {
    for (const pod of podsAt(count)) table.put(pod, now);
  });
}

export class Request implements WaitHandler {
  readonly #admission: Admission;
  /** What it was told; more than one entry is an error. */
  readonly told: (readonly [index: number, gen: number] | Refusal)[] = [];
  ticket: Ticket | Refusal | undefined;
  onGranted: (() => void) | undefined;

  constructor(admission: Admission) {
    this.#admission = admission;
  }

  /** As the request path comes: it waits where it is not admitted. */
  come(bodyBytes?: number): this {
    const index = this.#admission.admit();
    if (index >= 0) this.granted(index, this.#admission.table.genOf(index));
    else this.ticket = this.#admission.wait(this, bodyBytes);
    return this;
  }

  get isAdmitted(): boolean {
    return Array.isArray(this.told[0]);
  }

  granted(index: number, gen: number): void {
    this.told.push([index, gen]);
    this.onGranted?.();
  }

  refused(reason: Refusal): void {
    this.told.push(reason);
  }

  cancel(): boolean {
    return typeof this.ticket === 'object' && this.#admission.cancel(this.ticket);
  }

  complete(): void {
    const [told] = this.told;
    if (Array.isArray(told)) this.#admission.complete(told[0] as number, told[1] as number);
  }
}

export const requestsOf = (admission: Admission, count: number): readonly Request[] =>
  Array.from({ length: count }, () => new Request(admission).come());

export const admittedOf = (requests: readonly Request[]): readonly number[] =>
  requests.flatMap((request, place) => (request.isAdmitted ? [place] : []));
