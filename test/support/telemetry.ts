// Telemetry that remembers what it was told, as data, for tests of the runtime.
import type { Telemetry } from '#actors/ports.ts';
import { CoppiceError } from '#machines/contract/errors.ts';
import type { MeasuredFamily } from '#machines/contract/module.ts';
import { modules } from '#machines/index.ts';
import { misfit } from '#src/metrics/measured.ts';

type Calls = { [K in Exclude<keyof Telemetry, 'log'>]: Parameters<Telemetry[K]>[0][] } & {
  log: Parameters<Telemetry['log']>[];
};

export interface RecordingTelemetry extends Telemetry {
  readonly calls: Calls;
}

const declared = modules.flatMap(({ families }) => families ?? []);

/** A number that none of the families takes crashes the actor. */
export function recordingTelemetry(
  families: readonly MeasuredFamily[] = declared,
): RecordingTelemetry {
  const calls: Calls = {
    reconciled: [],
    queued: [],
    wrote: [],
    statusConflict: [],
    reconcileError: [],
    restarted: [],
    parked: [],
    unparked: [],
    chartRestored: [],
    measured: [],
    actors: [],
    log: [],
  };
  return {
    calls,
    reconciled: (event) => void calls.reconciled.push(event),
    queued: (event) => void calls.queued.push(event),
    wrote: (event) => void calls.wrote.push(event),
    statusConflict: (event) => void calls.statusConflict.push(event),
    reconcileError: (event) => void calls.reconcileError.push(event),
    restarted: (event) => void calls.restarted.push(event),
    parked: (event) => void calls.parked.push(event),
    unparked: (event) => void calls.unparked.push(event),
    chartRestored: (event) => void calls.chartRestored.push(event),
    measured: (event) => {
      const wrong = misfit(families, event);
      if (wrong !== undefined) throw new CoppiceError('ASSERTION', wrong);
      calls.measured.push(event);
    },
    actors: (event) => void calls.actors.push(event),
    log: (...line) => void calls.log.push(line),
  };
}
