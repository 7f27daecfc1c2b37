// The writes of one process of a history: one per object at a time, each under way until a test
// says what comes of it. What an answer means is the table of the runtime. Part of late-world.ts.
import {
  createdUid,
  judge,
  judgeRead,
  judgeUnread,
  type Verdict,
} from '#actors/effects/verdict.ts';
import type { Observation, WriteOutcome } from '#actors/ports.ts';
import { refKey } from '#machines/contract/address.ts';
import type { ObjectRef } from '#machines/contract/address.ts';
import type { ErrorCode } from '#machines/contract/errors.ts';
import { isWatched } from '#machines/kinds.ts';
import { isEqual } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { LateStore } from './late-store.ts';
import { isLook, opOf } from './world-intents.ts';
import type { WriteIntent } from './world-store.ts';

export interface MachineEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A write under way, or one that waits after a failure: its object takes no other. */
interface ObjectWrites {
  readonly intent: WriteIntent;
  readonly sender: string;
  readonly waiters: Set<string>;
  isPaused: boolean;
}

/** What comes of a write on the wire. */
export type Fate = 'answered' | 'lost request' | 'lost reply' | 'refused' | 'forbidden';

interface Parts {
  readonly store: Pick<LateStore, 'write' | 'read' | 'now'>;
  /** The object as the process knows it. */
  readonly seen: (ref: ObjectRef) => KubeObject | undefined;
  readonly decided: (intent: WriteIntent) => void;
  readonly landed: (intent: WriteIntent) => void;
  readonly observe: (observation: Observation) => void;
  /** By id of the actor. */
  readonly tell: (id: string, event: MachineEvent) => void;
}

export class LateWrites {
  /** Those that reached the server, e.g. `patch Pod/demo/a`, without looks. */
  readonly arrived: string[] = [];
  readonly #parts: Parts;
  readonly #writesByObject = new Map<string, ObjectWrites>();
  /** What has failed and may be tried again, and was not looked at since. */
  readonly #retried = new Map<string, ObjectWrites>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get inFlight(): readonly WriteIntent[] {
    return this.#flying().map(([, { intent }]) => intent);
  }

  #flying(): readonly (readonly [string, ObjectWrites])[] {
    return [...this.#writesByObject].filter(([, objectWrites]) => !objectWrites.isPaused);
  }

  land(pick: number, fate: Fate): void {
    const flying = this.#flying();
    const [key, objectWrites] = flying[pick % Math.max(1, flying.length)] ?? [];
    if (key === undefined || objectWrites === undefined) return;
    this.#conclude(key, objectWrites, this.#answer(objectWrites.intent, fate));
  }

  /** What was refused may be tried again. Who did not, wants it no more: the error is over. */
  resume(): void {
    for (const [key, { intent, sender }] of this.#retried) {
      if (this.#writesByObject.has(key)) continue;
      const { ref } = intent;
      this.#parts.tell(sender, { type: 'effect.done', op: opOf[intent.type], ref });
    }
    this.#retried.clear();
    for (const [key, objectWrites] of [...this.#writesByObject])
      if (objectWrites.isPaused) this.#free(key, objectWrites, true);
  }

  /** The process ends. What it had under way lands where `isLate` says so; nobody hears of it. */
  end(isLate: (at: number) => boolean): void {
    for (const [at, intent] of this.inFlight.entries()) if (isLate(at)) this.#arrive(intent);
    this.#writesByObject.clear();
    this.#retried.clear();
  }

  want(sender: string, intent: WriteIntent): void {
    const key = refKey(intent.ref);
    const busy = this.#writesByObject.get(key);
    if (busy !== undefined) return void busy.waiters.add(sender);
    const known = this.#parts.seen(intent.ref);
    const isDone =
      (intent.type === 'writeStatus' && isEqual(known?.['status'], intent.status)) ||
      (intent.type === 'deleteObject' && known?.metadata.deletionTimestamp !== undefined);
    if (isDone) return;
    this.#parts.decided(intent);
    const waiters = new Set<string>();
    this.#writesByObject.set(key, { intent, sender, waiters, isPaused: false });
  }

  #answer(intent: WriteIntent, fate: Fate): Verdict {
    if (fate === 'lost request') return judge(intent, failure('UNREACHABLE'));
    if (fate === 'refused') return judge(intent, failure('SERVER_ERROR'));
    if (fate === 'forbidden') return judge(intent, failure('FORBIDDEN'));
    const outcome = this.#arrive(intent);
    if (fate === 'lost reply') return judge(intent, failure('UNREACHABLE'));
    const verdict = judge(intent, outcome);
    if (verdict.type !== 'read' || outcome.ok) return verdict;
    if (!isWatched(intent.ref.kind)) return judgeUnread(intent, outcome);
    return judgeRead(intent, outcome, this.#parts.store.read(intent.ref));
  }

  #arrive(intent: WriteIntent): WriteOutcome {
    const outcome = this.#parts.store.write(intent, this.#parts.seen(intent.ref));
    if (!isLook(intent, outcome)) this.arrived.push(`${opOf[intent.type]} ${refKey(intent.ref)}`);
    if (outcome.ok) this.#parts.landed(intent);
    return outcome;
  }

  #conclude(key: string, objectWrites: ObjectWrites, verdict: Verdict): void {
    if (verdict.type === 'read') throw new Error('a read is wanted twice');
    const { intent } = objectWrites;
    const observations = isWatched(intent.ref.kind) ? verdict.observations : [];
    for (const observation of observations) this.#parts.observe(observation);
    const op = opOf[intent.type];
    const { ref } = intent;
    if (verdict.type === 'done') {
      const uid = createdUid(intent, verdict);
      this.#parts.tell(objectWrites.sender, { type: 'effect.done', op, ref, ...(uid && { uid }) });
      return this.#free(key, objectWrites, false);
    }
    const { code, message } = verdict;
    const { now } = this.#parts.store;
    const retryAt = verdict.retry === 'now' ? now : now + 1;
    const failed = { type: 'effect.failed', op, ref, code, message, now, retryAt };
    objectWrites.isPaused = true;
    this.#parts.tell(objectWrites.sender, failed);
    if (verdict.retry === 'now') this.#free(key, objectWrites, true);
  }

  /** The object may be written to again: who wanted to hears of it. */
  #free(key: string, objectWrites: ObjectWrites, isRetry: boolean): void {
    const { intent, sender, waiters } = objectWrites;
    if (isRetry) this.#retried.set(key, objectWrites);
    if (this.#writesByObject.get(key)?.intent === intent) this.#writesByObject.delete(key);
    const told = isRetry ? new Set([sender, ...waiters]) : waiters;
    for (const id of told) this.#parts.tell(id, { type: 'effect.retry', ref: intent.ref });
  }
}

const failure = (code: ErrorCode): Extract<WriteOutcome, { ok: false }> => ({
  ok: false,
  code,
  message: 'of the history',
});
