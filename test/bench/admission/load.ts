// Reviews at a constant rate, whatever becomes of them: latency counts from when one was due, not
// from when it was sent, so that a stall hides in no figure (coordinated omission).
import { setTimeout as pause } from 'node:timers/promises';

export interface Latencies {
  readonly milliseconds: readonly number[];
  readonly failed: number;
}

/** Sends so many, one after the other by the clock; resolves when all are answered. */
export async function atRate(
  rate: number,
  count: number,
  send: (index: number) => Promise<boolean>,
): Promise<Latencies> {
  const milliseconds: number[] = [];
  let failed = 0;
  const begun = performance.now();
  const all: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    const due = begun + (index * 1000) / rate;
    const early = due - performance.now();
    if (early > 0) await pause(early);
    all.push(
      send(index).then((isAnswered) => {
        milliseconds.push(performance.now() - due);
        if (!isAnswered) failed++;
      }),
    );
  }
  await Promise.all(all);
  return { milliseconds, failed };
}
