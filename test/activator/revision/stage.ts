// The activator on a stage: actors under the supervisor of the runtime, the data plane, a virtual
// clock, pods whose answers the test decides, and requests that remember what became of them. A
// crash is a throw at a place of the test's choice.
import type { Observation } from '#actors/ports.ts';
import { activatorFamilies } from '#machines/activator/families.ts';
import { activator } from '#machines/activator/module.ts';
import type { ActivatorInput, ActivatorSettings } from '#machines/activator/settings.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import type { Module } from '#machines/contract/module.ts';
import { mustWait, type Ticket } from '#src/activator/admission/types.ts';
import type { ServedRevision } from '#src/activator/served-revision.ts';
import { superviseRevisions } from '#src/activator/supervise.ts';
import type { Probe } from '#src/activator/validations.ts';
import {
  type ListedPod,
  revisionKey,
  revisionObject,
  sliceObject,
} from '#test/machines/activator/objects.ts';
import { FakeCluster } from '#test/support/fake-cluster.ts';
import { recordingTelemetry } from '#test/support/telemetry.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';

const { namespace, name } = revisionKey;

/** A request, as the request path keeps it. */
export class Request {
  readonly #served: ServedRevision;
  readonly #ticket: Ticket | undefined;
  /** What it was told, in order: one grant or one refusal, if it has not given up. */
  readonly told: string[] = [];
  permit: { readonly index: number; readonly gen: number } | undefined;
  dest = '';
  id = '';
  isOver = false;

  /** It is admitted, it waits, or it is refused. */
  constructor(served: ServedRevision) {
    this.#served = served;
    const index = served.admission.admit();
    if (index >= 0) this.#admitted(index);
    else if (index === mustWait) this.#ticket = this.#wait();
    else this.#refused('closed');
  }

  get isWaiting(): boolean {
    return this.told.length === 0;
  }

  get isRunning(): boolean {
    return this.permit !== undefined && !this.isOver;
  }

  end(): void {
    if (this.permit === undefined || this.isOver) return;
    this.isOver = true;
    this.#served.admission.complete(this.permit.index, this.permit.gen);
  }

  cancel(): void {
    if (this.#ticket === undefined || !this.#served.admission.cancel(this.#ticket)) return;
    this.told.push('cancelled');
    this.isOver = true;
  }

  /** It could not reach its pod. */
  fail(): void {
    if (this.isRunning) this.#served.failed(this.dest, this.id);
  }

  #wait(): Ticket | undefined {
    const ticket = this.#served.wait({
      granted: (index) => this.#admitted(index),
      refused: (reason) => this.#refused(reason),
    });
    if (typeof ticket !== 'string') return ticket;
    this.#refused(ticket);
    return undefined;
  }

  #admitted(index: number): void {
    const { table } = this.#served.admission;
    this.told.push('granted');
    this.permit = { index, gen: table.genOf(index) };
    this.dest = table.destOf(index);
    this.id = table.idOf(index);
  }

  #refused(reason: string): void {
    this.told.push(reason);
    this.isOver = true;
  }
}

export interface StageOptions {
  /** Asked for each validation; default: yes, without saying who. */
  readonly answer?: Probe;
  readonly settings?: Partial<ActivatorSettings>;
}

export type Stage = ReturnType<typeof stage>;

export function stage({ answer, settings = {} }: StageOptions = {}) {
  const clock = new VirtualClock();
  const telemetry = recordingTelemetry(activatorFamilies);
  const crashes = new Crashes();
  let ids = 0;
  let version = 0;
  const revisions = superviseRevisions({
    clock,
    random: seeded(1),
    ids: { next: () => `i${++ids}` },
    cluster: new FakeCluster(clock),
    telemetry,
    module: failing(crashes),
    settings,
    probe: answer ?? (() => Promise.resolve({ isOk: true, id: undefined })),
  });
  const { system, plane } = revisions;
  const observe = (observation: Observation): void => system.observe(observation);
  const carryOut = plane.carryOut.bind(plane);
  plane.carryOut = (from, instruction) => {
    crashes.pass(instruction.type);
    carryOut(from, instruction);
  };
  return {
    ...revisions,
    clock,
    telemetry,
    crashes,
    revision: (look: Parameters<typeof revisionObject>[0] = {}): void =>
      observe({
        type: 'seen',
        kind: 'Revision',
        object: revisionObject({ ...look, version: ++version }),
      }),
    noRevision: (uid = 'revision-1'): void =>
      observe({ type: 'gone', ref: { kind: 'Revision', namespace, name }, uid }),
    endpoints: (...pods: readonly ListedPod[]): void =>
      observe({
        type: 'seen',
        kind: 'EndpointSlice',
        object: sliceObject(pods, { version: ++version }),
      }),
    get requests(): ServedRevision | undefined {
      return plane.find(namespace, name);
    },
    get audit(): readonly string[] {
      return plane.find(namespace, name)?.admission.table.audit() ?? [];
    },
    /** `kind/namespace/name` of the actor; undefined: it does not run. */
    get row() {
      return system.row(`revision/${namespace}/${name}`);
    },
  };
}

/** Throws at the n-th place from now on, once: where an event is taken in, before a reconcile or
 *  after it, before an instruction is carried out. In a reconcile nothing happens, so a throw
 *  anywhere in it comes to the same as one after it. */
class Crashes {
  #left = Infinity;
  count = 0;

  at(place: number): void {
    this.#left = place;
  }

  pass(place: string): void {
    this.#left -= 1;
    if (this.#left !== 0) return;
    this.count += 1;
    throw new Error(`injected: ${place}`);
  }
}

function failing(crashes: Crashes): Module<ActivatorInput> {
  const behaviours = activator.behaviours.map((behaviour): Behaviour<ActivatorInput> => ({
    ...behaviour,
    reduce: (snapshot, event) => {
      crashes.pass(event.type);
      return behaviour.reduce(snapshot, event);
    },
    reconcile: (...input) => {
      crashes.pass('before a reconcile');
      const reconciled = behaviour.reconcile(...input);
      crashes.pass('after a reconcile');
      return reconciled;
    },
  }));
  return { ...activator, behaviours };
}
