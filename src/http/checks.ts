// The checks of `/livez` that concern the process itself: is the event loop free, is the clock
// sane. main.ts adds those of leases and caches, which know their own rules.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Check } from './probes.ts';

/** Half of all turns of the loop being later than this for a whole window means that it is stuck:
 *  leases cannot be renewed in time any more, so a restart is better. */
const maxMedianLagMs = 2_000;
const lagWindowMs = 10_000;
const lagResolutionMs = 20;

/** Deadlines are absolute times. When the clock jumps by more than this they are wrong in memory,
 *  and a start reads them anew. Far above what NTP corrects in steps. */
const maxClockJumpMs = 60_000;

export interface EventLoopCheck extends Check {
  /** Stops measuring. */
  readonly close: () => void;
}

/** The part of perf_hooks' histogram that is used: nanoseconds. */
interface DelayMeter {
  enable(): boolean;
  disable(): boolean;
  reset(): void;
  percentile(percent: number): number;
}

/** Measures all the time, in the background of libuv; judges the last full window. */
export function eventLoopCheck(
  delay: DelayMeter = monitorEventLoopDelay({ resolution: lagResolutionMs }),
): EventLoopCheck {
  delay.enable();
  let medianMs = 0;
  const timer = setInterval(() => {
    medianMs = delay.percentile(50) / 1e6;
    delay.reset();
  }, lagWindowMs);
  timer.unref();
  return {
    name: 'event-loop',
    run: () =>
      medianMs > maxMedianLagMs
        ? `is late by ${Math.round(medianMs)} ms (median of the last ${lagWindowMs / 1000} s)`
        : undefined,
    close: () => {
      clearInterval(timer);
      delay.disable();
    },
  };
}

/** Compares the clock on the wall with one that never jumps; both in milliseconds. */
export function clockCheck(wall: () => number, steady: () => number): Check {
  const offset = wall() - steady();
  return {
    name: 'clock',
    run: () => {
      const jumpMs = wall() - steady() - offset;
      return Math.abs(jumpMs) > maxClockJumpMs
        ? `jumped by ${Math.round(jumpMs / 1000)} s since the start`
        : undefined;
    },
  };
}
