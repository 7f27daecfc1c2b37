// One actor of a revision with the real data plane, synchronously and on a clock of its own: a test
// gives objects and answers of pods, and sees instructions, permits and what was counted. What the
// runtime adds, crashes above all, is for test/activator/revision.
import type { AnyMachineSnapshot } from 'xstate';
import type { DataPlane } from '#actors/data-plane.ts';
import type { Intent, Measure } from '#machines/contract/intents.ts';
import { revision } from '#machines/activator/revision/behaviour.ts';
import { readSlice } from '#machines/activator/objects/endpoint-slice.ts';
import { readRevision } from '#machines/activator/objects/revision.ts';
import type { RevisionFact, RevisionInstruction } from '#machines/activator/plane.ts';
import type { RevisionEvent } from '#machines/activator/revision/context.ts';
import { defaultSettings, type ActivatorSettings } from '#machines/activator/settings.ts';
import { isMalformed } from '#machines/kubernetes/meta.ts';
import { type PlaneOptions, RevisionPlane } from '#src/activator/data-plane.ts';
import type { ServedRevision } from '#src/activator/served-revision.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { destOf, type ListedPod, revisionKey, revisionObject, sliceObject } from './objects.ts';

const { namespace, name } = revisionKey;

/** A request that was admitted, as the request path keeps it. */
export interface Permit {
  readonly index: number;
  readonly gen: number;
  readonly dest: string;
  readonly id: string;
}

type Asked = Extract<RevisionInstruction, { type: 'validatePod' }>;

export class RevisionKit {
  readonly #settings: ActivatorSettings;
  readonly #facts: RevisionFact[] = [];
  #snapshot: AnyMachineSnapshot;
  #now = Date.UTC(2026, 0, 1);
  #wakesAt: number | undefined;
  #deferred: (() => void)[] = [];
  readonly plane: RevisionPlane;
  readonly measured: Measure[] = [];
  readonly decided: string[] = [];
  /** Types of instructions, and each `validatePod`. */
  readonly instructed: string[] = [];
  readonly asked: Asked[] = [];
  /** Hears of each state of the chart. */
  trace: (value: unknown) => void = () => undefined;

