// Objects of ours that carry our label no more, because somebody took it off. Of these the server
// says DELETED, showing them as they were before, and no list or watch of ours shows them: only a
// read tells this from their end, and until one does they count as alive, or a second one would be
// made for the same purpose. client.ts has one of these per kind.
import type { ClusterPort, Clock, Observation, Random, WriteOutcome } from '#actors/ports.ts';
import { refKey, type ObjectRef } from '#machines/contract/address.ts';
import { backoff } from '#machines/contract/backoff.ts';
import { kindRow, mayBeMissing, type Kind } from '#machines/kinds.ts';
import { controllerOf, type KubeObject } from '#machines/kubernetes/objects.ts';
import { isOlder } from '#machines/kubernetes/versions.ts';
import { unreachable, type Failure } from '../errors.ts';
import { listPageSize, unlabelledPauseMs } from '../limits.ts';
import { isSelected, unlabelledSelector } from '../paths.ts';
import type { KubeTransport } from '../transport/transport.ts';
import { abortable } from './abortable.ts';
import { backOff } from './backoff.ts';
import { listAll } from './list.ts';

interface Options {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly read: ClusterPort['read'];
  readonly emit: (observation: Observation) => void;
  readonly signal: AbortSignal;
}

interface Unlabelled {
  readonly ref: ObjectRef;
  readonly uid: string;
  /** Reads since it was lost sight of. */
  reads: number;
  isReading: boolean;
  /** Lost sight of again while a read was under way, whose answer may be from before. */
  isAgain: boolean;
  cancel: () => void;
}

export class UnlabelledPods {
  readonly #kind: Kind;
  readonly #options: Options;
  /** By name and UID. */
  readonly #unlabelled = new Map<string, Unlabelled>();
  /** Of the last list of the kind: what is older may not show what that one did not. */
  #least = '';
  #isDue = false;
  #sweeping: Promise<void> | undefined;

  constructor(kind: Kind, options: Options) {
    this.#kind = kind;
    this.#options = options;
  }

