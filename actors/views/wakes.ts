// Whoever reads a view is woken when its value changes: within the process, with a copy on the bus,
// or over the bus, by configuration. What wakes is no more than a hint: the value is read from the
// view at the next reconcile, so an envelope that is lost, late, repeated or forged costs time
// alone. One that the bus took and that has not woken its reader soon is made good without it.
import { actorId } from '#machines/contract/address.ts';
import type { View } from '#machines/contract/view.ts';
import { redactText } from '#machines/kubernetes/secret-text.ts';
import type { Limits } from '../limits.ts';
import type { Cause, Journal } from '../mail/causality.ts';
import type { BusPort, Clock, Envelope, ShardLease, Telemetry } from '../ports.ts';
import type { Actor } from '../run/actor.ts';
import type { Scheduler } from '../run/scheduler.ts';
import type { Trees } from '../run/tree.ts';
import { shardOf } from '../shards/shard.ts';
import type { Change, Views } from './views.ts';

/** `direct`: within the process, and a copy on the bus. `nats`: over the bus, if it is there. */
export type DeliveryMode = 'direct' | 'nats';

interface Parts {
  readonly mode: DeliveryMode;
  readonly limits: Limits;
  readonly ports: {
    bus: BusPort | undefined;
    clock: Clock;
    lease: ShardLease;
    telemetry: Telemetry;
  };
  readonly trees: Trees;
  readonly views: Views<Actor>;
  readonly scheduler: Scheduler;
  readonly journal: Journal;
}

/** Characters of what people see of a value. */
const maxTextLength = 200;

/** For people only, so a view that cannot say it keeps nobody from being woken. */
function wordsOf(view: View, value: unknown): string {
  try {
    return value === undefined ? '' : view.say(value).slice(0, maxTextLength);
  } catch {
    return '';
  }
}

const timerOf = ({ id }: Actor): string => `${id}\nview`;

export class Wakes {
  readonly #parts: Parts;
  #waiting: { readonly reader: Actor; readonly change: Change<Actor> }[] = [];
  #at = 0;
  /** Envelopes that woke nobody, by why. */
  readonly dropped = { stale: 0, refused: 0, unknown: 0 };

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Wakes a number of those who read what has changed; true where more are left. */
  readonly flush = (): boolean => {
    const { views, limits } = this.#parts;
    for (const change of views.changes()) {
      for (const reader of change.readers) this.#waiting.push({ reader, change });
    }
    for (let count = 0; count < limits.mailBatch; count++) {
      const next = this.#waiting[this.#at++];
      if (next === undefined) {
        this.#waiting = [];
        this.#at = 0;
        return false;
      }
      const { reader, change } = next;
      // Who has read it since needs no waking.
      const isKnown = reader.reads.get(change.id)?.value === change.value;
      if (reader.mode === 'alive' && !isKnown) this.#wake(reader, change);
    }
    return true;
  };

  /** It has read all that it reads. */
  hasRead(reader: Actor): void {
    if (!reader.isWakeAwaited) return;
    reader.isWakeAwaited = false;
    this.#parts.trees.deadlines(reader.shard).clear(timerOf(reader));
  }

  /** Takes an envelope from the wire. False: nobody of ours can have sent it. */
  readonly receive = (envelope: Envelope): boolean => {
    const error = this.#errorOf(envelope);
    if (error !== undefined) {
      this.#drop(error, envelope);
      return error !== 'refused';
    }
    const reader = this.#parts.trees.find(actorId(envelope.to));
    if (reader?.mode === 'alive') {
      this.#touch(reader, { id: envelope.id, trace: envelope.trace });
    }
    return true;
  };

  #wake(reader: Actor, { view, key, value, cause }: Change<Actor>): void {
    const { mode, ports, journal } = this.#parts;
    const { bus } = ports;
    const news = { view: view.name, key, value: wordsOf(view, value) };
    // The fact is masked where it is noted.
    const link = journal.note(reader.key, 'woken', cause, news);
    if (bus === undefined) return this.#touch(reader, link);
    const envelope: Envelope = {
      id: link.id,
      cause: cause.id,
      trace: link.trace,
      at: ports.clock.now(),
      to: reader.key,
      root: reader.root,
      shard: reader.shard,
      epoch: ports.lease.epoch(reader.shard),
      ...news,
      value: redactText(news.value),
    };
    if (mode === 'nats' && bus.tell(envelope)) return this.#await(reader, link);
    bus.copy(envelope);
    this.#touch(reader, link);
  }

  /** Counts as what comes by mail does. */
  #touch(reader: Actor, cause: Cause): void {
    const { scheduler, ports } = this.#parts;
    const { controller } = reader.behaviour;
    const depth = scheduler.waiting(controller);
    if (reader.touched === undefined) {
      ports.telemetry.queued({ controller, depth, waitedSeconds: 0 });
    }
    scheduler.touch(reader, cause, 'news');
  }

  /** The envelope may be lost. */
  #await(reader: Actor, cause: Cause): void {
    const { trees, limits } = this.#parts;
    if (reader.isWakeAwaited) return;
    reader.isWakeAwaited = true;
    trees.deadlines(reader.shard).after(timerOf(reader), limits.wakeMs, () => {
      if (reader.mode === 'alive') this.#touch(reader, cause);
    });
  }

  /** With delivery direct none of ours goes over the wire. */
  #errorOf({ to, root, shard, epoch }: Envelope): keyof Wakes['dropped'] | undefined {
    const { mode, trees, ports } = this.#parts;
    const { lease } = ports;
    if (shardOf(root, lease.shards) !== shard) return 'refused';
    if (!lease.holds(shard) || lease.epoch(shard) !== epoch) return 'stale';
    if (mode === 'direct') return 'refused';
    const reader = trees.find(actorId(to));
    if (reader === undefined) return 'unknown';
    return actorId(reader.root) === actorId(root) ? undefined : 'stale';
  }

  #drop(why: keyof Wakes['dropped'], { to, view }: Envelope): void {
    this.dropped[why]++;
    this.#parts.ports.telemetry.log('debug', 'a message was dropped', {
      why,
      namespace: to.namespace,
      name: to.name,
      view,
    });
  }
}