  constructor(settings: Partial<ActivatorSettings> = {}, limits: PlaneOptions['limits'] = {}) {
    this.#settings = { ...defaultSettings, ...settings };
    this.plane = new RevisionPlane({
      clock: { soon: (run) => void this.#deferred.push(run) },
      random: seeded(1),
      // The kit answers itself.
      probe: () => Promise.withResolvers<never>().promise,
      log: () => undefined,
      limits,
      signal: (_, fact) => void this.#facts.push(fact),
    });
    this.#snapshot = this.#start();
  }

  #start(): AnyMachineSnapshot {
    return revision.start({ key: revisionKey, root: revisionKey, settings: this.#settings });
  }

  get state(): unknown {
    return this.#snapshot.value;
  }

  get now(): number {
    return this.#now;
  }

  get why(): readonly string[] {
    return revision.why(this.#snapshot, this.#now);
  }

  get view() {
    return revision.view(this.#snapshot);
  }

  get isOver(): boolean {
    return revision.isOver(this.#snapshot);
  }

  get wakesAt(): number | undefined {
    return this.#wakesAt;
  }

  get requests(): ServedRevision {
    const found = this.plane.find(namespace, name);
    if (found === undefined) throw new Error('the revision is not served');
    return found;
  }

  /** States of the pods in the table by address. */
  get table(): Readonly<Record<string, string>> {
    const pods = this.requests.admission.table.snapshot();
    return Object.fromEntries(pods.map(({ dest, state }) => [dest, state]));
  }

  send(event: RevisionEvent): this {
    this.#snapshot = revision.reduce(this.#snapshot, event);
    return this;
  }

  given(look: Parameters<typeof revisionObject>[0] = {}): this {
    const observed = readRevision(revisionObject(look));
    if (isMalformed(observed)) throw new Error(observed.malformed);
    return this.send({ type: 'revision.observed', observed });
  }

  gone(uid = 'revision-1'): this {
    return this.send({ type: 'revision.gone', uid });
  }

  listed(...pods: readonly ListedPod[]): this {
    const slice = readSlice(sliceObject(pods));
    if (isMalformed(slice)) throw new Error(slice.malformed);
    return this.send({ type: 'endpoints.read', slices: [slice] });
  }

  /** The newest validation of a pod is answered. */
  answer(ip: string, isOk: boolean, id?: string): this {
    const asked = this.asked.findLast(({ dest }) => dest === destOf(ip));
    if (asked === undefined) throw new Error(`${ip} was not asked`);
    return this.late(asked.dest, asked.attempt, isOk, id);
  }

  /** So is one of a number of the test's choice. */
  late(dest: string, attempt: number, isOk: boolean, id?: string): this {
    const answered: RevisionFact = { type: 'pod.validated', dest, attempt, isOk, id };
    return this.send(answered);
  }

  /** Listed, validated and in the table. */
  serving(...ips: readonly string[]): this {
    this.given()
      .listed(...ips.map((ip) => ({ ip })))
      .reconcile();
    for (const ip of ips) this.answer(ip, true);
    return this.reconcile();
  }

  /** Reconciles until nothing comes back from the data plane. */
  reconcile(): this {
    for (;;) {
      for (const fact of this.#facts.splice(0)) this.send(fact);
      const { snapshot, intents, waits } = revision.reconcile(this.#snapshot, this.#now);
      this.#snapshot = snapshot;
      const times = waits.flatMap(({ until }) => until ?? []);
      this.#wakesAt = times.length === 0 ? undefined : Math.min(...times);
      for (const intent of intents) this.#carryOut(intent);
      this.trace(snapshot.value);
      if (this.#facts.length === 0) return this;
    }
  }

  /** Time passes, with a reconcile at each deadline. */
  advance(ms: number): this {
    const end = this.#now + ms;
    while (this.#wakesAt !== undefined && this.#wakesAt <= end) {
      this.#now = Math.max(this.#now, this.#wakesAt);
      this.#wakesAt = undefined;
      this.reconcile();
    }
    this.#now = end;
    return this;
  }

  /** As the supervisor does after a crash: all that the actor remembered is gone. */
  restart(look: Parameters<typeof revisionObject>[0] = {}, ...pods: readonly ListedPod[]): this {
    this.#facts.length = 0;
    this.#snapshot = this.#start();
    return this.given(look)
      .listed(...pods)
      .reconcile();
  }

  /** As the runtime does when the actor is over. */
  end(): this {
    this.plane.ended(revisionKey);
    return this;
  }

  /** A request that finds a permit. */
  admit(): Permit {
    const { admission } = this.requests;
    const index = admission.admit();
    if (index < 0) throw new Error(`not admitted: ${index}`);
    const { table } = admission;
    return {
      index,
      gen: table.genOf(index),
      dest: table.destOf(index),
      id: table.idOf(index),
    };
  }

  complete({ index, gen }: Permit): this {
    this.requests.admission.complete(index, gen);
    return this;
  }

  /** What was put off to a later turn of the event loop. */
  turn(): this {
    for (const run of this.#deferred.splice(0)) run();
    return this;
  }

  /** How often a family was counted, with these labels. */
  counted(family: string, labels: Readonly<Record<string, string>> = {}): number {
    const isOne = ({ family: of, labels: has }: Measure): boolean =>
      of === family && Object.entries(labels).every(([label, value]) => has[label] === value);
    return this.measured.filter(isOne).length;
  }

  #carryOut(intent: Intent): void {
    if (intent.type === 'measure') this.measured.push(intent);
    if (intent.type === 'decide') this.decided.push(intent.why);
    if (intent.type !== 'instruct') return;
    const { instruction } = intent;
    this.instructed.push(instruction.type);
    if (isAsked(instruction)) this.asked.push(instruction);
    const plane: DataPlane = this.plane;
    plane.carryOut(revisionKey, instruction);
  }
}

const isAsked = (instruction: { readonly type: string }): instruction is Asked =>
  instruction.type === 'validatePod';