  /** What a watch or a list says. That a pod is gone which may have lost our label only is not
   *  passed on: it is read at once. */
  tell(observation: Observation): void {
    const isEnd = observation.type === 'gone' && observation.isSure === false;
    if (isEnd && unlabelledSelector(this.#kind) !== undefined) this.#doubt(observation);
    else this.#options.emit(observation);
  }

  /** A reply shows it without our label: it is there, but no watch will tell of its end. What
   *  others have without our label is theirs, and known for a while only. */
  shown(object: KubeObject): void {
    const { name, namespace = '', uid = '', resourceVersion = '' } = object.metadata;
    const which = { ref: { kind: this.#kind, namespace, name }, uid };
    if (!isOfOurs(this.#kind, object)) return void this.#forget(which, resourceVersion);
    if (!this.#unlabelled.has(keyOf(which))) this.#wait(this.#open(which));
  }

  /** A list of the kind of this version is complete: one may have come and lost its label since the
   *  one before, so those are listed that have another label of ours. */
  listed(version: string): void {
    const labelSelector = unlabelledSelector(this.#kind);
    if (labelSelector === undefined) return;
    this.#least = version;
    this.#isDue = true;
    this.#sweeping ??= this.#sweepAll(labelSelector);
  }

  /** Resolves when all are found that the lists up to now did not show, or at a stop. */
  async swept(): Promise<void> {
    await this.#sweeping;
  }

  /** After the abort: nothing is read any more. */
  stop(): void {
    for (const { cancel } of this.#unlabelled.values()) cancel();
  }

  /** When whoever has seen it there had the time to take it over. */
  async #forget(which: Pick<Unlabelled, 'ref' | 'uid'>, upTo: string): Promise<void> {
    const { signal, clock, emit } = this.#options;
    await abortable<void>(signal, (done) => clock.at(clock.now() + unlabelledPauseMs.most, done));
    if (signal.aborted) return;
    emit({ type: 'gone', ...which, isSure: false, upTo, isOwnVersion: true });
  }

  #doubt(which: Pick<Unlabelled, 'ref' | 'uid'>): void {
    const stray = this.#open(which);
    stray.reads = 0;
    if (stray.isReading) stray.isAgain = true;
    else void this.#read(stray);
  }

  #open({ ref, uid }: Pick<Unlabelled, 'ref' | 'uid'>): Unlabelled {
    const key = keyOf({ ref, uid });
    const known = this.#unlabelled.get(key);
    known?.cancel();
    const stray = known ?? { ...fresh, ref, uid };
    this.#unlabelled.set(key, stray);
    return stray;
  }

  /** Each is read until it is gone or selected again, ever less often: nothing else would tell of
   *  its end. */
  async #read(stray: Unlabelled): Promise<void> {
    if (this.#options.signal.aborted) return;
    stray.isReading = true;
    stray.isAgain = false;
    stray.reads++;
    const outcome = await this.#options.read(stray.ref);
    stray.isReading = false;
    if (this.#options.signal.aborted) return;
    if (stray.isAgain) return void this.#read(stray);
    if (this.#isOver(stray, outcome)) this.#unlabelled.delete(keyOf(stray));
    else this.#wait(stray);
  }

  /** Tells what the read shows; true where nothing is left to be watched over. */
  #isOver({ ref, uid }: Unlabelled, outcome: WriteOutcome): boolean {
    const { emit } = this.#options;
    if (!outcome.ok) {
      if (outcome.code !== 'NOT_FOUND') return false;
      emit({ type: 'gone', ref, uid, ...(mayBeMissing(ref.kind) ? { isSure: false } : {}) });
      return true;
    }
    const { object } = outcome;
    if (object === undefined) return false;
    if (object.metadata.uid !== uid) {
      emit({ type: 'gone', ref, uid });
      return true;
    }
    emit({ type: 'seen', kind: ref.kind, object });
    return isSelected(ref.kind, object);
  }

  #wait(stray: Unlabelled): void {
    if (this.#options.signal.aborted) return;
    const { clock } = this.#options;
    const { first, most } = unlabelledPauseMs;
    const pauseMs = backoff(stray.reads + 1, first, most);
    stray.cancel = clock.at(clock.now() + pauseMs, () => void this.#read(stray));
  }

  async #sweepAll(labelSelector: string): Promise<void> {
    while (this.#isDue && !this.#options.signal.aborted) {
      this.#isDue = false;
      await this.#sweep(labelSelector);
    }
    this.#sweeping = undefined;
  }

  /** One list, which is empty nearly always; repeated until it succeeds. Never rejects. */
  async #sweep(labelSelector: string): Promise<void> {
    const { transport, clock, random, emit, signal } = this.#options;
    const kind = this.#kind;
    for (let failures = 1; !signal.aborted; failures++) {
      const outcome = await listAll({
        transport,
        clock,
        kind,
        pageSize: listPageSize,
        scope: { labelSelector },
        signal,
        begin: (version) => (isOlder(version, this.#least) ? tooOld : undefined),
        object: (object) => {
          if (signal.aborted || !isOfOurs(kind, object)) return;
          emit({ type: 'seen', kind, object });
          this.shown(object);
        },
      });
      if (outcome.ok) return;
      const pauseMs = outcome.retryAfterMs ?? backOff(failures, random);
      await abortable<void>(signal, (done) => clock.at(clock.now() + pauseMs, done));
    }
  }
}

const fresh = { reads: 0, isReading: false, isAgain: false, cancel: (): void => {} };

const keyOf = ({ ref, uid }: Pick<Unlabelled, 'ref' | 'uid'>): string => `${refKey(ref)} ${uid}`;

/** An object of ours has a controller of ours. */
function isOfOurs(kind: Kind, object: KubeObject): boolean {
  const owners: readonly string[] = kindRow(kind).owners;
  const owner = controllerOf(object);
  return owner !== undefined && owners.includes(owner.kind);
}

const tooOld: Failure = unreachable('the list is older than that of those with our label');
