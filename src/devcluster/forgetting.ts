// What the server forgets by itself: Events that have not been written for an hour, as
// kube-apiserver does by a lease in its store, and changes of long ago. cluster.ts starts it.
import type { Clock } from '#actors/ports.ts';
import { textAt } from '#machines/kubernetes/fields.ts';
import { compactEveryMs, eventTtlMs } from './api/limits.ts';
import type { Store } from './api/store/store.ts';
import type { Stored } from './contract.ts';

const checkEveryMs = 60_000;

/** Runs until the returned function is called. */
export function expireEvents(store: Store, clock: Clock): () => void {
  const events = store.collection('/events');
  let cancel = (): void => {};
  const check = (): void => {
    const limit = clock.now() - eventTtlMs;
    for (const event of events.list()) {
      if (lastTouched(event) < limit) store.remove(events, event);
    }
    next();
  };
  const next = (): void => {
    cancel = clock.at(clock.now() + checkEveryMs, check);
  };
  next();
  return () => cancel();
}

/** Keeps the changes of the last five to ten minutes, until the returned function is called. */
export function compactRegularly(store: Store, clock: Clock): () => void {
  let cancel = (): void => {};
  const wait = (from: number): void => {
    cancel = clock.at(clock.now() + compactEveryMs, () => {
      store.compact(from);
      wait(store.version);
    });
  };
  wait(0);
  return () => cancel();
}

/** The latest of the times that an Event carries; 0 when it carries none. */
function lastTouched(event: Stored): number {
  const times = [
    textAt(event, 'lastTimestamp'),
    textAt(event, 'eventTime'),
    textAt(event.metadata, 'creationTimestamp'),
  ];
  return Math.max(0, ...times.filter((time) => time !== '').map((time) => Date.parse(time)));
}
