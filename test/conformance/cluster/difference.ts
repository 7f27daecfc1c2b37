// What an exception of the conformance suite is, and how one waits for what comes by and by. The
// tables of exceptions are made of it.
import { systemClock } from '#src/time/clock.ts';
import type { Session } from './session.ts';

export interface Difference {
  readonly here: string;
  readonly inKubernetes: string;
  /** Why it is not done. */
  readonly reason: string;
  /** True for a server that does as Kubernetes; it waits `patienceMs` for what comes by and by.
   *  A sentence: why no request of the suite can show it. */
  readonly isAsInKubernetes: ((s: Session, patienceMs: number) => Promise<boolean>) | string;
}

export async function within(patienceMs: number, claim: () => Promise<boolean>): Promise<boolean> {
  const until = systemClock.now() + patienceMs;
  for (;;) {
    if (await claim()) return true;
    const next = systemClock.now() + 50;
    if (next > until) return false;
    await new Promise<void>((resolve) => systemClock.at(next, resolve));
  }
}
