// A watch that was accepted, brought to life: renders its items, counts towards an injected end and
// delivers either text lines (HTTPS) or values (in this process).
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { Answer } from '../server.ts';
import { copyJson } from '../store/copy.ts';
import { renderEvent } from '../wire/render.ts';
import { jsonOf } from '../wire/reply.ts';
import { Watch, bookmarkObject } from './watch.ts';
import type { WatchItem } from './watch.ts';

export type WatchAnswer = Extract<Answer, { kind: 'watch' }>;

/** One event on its way out. */
export interface Outgoing {
  readonly type: WatchItem['type'];
  /** Its object as a value that belongs to the receiver. */
  readonly value: () => Json;
  /** Its object as JSON text, shared by all receivers where it can be. */
  readonly text: () => string;
}

export interface Receiver {
  readonly events: (events: readonly Outgoing[]) => void;
  /** Once, last. `broken`: not an orderly end, the connection is lost. */
  readonly end: (broken: boolean) => void;
}

/** Starts the watch; the returned function closes it. */
export function runWatch(answer: WatchAnswer, receiver: Receiver): () => void {
  const { call, options, form, drop, failure } = answer;
  const { clock } = call.core.environment;
  let first = true;
  let left = drop?.afterEvents ?? Number.POSITIVE_INFINITY;
  let broken = false;
  const outgoing = (item: WatchItem): Outgoing => {
    if (item.type === 'ERROR') return made(item.type, item.status);
    const object =
      item.type === 'BOOKMARK' ? bookmarkObject(call, item.version, item.initialEnd) : item.object;
    if (form === 'object')
      return item.type === 'BOOKMARK' ? made(item.type, object) : shared(item.type, object);
    const isFirst = first;
    first = false;
    return made(item.type, renderEvent(call, object, form, isFirst));
  };
  const watch = new Watch(call, options, {
    items: (items) => {
      const events = items.slice(0, left).map(outgoing);
      left -= events.length;
      receiver.events(events);
      if (left <= 0) breakOff();
    },
    end: () => receiver.end(broken),
  });
  function breakOff(): void {
    broken = true;
    watch.close();
  }
  if (drop?.afterMs !== undefined) clock.at(clock.now() + drop.afterMs, breakOff);
  if (failure !== undefined) clock.soon(() => watch.fail(failure));
  return () => watch.close();
}

const shared = (type: WatchItem['type'], object: Stored): Outgoing => ({
  type,
  value: () => copyJson(object),
  text: () => jsonOf(object),
});

const made = (type: WatchItem['type'], value: Json | JsonObject): Outgoing => ({
  type,
  value: () => copyJson(value),
  text: () => JSON.stringify(value),
});
