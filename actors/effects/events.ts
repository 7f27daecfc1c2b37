// Kubernetes Events, aggregated: the same reason and note about the same object is one Event whose
// count grows, told to the cluster now and then; a noisy object runs out of allowance. Best effort:
// an Event that cannot be written is tried a few times and then let go.
import type { RecordEvent } from '#machines/contract/intents.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { Limits } from '../limits.ts';
import { putNewest } from '../maps.ts';
import type { Clock, ClusterEvent, ClusterPort, ShardLease } from '../ports.ts';
import type { Actor } from '../run/actor.ts';
import type { Deadlines } from '../run/deadlines.ts';
import { hash32 } from '../shards/shard.ts';
import type { Precedence } from './precedence.ts';
import { answer } from './reply.ts';

class Entry {
  readonly name: string;
  /** Of the actor that records it. Entries outlive actors, so they hold none. */
  readonly shard: number;
  readonly controller: string;
  readonly intent: RecordEvent;
  readonly apiVersion: string;
  readonly firstAt: EpochMs;
  lastAt: EpochMs;
  count = 0;
  /** The count that the cluster knows. */
  reported = 0;
  failures = 0;
  /** The cluster has answered that it has this Event. */
  isWritten = false;
  isResting = false;
  isWaiting = false;

  constructor(name: string, actor: Actor, intent: RecordEvent, apiVersion: string, now: EpochMs) {
    this.name = name;
    this.shard = actor.shard;
    this.controller = intent.reporter ?? actor.behaviour.controller;
    this.intent = intent;
    this.apiVersion = apiVersion;
    this.firstAt = now;
    this.lastAt = now;
  }
}

interface Allowance {
  left: number;
  /** On the steady clock. */
  at: number;
}

const attempts = 3;

interface Parts {
  readonly ports: { cluster: ClusterPort; clock: Clock; lease: ShardLease };
  readonly limits: Limits;
  readonly deadlines: Deadlines;
  readonly precedence: Precedence;
}

export class EventRecorder {
  readonly #parts: Parts;
  readonly #entries = new Map<string, Entry>();
  readonly #allowances = new Map<string, Allowance>();
  #waiting: Entry[] = [];
  #inFlight = 0;
  #isStopped = false;
  /** Events that were not written: over the allowance, or refused. */
  dropped = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.precedence.onResume(() => this.#send());
  }

  get isIdle(): boolean {
    return this.#inFlight === 0 && this.#waiting.length === 0;
  }

  stop(): void {
    this.#isStopped = true;
    this.#waiting = [];
  }

  record(actor: Actor, intent: RecordEvent, object: KubeObject | undefined): void {
    if (this.#isStopped) return;
    const name = eventName(intent, this.#parts.ports.lease.epoch(actor.shard));
    const now = this.#parts.ports.clock.now();
    let entry = this.#entries.get(name);
    if (entry === undefined) {
      if (!this.#isAllowed(intent.regarding.uid)) {
        this.dropped++;
        return;
      }
      entry = new Entry(name, actor, intent, object?.apiVersion ?? '', now);
    }
    entry.count++;
    entry.lastAt = now;
    putNewest(this.#entries, name, entry, this.#parts.limits.eventsKnown);
    this.#offer(entry);
  }

  #offer(entry: Entry): void {
    if (this.#isStopped || entry.isResting || entry.isWaiting || entry.count === entry.reported)
      return;
    entry.isWaiting = true;
    this.#waiting.push(entry);
    this.#send();
  }

  #send(): void {
    const { precedence, limits } = this.#parts;
    while (this.#waiting.length > 0 && this.#inFlight < limits.eventsInFlight) {
      if (!precedence.maySend('last')) return;
      const entry = this.#waiting.shift();
      if (entry === undefined) return;
      entry.isWaiting = false;
      this.#rest(entry);
      // Without the lease it waits for its next turn, like after a failure.
      if (!this.#parts.ports.lease.holds(entry.shard)) {
        this.#failed(entry);
        continue;
      }
      this.#inFlight++;
      precedence.sent('last');
      void this.#tell(entry);
    }
  }

  async #tell(entry: Entry): Promise<void> {
    const { count } = entry;
    const outcome = await answer(() => this.#parts.ports.cluster.event(eventOf(entry)));
    this.#inFlight--;
    this.#parts.precedence.landed('last');
    if (outcome.ok) {
      entry.reported = count;
      entry.failures = 0;
      entry.isWritten = true;
    } else {
      this.#failed(entry);
    }
    if (!this.#isStopped) this.#send();
  }

  /** Let go after a few times, or a shard that is lost for good would keep its Events for ever. */
  #failed(entry: Entry): void {
    if (++entry.failures < attempts) return;
    entry.reported = entry.count;
    entry.failures = 0;
    this.dropped++;
  }

  /** The Event may be written again after a while; what has come up meanwhile goes then. */
  #rest(entry: Entry): void {
    entry.isResting = true;
    this.#parts.deadlines.after(`event ${entry.name}`, this.#parts.limits.eventRepeatMs, () => {
      entry.isResting = false;
      this.#offer(entry);
    });
  }

  /** One token per Event; `eventBurst` of them per object, refilled one by one. */
  #isAllowed(uid: string): boolean {
    const now = this.#parts.ports.clock.steady();
    const { eventBurst, eventRefillMs, eventsKnown } = this.#parts.limits;
    const allowance = this.#allowances.get(uid) ?? { left: eventBurst, at: now };
    const refills = Math.floor((now - allowance.at) / eventRefillMs);
    if (refills > 0) {
      allowance.left = Math.min(eventBurst, allowance.left + refills);
      allowance.at = now;
    }
    putNewest(this.#allowances, uid, allowance, eventsKnown);
    if (allowance.left <= 0) return false;
    allowance.left--;
    return true;
  }
}

function eventOf({
  name,
  intent,
  controller,
  apiVersion,
  count,
  isWritten,
  firstAt,
  lastAt,
}: Entry): ClusterEvent {
  const { severity, reason, note } = intent;
  const regarding = { ...intent.regarding, apiVersion };
  const times = { count, isWritten, firstAt, lastAt };
  return { name, regarding, severity, reason, note, controller, ...times };
}

/**
 * `<object>.<16 hex digits>` of what makes two Events the same: object UID, reason and note, and
 * who counts: the owner of a later epoch knows nothing of the Events of the one before.
 */
export function eventName({ regarding, reason, note }: RecordEvent, epoch: number): string {
  const text = `${regarding.uid}\n${reason}\n${note}${epoch > 1 ? `\n${epoch}` : ''}`;
  const hash = [hash32(text), hash32(text, 0x9747b28c)]
    .map((half) => half.toString(16).padStart(8, '0'))
    .join('');
  return `${regarding.name.slice(0, 236)}.${hash}`;
}
