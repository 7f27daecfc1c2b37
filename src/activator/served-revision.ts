// What this process holds of one revision besides its actor: admission with the table of pods, and
// validations. It carries out what the actor instructs (machines/activator/plane.ts), and tells it
// what the request path does that is its business. Made by data-plane.ts.
import type { Telemetry } from '#actors/ports.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import type { RevisionFact, RevisionInstruction, TableLimits } from '#machines/activator/plane.ts';
import type { Admission } from './admission/admission.ts';
import {
  closed,
  type Refusal,
  type RevisionAdmission,
  type Ticket,
  type WaitHandler,
} from './admission/types.ts';
import type { TableView } from './table/types.ts';
import type { Validations } from './validations.ts';

/** As the request path sees it. */
export interface Requests {
  /** For `admit`, `cancel` and `complete`. */
  readonly admission: Pick<RevisionAdmission, 'admit' | 'cancel' | 'complete'> & {
    readonly table: Pick<TableView, 'genOf' | 'destOf' | 'idOf'>;
  };
  /** Queues a request, and tells the actor that one waits. */
  wait(handler: WaitHandler, bodyBytes?: number): Ticket | Refusal;
  /** The pod could not be reached: as its address and id were read at the admission. */
  failed(dest: string, id: string): void;
}

/** Admits a request at once, or refuses it, which the handler hears before this ends; or queues it:
 *  the result is its place. */
export function askForPod(
  requests: Requests,
  handler: WaitHandler,
  bodyBytes = 0,
): Ticket | undefined {
  const { admission } = requests;
  const index = admission.admit();
  if (index >= 0) {
    handler.granted(index, admission.table.genOf(index));
    return undefined;
  }
  const ticket = index === closed ? 'closed' : requests.wait(handler, bodyBytes);
  if (typeof ticket !== 'string') return ticket;
  handler.refused(ticket);
  return undefined;
}

/** Where requests find their revision: in this process, or from a worker (workers/). */
export interface FindRequests {
  /** Undefined: there is no such revision, or its actor has not seen it yet. */
  find(namespace: string, name: string): Requests | undefined;
}

interface Parts {
  readonly key: ActorKey;
  readonly admission: Admission;
  readonly validations: Validations;
  readonly tell: (fact: RevisionFact) => void;
  readonly log: Telemetry['log'];
}

type Instructed<T extends RevisionInstruction['type']> = Extract<RevisionInstruction, { type: T }>;

export class ServedRevision implements Requests {
  readonly #parts: Parts;
  /** The actor knows that requests wait: it asks itself for how long. */
  #isDemandTold = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get admission(): Admission {
    return this.#parts.admission;
  }

  /** Pods whose validation is under way. */
  get pending(): number {
    return this.#parts.validations.size;
  }

  wait(handler: WaitHandler, bodyBytes?: number): Ticket | Refusal {
    const ticket = this.admission.wait(handler, bodyBytes);
    if (!this.#isDemandTold) this.#tellDemand();
    return ticket;
  }

  failed(dest: string, id: string): void {
    this.#parts.tell({ type: 'pod.failed', dest, id });
  }

  /** How the table stands, for an actor that starts; a contradiction in it is repaired first. */
  #open(limits: TableLimits): void {
    const { admission, validations, tell, log, key } = this.#parts;
    // Their answers are for an actor that has forgotten them.
    validations.cancelAll();
    const found = admission.change((table) => table.repair());
    this.#setLimits(limits);
    for (const what of found) log('error', 'a table of pods was repaired', { ...named(key), what });
    const { waiting } = admission.figures;
    this.#isDemandTold = waiting > 0;
    tell({
      type: 'table.opened',
      version: Math.max(0, admission.table.version),
      attempts: validations.attempts,
      pods: admission.table.snapshot(),
      waiting,
    });
  }

  #setLimits({ limit, maxScale }: TableLimits): void {
    this.admission.change((table) => {
      table.setLimit(limit);
      table.setMaxScale(maxScale);
    });
  }

  /** One line of the log for all of them. */
  #setPods({ pods, version, now }: Instructed<'setPods'>): void {
    const { admission, log, key } = this.#parts;
    const changes = admission.change((table) => table.recalculate(pods, version, now));
    if (changes === undefined) return;
    if (changes.blocked > 0) this.#refuseBlocked(pods);
    const { highWater, live, fragmentation } = admission.table.figures;
    const slots = { holes: highWater - live, highWater, fragmentation };
    log('debug', 'pods of a revision', { ...named(key), ...changes, ...slots });
  }

  /** Rare: the table had to find no slot although it grows. */
  #refuseBlocked(pods: Instructed<'setPods'>['pods']): void {
    const { admission, tell, log, key } = this.#parts;
    const there = new Map(admission.table.snapshot().map(({ dest, id }) => [dest, id]));
    const refused = pods.filter(({ dest, id }) => there.get(dest) !== id);
    log('warn', 'pods found no slot', { ...named(key), pods: refused.length });
    for (const { dest, id } of refused) tell({ type: 'pod.refused', dest, id });
  }

  #tellDemand(): void {
    const { waiting } = this.admission.figures;
    if (waiting === 0 && !this.#isDemandTold) return;
    this.#isDemandTold = waiting > 0;
    this.#parts.tell({ type: 'demand.told', waiting });
  }

  carryOut(instruction: RevisionInstruction): void {
    const { admission, validations } = this.#parts;
    switch (instruction.type) {
      case 'openTable':
        return this.#open(instruction);
      case 'setLimits':
        return this.#setLimits(instruction);
      case 'setPods':
        return this.#setPods(instruction);
      case 'releaseDrained':
        return void admission.change((table) => table.releaseDrained(instruction.cutoff));
      case 'removeStale':
        return void admission.change((table) => table.removeStale(instruction.cutoff));
      case 'validatePod':
        return validations.begin(instruction);
      case 'cancelValidation':
        return validations.cancel(instruction.dest);
      case 'stopAdmission':
        return admission.stop();
      case 'tellDemand':
        return this.#tellDemand();
    }
  }

  /** Whoever waits is refused, every pod is released, and nothing is under way any more. */
  close(): void {
    this.#parts.validations.cancelAll();
    this.admission.close();
  }
}

const named = ({ namespace, name }: ActorKey) => ({ namespace, name });
