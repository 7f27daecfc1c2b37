// Messages from actor to actor. Each travels as an envelope of plain frozen JSON: handed over
// directly with a copy on the bus, or sent over the bus, by configuration; the receiver cannot tell
// which. An envelope of another epoch, for a shard that is not held, or that nobody of ours can
// have sent is dropped and counted.
import type { Tell } from '#machines/vocabulary.ts';
import { actorId } from '#machines/vocabulary.ts';
import type { Actor } from './actor.ts';
import type { Cache } from './cache.ts';
import type { Cause, Journal } from './causality.ts';
import type { Limits } from './limits.ts';
import { copyMessage } from './plain.ts';
import type { BusPort, Clock, Envelope, ShardLease, Telemetry } from './ports.ts';
import type { Scheduler } from './scheduler.ts';
import { shardOf } from './shard.ts';
import type { Supervisor } from './supervisor.ts';
import type { Trees } from './tree.ts';

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
  readonly cache: Cache;
  readonly trees: Trees;
  readonly scheduler: Scheduler;
  readonly journal: Journal;
  readonly supervisor: Supervisor;
}

/** What only the runtime says to a machine; a message that claims to be one is not delivered. */
const reserved: ReadonlySet<string> = new Set([
  'reconcile',
  'effect.done',
  'effect.failed',
  'effect.retry',
]);

export class Post {
  readonly #parts: Parts;
  /** Envelopes that were not delivered, by why. */
  readonly dropped = { stale: 0, refused: 0, unknown: 0, full: 0, parked: 0 };

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws ASSERTION, and so crashes the sender, when the message is not plain JSON. */
  send(from: Actor, tell: Tell, cause: Cause): void {
    const { mode, limits, ports, journal } = this.#parts;
    const link = journal.next(cause);
    const message = copyMessage(tell.message, limits.messageNodes);
    const envelope: Envelope = {
      id: link.id,
      cause: cause.id,
      trace: link.trace,
      at: ports.clock.now(),
      from: from.key,
      to: tell.to,
      root: from.root,
      shard: from.shard,
      epoch: ports.lease.epoch(from.shard),
      message,
    };
    journal.publish(from.key, 'told', link, cause, () => ({
      to: actorId(tell.to),
      message: message.type,
    }));
    if (mode === 'nats' && ports.bus?.tell(envelope) === true) return;
    ports.bus?.copy(envelope);
    this.#accept(envelope);
  }

  /** Takes an envelope from the wire. False: it claims to be for an actor of this process, and
   *  nobody of ours can have sent it. */
  readonly receive = (envelope: Envelope): boolean => {
    const flaw = this.#isOurs(envelope) ? this.#flawOf(envelope) : undefined;
    if (flaw === undefined) this.#accept(envelope);
    else this.#drop(flaw, envelope);
    return flaw === undefined;
  };

  /**
   * With delivery direct none of ours goes over the wire. Else whoever may publish can write an
   * envelope, so it makes no actor of which no object is known, and moves none to another tree. One
   * of ours that comes before its object is dropped too: its receiver settles without it.
   */
  #flawOf({ to, root }: Envelope): 'refused' | 'unknown' | undefined {
    const { mode, cache, trees } = this.#parts;
    if (mode === 'direct') return 'refused';
    const known = trees.find(actorId(to))?.root ?? cache.rootOf(actorId(to));
    if (known === undefined) return 'unknown';
    return actorId(known) === actorId(root) ? undefined : 'refused';
  }

  /** It is delivered in a later turn. */
  #accept(envelope: Envelope): void {
    if (!this.#isOurs(envelope)) return this.#drop('stale', envelope);
    const { message, to, root } = envelope;
    if (reserved.has(message.type)) return this.#drop('refused', envelope);
    const { cache, trees, supervisor, scheduler } = this.#parts;
    // It has moved to another tree, or is about to.
    const own = cache.ownRootOf(to);
    if (own !== undefined && actorId(own) !== actorId(root)) return this.#drop('stale', envelope);
    const cause: Cause = { id: envelope.id, trace: envelope.trace };
    const actor = trees.find(actorId(to)) ?? supervisor.spawn(to, root, cause);
    if (actor === undefined) return this.#drop('refused', envelope);
    if (actor.mode === 'parked') return this.#drop('parked', envelope);
    const isTaken = actor.mailbox.post({ type: 'message', event: message, cause });
    if (!isTaken) return this.#drop('full', envelope);
    if (actor.mode === 'alive') scheduler.mail(actor);
  }

  #isOurs({ shard, epoch, root }: Envelope): boolean {
    const { lease } = this.#parts.ports;
    return (
      shardOf(root, lease.shards) === shard && lease.holds(shard) && lease.epoch(shard) === epoch
    );
  }

  #drop(why: keyof Post['dropped'], { to, message }: Envelope): void {
    this.dropped[why]++;
    this.#parts.ports.telemetry.log('debug', 'a message was dropped', {
      why,
      namespace: to.namespace,
      name: to.name,
      message: message.type,
    });
  }
}
