// Runs one behaviour synchronously on a clock of its own and hands out its effects as data: no
// runtime, no promises, no time but what the test says. Used by the tests of all behaviours.
import type { AnyMachineSnapshot } from 'xstate';
import { actorId } from '#machines/contract/address.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import type { ErrorCode } from '#machines/contract/errors.ts';
import type { CommonEvent } from '#machines/contract/events.ts';
import type {
  CreateObject,
  DeleteObject,
  Intent,
  PatchObject,
  WriteStatus,
} from '#machines/contract/intents.ts';
import type { Operation } from '#machines/contract/kind.ts';
import type { Route } from '#machines/contract/route.ts';
import type { GroveInput, GroveSettings } from '#machines/grove/settings.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';

export const kitSettings: GroveSettings = {
  defaultSchedulerName: 'default-scheduler',
  schedulerNames: ['default-scheduler'],
  initContainerImage: 'example.org/grove-initc:test',
  isTopologyAware: false,
  makesComputeDomains: true,
};

export interface KitOptions {
  readonly key: ActorKey;
  /** The same as `key` when left out. */
  readonly root?: ActorKey;
  readonly settings?: GroveSettings;
  /** How `given` and `gone` turn objects into events. */
  readonly routes?: readonly Route[];
  readonly start?: EpochMs;
}

type WriteIntent = CreateObject | PatchObject | DeleteObject | WriteStatus;
type OfType<T extends Intent['type']> = Extract<Intent, { type: T }>;

/** One actor under test. A reconcile returns the intents that it yields, in order. */
export class Kit {
  readonly #behaviour: Behaviour<GroveInput>;
  readonly #options: KitOptions;
  readonly #before = new Map<string, { routes: [Route, unknown][]; object: KubeObject }>();
  #snapshot: AnyMachineSnapshot;
  #now: EpochMs;
  #wakesAt: EpochMs | undefined;
  /** Everything that was expressed so far. */
  readonly intents: Intent[] = [];
  /** Whether the last step changed the snapshot: false means "no news". */
  changed = true;

  constructor(behaviour: Behaviour<GroveInput>, options: KitOptions) {
    this.#behaviour = behaviour;
    this.#options = options;
    this.#now = options.start ?? Date.UTC(2026, 0, 1);
    const { key, root = key, settings = kitSettings } = options;
    this.#snapshot = behaviour.start({ key, root, settings });
  }

  get now(): EpochMs {
    return this.#now;
  }

  get snapshot(): AnyMachineSnapshot {
    return this.#snapshot;
  }

  get value(): unknown {
    return this.#snapshot.value;
  }

  get isOver(): boolean {
    return this.#snapshot.status !== 'active' || this.#behaviour.isOver(this.#snapshot);
  }

  get why(): readonly string[] {
    return this.#behaviour.why(this.#snapshot, this.#now);
  }

  /** When it is reconciled again at the latest. */
  get wakesAt(): EpochMs | undefined {
    return this.#wakesAt;
  }

  send(event: { readonly type: string }): void {
    const snapshot = this.#behaviour.reduce(this.#snapshot, event);
    this.changed = snapshot !== this.#snapshot;
    this.#snapshot = snapshot;
  }

  /** Delivers the objects as the routes say, as seen on a watch. */
  given(...objects: readonly KubeObject[]): this {
    for (const object of objects) this.#see(object);
    return this;
  }

  /** Delivers that the objects are gone. */
  gone(...objects: readonly KubeObject[]): this {
    for (const object of objects) {
      for (const [route, fact] of this.#before.get(idOf(object))?.routes ?? []) {
        this.#deliver(route.forget(fact, object));
      }
      this.#before.delete(idOf(object));
    }
    return this;
  }

  stabilize(): Intent[] {
    const { snapshot, intents, waits } = this.#behaviour.reconcile(this.#snapshot, this.#now);
    this.changed = snapshot !== this.#snapshot;
    this.#snapshot = snapshot;
    const times = waits.map(({ until = Infinity }) => until);
    const first = Math.min(...times);
    this.#wakesAt = first === Infinity ? undefined : first;
    this.intents.push(...intents);
    return [...intents];
  }

  /** Moves the time on, with a reconcile at each deadline that passes. */
  advance(ms: number): Intent[] {
    const end = this.#now + ms;
    const expressed: Intent[] = [];
    for (;;) {
      const at = this.#wakesAt;
      if (at === undefined || at > end) break;
      this.#wakesAt = undefined;
      this.#now = Math.max(this.#now, at);
      expressed.push(...this.stabilize());
    }
    this.#now = end;
    return expressed;
  }

  /** The write succeeded; its reply, if given, is delivered before. */
  done(intent: WriteIntent, reply?: KubeObject): void {
    if (reply !== undefined) this.#see(reply);
    this.#runtime({ type: 'effect.done', op: operations[intent.type], ref: intent.ref });
  }

  /** The write failed; by default it is retried in a second. */
  failed(intent: WriteIntent, code: ErrorCode, retryAt: EpochMs | null = this.#now + 1000): void {
    this.#runtime({
      type: 'effect.failed',
      op: operations[intent.type],
      ref: intent.ref,
      code,
      message: `${code} of the test`,
      now: this.#now,
      retryAt,
    });
  }

  retry(intent: WriteIntent): void {
    this.#runtime({ type: 'effect.retry', ref: intent.ref });
  }

  #runtime(event: CommonEvent): void {
    this.send(event);
  }

  #see(object: KubeObject): void {
    const routes: [Route, unknown][] = [];
    const before = this.#before.get(idOf(object))?.routes ?? [];
    for (const route of this.#options.routes ?? []) {
      if (route.kind !== object.kind) continue;
      const fact = route.decode(object);
      if (isMalformed(fact)) throw new Error(`${idOf(object)} is malformed: ${fact.malformed}`);
      routes.push([route, fact]);
      const deliveries = route.deliver(fact, object);
      const old = before.find(([known]) => known === route);
      const isLost = !deliveries.some(({ to }) => this.#isMe(to));
      if (old !== undefined && isLost) this.#deliver(route.forget(old[1], object));
      this.#deliver(deliveries);
    }
    this.#before.set(idOf(object), { routes, object });
  }

  #deliver(deliveries: ReturnType<Route['deliver']>): void {
    for (const { to, event } of deliveries) if (this.#isMe(to)) this.send(event);
  }

  #isMe(to: ActorKey): boolean {
    return actorId(to) === actorId(this.#options.key);
  }
}

export const kit = (behaviour: Behaviour<GroveInput>, options: KitOptions): Kit =>
  new Kit(behaviour, options);

/** Those intents of a list that are of one type. */
export function ofType<T extends Intent['type']>(intents: readonly Intent[], type: T): OfType<T>[] {
  return intents.filter((intent): intent is OfType<T> => intent.type === type);
}

const operations: Record<WriteIntent['type'], Operation> = {
  createObject: 'create',
  patchObject: 'patch',
  deleteObject: 'delete',
  writeStatus: 'status',
};

const idOf = ({ kind, metadata }: KubeObject): string =>
  `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;

const isMalformed = (fact: unknown): fact is { readonly malformed: string } =>
  typeof fact === 'object' && fact !== null && 'malformed' in fact;
