// The owner subjects of one process: a subscription for each shard that it has, on whichever
// connection is live. Used by the bus (bus/nats/bus.ts); without a queue group, for there is one
// owner.
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { encodeAnswer } from '#bus/codec.ts';
import type { HandlerRegistry } from '#bus/handlers.ts';
import { ownerSubjects } from '#bus/subjects.ts';
import { attempt } from './service.ts';

export class Owned {
  readonly #handlers: HandlerRegistry;
  readonly #subscriptions = new Map<number, Subscription>();
  #shards: ReadonlySet<number> = new Set();

  constructor(handlers: HandlerRegistry) {
    this.#handlers = handlers;
  }

  set(shards: ReadonlySet<number>, connection: NatsConnection | null): void {
    this.#shards = shards;
    for (const [shard, subscription] of this.#subscriptions) {
      if (shards.has(shard)) continue;
      subscription.unsubscribe();
      this.#subscriptions.delete(shard);
    }
    if (connection !== null) this.start(connection);
  }

  /** Throws where the connection is closed. */
  start(connection: NatsConnection): void {
    const callback = (error: Error | null, request: Msg): void => {
      if (error === null) void this.#answer(request);
    };
    for (const shard of this.#shards) {
      if (this.#subscriptions.has(shard)) continue;
      this.#subscriptions.set(shard, connection.subscribe(ownerSubjects(shard), { callback }));
    }
  }

  /** The connection is gone, and its subscriptions with it. */
  stop(): void {
    this.#subscriptions.clear();
  }

  async #answer(request: Msg): Promise<void> {
    const answer = await this.#handlers.receive(request.subject, request.data);
    if (answer !== undefined) attempt(() => request.respond(encodeAnswer(answer)));
  }
}
