// B-4 and B-5: what it costs to wait, to be granted a permit and to cancel, by length of the queue;
// and how long the event loop is held up when a large queue is woken.
import { Backlog } from '#src/activator/admission/backlog.ts';
import { Admission } from '#src/activator/admission/admission.ts';
import { Turns } from '#src/activator/admission/turns.ts';
import type { Ticket, WaitHandler } from '#src/activator/admission/types.ts';
import { type Body, type Cell, emptyLoop } from '../body.ts';
import { admissionOf, now, optionsOf, podsAt } from '../tables.ts';

export const queueLengths = [1, 100, 10_000] as const;
export const chunks = [64, 256, 1_024] as const;

const backlogOf = 10_000;

/** Remembers its permit, as a request does. */
class Request implements WaitHandler {
  index = -1;
  gen = 0;

  granted(index: number, gen: number): void {
    this.index = index;
    this.gen = gen;
  }

  refused(): void {
    this.index = -2;
  }
}

function ticketOf(admission: Admission, request: Request): Ticket {
  const ticket = admission.wait(request);
  if (typeof ticket === 'string') throw new Error(`a request does not wait: ${ticket}`);
  return ticket;
}

const onePod = (): Admission => {
  const admission = admissionOf(optionsOf('first-available', { limit: 1 }));
  admission.change((table) => table.recalculate(podsAt(1), 1, now));
  return admission;
};

/** Heap for each of the requests that wait, without the request itself. */
function bytesOfWaiter(): number {
  const admission = onePod();
  const requests = Array.from({ length: backlogOf }, () => new Request());
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (const request of requests) admission.wait(request);
  globalThis.gc?.();
  const bytes = (process.memoryUsage().heapUsed - before) / backlogOf;
  if (admission.figures.waiting !== backlogOf) throw new Error('not all of them wait');
  return bytes;
}

/** The one that runs ends, the first that waits comes to run, and another one waits. */
function granting(length: number): Body {
  const bytes = bytesOfWaiter();
  const admission = onePod();
  const requests = Array.from({ length: length + 1 }, () => new Request());
  let running = requests[0] ?? new Request();
  running.granted(admission.admit(), 1);
  for (const request of requests.slice(1)) admission.wait(request);
  let at = 1;
  const run = (count: number): number => {
    for (let round = 0; round < count; round++) {
      admission.complete(running.index, running.gen);
      admission.wait(running);
      running = requests[at] ?? running;
      at = at === length ? 0 : at + 1;
    }
    return running.index;
  };
  return { run, empty: emptyLoop, count: 50_000, figures: () => ({ bytes_per_waiter: bytes }) };
}

/** The oldest one cancels, and another one waits. */
function cancelling(length: number): Body {
  const admission = onePod();
  admission.admit();
  const request = new Request();
  const tickets = Array.from({ length }, () => ticketOf(admission, request));
  let at = 0;
  const run = (count: number): number => {
    for (let round = 0; round < count; round++) {
      const ticket = tickets[at];
      if (ticket !== undefined) admission.cancel(ticket);
      tickets[at] = ticketOf(admission, request);
      at = at + 1 === length ? 0 : at + 1;
    }
    return admission.figures.waiting;
  };
  return { run, empty: emptyLoop, count: 50_000 };
}

/** A queue of 10,000, and the first pod, which takes all of them. One operation is all of that. */
function waking(chunk: number): Body {
  let longest = 0;
  const run = (count: number): number => {
    let granted = 0;
    for (let round = 0; round < count; round++) {
      const deferred: (() => void)[] = [];
      const admission = new Admission({
        table: optionsOf('random-choice-2'),
        backlog: new Backlog(),
        turns: new Turns((run) => deferred.push(run), chunk),
      });
      const requests = Array.from({ length: backlogOf }, () => new Request());
      for (const request of requests) admission.wait(request);
      deferred.push(() => admission.change((table) => table.recalculate(podsAt(100), 1, now)));
      for (let turn = deferred.shift(); turn !== undefined; turn = deferred.shift()) {
        const begun = performance.now();
        turn();
        longest = Math.max(longest, performance.now() - begun);
      }
      granted += requests.filter(({ index }) => index >= 0).length;
    }
    if (granted !== count * backlogOf) throw new Error('not all of them were granted a permit');
    return granted;
  };
  return { run, empty: emptyLoop, count: 1, figures: () => ({ longest_block_ms: longest }) };
}

export const waitingCells: readonly Cell[] = [
  ...queueLengths.map((length): Cell => ({
    part: 'B-4',
    name: `wait and grant, ${length} waiting`,
    make: () => granting(length),
  })),
  ...queueLengths.map((length): Cell => ({
    part: 'B-4',
    name: `wait and cancel, ${length} waiting`,
    make: () => cancelling(length),
  })),
  ...chunks.map((chunk): Cell => ({
    part: 'B-5',
    name: `wake 10,000 by ${chunk}`,
    make: () => waking(chunk),
  })),
];
