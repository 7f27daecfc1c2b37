// The data plane of the activator: what this process holds of each revision, for the request path,
// which takes permits without any actor, and for the actors, which instruct it. All of it goes on
// while an actor crashes, waits for its restart or is parked; it ends when the actor has ended.
import type { DataPlane } from '#actors/data-plane.ts';
import type { Clock, Random, Telemetry } from '#actors/ports.ts';
import type { RevisionFact, RevisionInstruction } from '#machines/activator/plane.ts';
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import { CoppiceError } from '#machines/contract/errors.ts';
import { Admission, type AdmissionOptions } from './admission/admission.ts';
import { Backlog } from './admission/backlog.ts';
import { Turns } from './admission/turns.ts';
import { type FindRequests, ServedRevision } from './served-revision.ts';
import type { TableOptions } from './table/types.ts';
import { type Probe, Validations } from './validations.ts';

export interface PlaneOptions {
  readonly clock: Pick<Clock, 'soon'>;
  /** For the choices of policies. */
  readonly random: Random;
  readonly probe: Probe;
  readonly log: Telemetry['log'];
  /** Hands a fact to an actor, which takes it in a later turn. */
  readonly signal: (to: ActorKey, fact: RevisionFact) => void;
  /** Of each revision; absent: those of tables and of admission. */
  readonly limits?: Pick<TableOptions, 'maxSlots'> & Pick<AdmissionOptions, 'maxWaiting'>;
}

export class RevisionPlane implements DataPlane, FindRequests {
  readonly #options: PlaneOptions;
  readonly #backlog = new Backlog();
  readonly #turns: Turns;
  readonly #served = new Map<string, Entry>();
  readonly #ended = { ...noTotals };
  #changed: (key: ActorKey, isThere: boolean) => void = () => {};

  constructor(options: PlaneOptions) {
    this.#options = options;
    this.#turns = new Turns((run) => options.clock.soon(run));
  }

  find(namespace: string, name: string): ServedRevision | undefined {
    return this.#served.get(actorId({ kind: 'revision', namespace, name }))?.revision;
  }

  /** Calls back when a revision comes, and when it has gone. One listener. */
  onChange(changed: (key: ActorKey, isThere: boolean) => void): void {
    this.#changed = changed;
  }

  /** All revisions. */
  all(): Iterable<Entry> {
    return this.#served.values();
  }

  /** What was counted since the start, by revisions that are gone too. */
  get totals(): Totals {
    const totals = { ...this.#ended };
    for (const { revision } of this.all()) add(totals, revision);
    return totals;
  }

  carryOut(from: ActorKey, instruction: RevisionInstruction): void {
    const id = actorId(from);
    const known = this.#served.get(id)?.revision;
    if (known !== undefined) return known.carryOut(instruction);
    // The first instruction of each actor.
    if (instruction.type !== 'openTable') {
      throw new CoppiceError('ASSERTION', `${id} has no table for ${instruction.type}`);
    }
    const revision = this.#make(from, instruction);
    this.#served.set(id, { key: from, revision });
    revision.carryOut(instruction);
    this.#changed(from, true);
  }

  ended(from: ActorKey): void {
    const id = actorId(from);
    const revision = this.#served.get(id)?.revision;
    if (revision === undefined) return;
    revision.close();
    this.#served.delete(id);
    add(this.#ended, revision);
    this.#changed(from, false);
  }

  /** Nobody is served any more. */
  stop(): void {
    for (const { key } of this.#served.values()) this.ended(key);
  }

  #make(key: ActorKey, { limit, maxScale, policy }: OpenTable): ServedRevision {
    const { random, probe, log, signal, limits: { maxSlots, maxWaiting } = {} } = this.#options;
    const tell = (fact: RevisionFact): void => signal(key, fact);
    const admission = new Admission({
      table: {
        limit,
        maxScale,
        ...(policy === undefined ? {} : { policy }),
        ...(maxSlots === undefined ? {} : { maxSlots }),
        seed: Math.floor(random.next() * 2 ** 32),
        onReleased: (pod) => tell({ type: 'pod.released', ...pod }),
      },
      ...(maxWaiting === undefined ? {} : { maxWaiting }),
      backlog: this.#backlog,
      turns: this.#turns,
    });
    const validations = new Validations({ revision: key, probe, tell });
    return new ServedRevision({ key, admission, validations, tell, log });
  }
}

export interface Entry {
  readonly key: ActorKey;
  readonly revision: ServedRevision;
}

/** Counters of tables and of admission. */
export type Totals = Readonly<Record<keyof typeof noTotals, number>>;

const noTotals = { stale: 0, full: 0, forced: 0, overflowed: 0, cancelled: 0 };

function add(totals: { -readonly [name in keyof Totals]: number }, revision: ServedRevision): void {
  const { table, figures } = revision.admission;
  const { stale, full, forced } = table.figures;
  totals.stale += stale;
  totals.full += full;
  totals.forced += forced;
  totals.overflowed += figures.overflowed;
  totals.cancelled += figures.cancelled;
}

type OpenTable = Extract<RevisionInstruction, { type: 'openTable' }>;
