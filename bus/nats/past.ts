// What the stream keeps of one actor, newest first: read through a consumer of its own, which
// filters by the subjects of the actor and goes with the answer. Bounded in time and number, as
// somebody waits for the answer to `history`. Called by bus.ts.
import { AckPolicy, DeliverPolicy, jetstream } from '@nats-io/jetstream';
import type { Consumer, ConsumerConfig } from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import type { Clock, Past, WantedPast } from '#actors/ports.ts';
import { decodeFact } from '#bus/codec.ts';
import { busLimits } from '#bus/limits.ts';

type Placed = Past['facts'][number];

interface Reading {
  readonly clock: Clock;
  readonly stream: string;
  /** The subjects. */
  readonly filter: string;
  /** Of the consumer. */
  readonly name: string;
}

/** Rejects where the stream does not answer in time. */
export async function readPast(
  connection: NatsConnection,
  { clock, stream, filter, name }: Reading,
  wanted: WantedPast,
): Promise<Past> {
  const client = jetstream(connection, { timeout: busLimits.pastMs });
  const { consumers } = await client.jetstreamManager(false);
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  const cancel = clock.at(clock.now() + busLimits.pastMs, () =>
    late.reject(new Error(`no answer within ${busLimits.pastMs} ms`)),
  );
  const config: Partial<ConsumerConfig> & { name: string } = {
    name,
    filter_subject: filter,
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.All,
    inactive_threshold: nanos(5 * busLimits.pastMs),
    mem_storage: true,
    num_replicas: 1,
  };
  try {
    const added = await Promise.race([consumers.add(stream, config), late.promise]);
    const consumer = client.consumers.getConsumerFromInfo(added);
    return await Promise.race([collect(consumer, added.num_pending, wanted), late.promise]);
  } finally {
    cancel();
    // It ends by itself where this is not answered.
    void consumers.delete(stream, name).catch(() => {});
  }
}

/** The stream is read from its oldest message on; what is too old for the page goes again. */
async function collect(consumer: Consumer, pending: number, wanted: WantedPast): Promise<Past> {
  const { limit, before = Infinity, until, notBehind } = wanted;
  const kept: Placed[] = [];
  let isMore = false;
  let next = 1;
  for (let left = pending; left > 0; left -= busLimits.pastBatch) {
    const most = Math.min(left, busLimits.pastBatch);
    const messages = await consumer.fetch({ max_messages: most, expires: busLimits.pastMs });
    for await (const { seq, data } of messages) {
      const decoded = decodeFact(data);
      if (seq >= before || (decoded.ok && decoded.value.id === notBehind)) {
        return pageOf(kept, isMore, next);
      }
      if (!decoded.ok || decoded.value.at > until) continue;
      kept.push({ place: seq, fact: decoded.value });
      next = seq + 1;
      if (kept.length > limit) isMore = kept.shift() !== undefined;
    }
  }
  return pageOf(kept, isMore, next);
}

/** `next`: behind the newest that was found. */
const pageOf = (kept: readonly Placed[], isMore: boolean, next: number): Past => ({
  facts: kept.toReversed(),
  ...(isMore && { before: kept[0]?.place ?? next }),
});
