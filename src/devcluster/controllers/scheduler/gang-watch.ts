// Follows gangs for the scheduler, and keeps the pods that wait for theirs: until it is seen and
// lists them, and until enough of its pods are there without a gate.
import type { Stored } from '#src/devcluster/contract.ts';
import type { GangKind } from '../../plugins/contract.ts';
import { keyOf } from '../client.ts';
import { Informer } from '../informer.ts';
import type { ControllerContext } from '../options.ts';
import { gangAt, GangBook } from './gangs.ts';
import type { Standing } from './gangs.ts';
import type { Notices } from './notices.ts';

/** So long a pod waits in silence for its gang: usually the rest is about to come. */
const patienceMs = 1_000;

type Waiting = Extract<Standing, { readonly message: string }>;

interface Awaiting {
  readonly pods: Set<string>;
  /** Over when it is time to say what is waited for. */
  cancel: (() => void) | undefined;
  /** What was said; empty: nothing yet. */
  told: string;
}

export class GangWatch {
  readonly #context: ControllerContext;
  readonly #book: GangBook;
  readonly #again: (keys: Iterable<string>) => void;
  /** A gang has other topology constraints: what did not fit may fit now. */
  readonly #constrained: () => void;
  /** By gang. */
  readonly #awaiting = new Map<string, Awaiting>();
  readonly #gangOf = new Map<string, string>();
  /** Keys of pods whose gang did not come: they are placed by themselves. */
  readonly #givenUp = new Set<string>();
  /** Keys of pods that waited long enough to be told why. */
  readonly #patient = new Set<string>();
  readonly #informers = new Map<GangKind, Informer>();

  constructor(
    context: ControllerContext,
    book: GangBook,
    react: {
      readonly again: (keys: Iterable<string>) => void;
      readonly constrained: () => void;
    },
  ) {
    this.#context = context;
    this.#book = book;
    this.#again = react.again;
    this.#constrained = react.constrained;
  }

  /** False while it will say or do something without anything else changing. */
  get idle(): boolean {
    return [...this.#awaiting.values()].every(({ cancel }) => cancel === undefined);
  }

  stop(): void {
    for (const informer of this.#informers.values()) informer.stop();
    for (const { cancel } of this.#awaiting.values()) cancel?.();
  }

  /** Another pod of a gang may be what the others wait for. */
  podSeen(pod: Stored): void {
    const gang = this.#book.gangOf(pod);
    if (gang === undefined) return;
    this.#follow(gang.kind);
    const awaiting = this.#awaiting.get(gang.key);
    const first = awaiting?.pods.values().next().value;
    const waiting = first === undefined ? undefined : this.#podAt(first);
    if (awaiting === undefined || waiting === undefined) return;
    const standing = this.#book.standingOf(waiting);
    const isSaid = standing.is === 'short' && ['', standing.message].includes(awaiting.told);
    if (!isSaid) this.#wake(gang.key);
  }

  isAwaiting(key: string): boolean {
    return this.#gangOf.has(key);
  }

  isGivenUp(pod: Stored, { is }: Standing): boolean {
    return is === 'unknown' && this.#givenUp.has(keyOf(pod));
  }

  /** Keeps the pod; says why once it has waited for a while. Throws RetryLater. */
  async await(pod: Stored, { message, is }: Waiting, notices: Notices): Promise<void> {
    const [key, gang] = [keyOf(pod), this.#book.gangOf(pod)?.key ?? ''];
    const awaiting = this.#awaiting.get(gang) ?? { pods: new Set(), cancel: undefined, told: '' };
    this.#awaiting.set(gang, awaiting);
    awaiting.pods.add(key);
    this.#gangOf.set(key, gang);
    if (this.#patient.has(key)) {
      // A gang that is not there is nobody's to wait for; gates are what holds a pod back.
      if (is === 'short') {
        awaiting.told = message;
        return notices.unschedulable(pod, message);
      }
      this.#givenUp.add(key);
      this.release(key);
      return this.#again([key]);
    }
    const { clock } = this.#context;
    awaiting.cancel ??= clock.at(clock.now() + patienceMs, () => {
      awaiting.cancel = undefined;
      for (const one of awaiting.pods) this.#patient.add(one);
      this.#wake(gang);
    });
  }

  /** True when the pod waited; it does not any more. */
  release(key: string): boolean {
    const gang = this.#gangOf.get(key);
    if (gang === undefined) return false;
    this.#gangOf.delete(key);
    const awaiting = this.#awaiting.get(gang);
    awaiting?.pods.delete(key);
    if (awaiting === undefined || awaiting.pods.size > 0) return true;
    awaiting.cancel?.();
    this.#awaiting.delete(gang);
    return true;
  }

  forget(key: string): void {
    this.release(key);
    this.#givenUp.delete(key);
    this.#patient.delete(key);
  }

  #wake(gang: string): void {
    const keys = [...(this.#awaiting.get(gang)?.pods ?? [])];
    if (keys.length === 0) return;
    for (const key of keys) this.release(key);
    this.#again(keys);
  }

  #podAt(key: string): Stored | undefined {
    return this.#context.informers.at('/api/v1/pods').get(key);
  }

  /** Begun by the first pod that names a gang: the kind may not be installed. */
  #follow(kind: GangKind): void {
    if (this.#informers.has(kind)) return;
    const { client, clock } = this.#context;
    const informer = new Informer(client, clock, kind.path);
    this.#informers.set(kind, informer);
    informer.listen({
      seen: (gang) => {
        if (this.#book.set(kind, gang)) this.#constrained();
        this.#wake(gangAt(kind, keyOf(gang)));
      },
      gone: (gang) => {
        this.#book.delete(kind, gang);
        this.#wake(gangAt(kind, keyOf(gang)));
      },
    });
  }
}
