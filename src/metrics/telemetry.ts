// The Telemetry port for real: numbers go to the metrics, and what a person must hear of (crashes,
// parked actors) also to the log. Made by main.ts from a Metrics and a Log.
import type { Telemetry } from '#actors/ports.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import type { Metrics } from './metrics.ts';

const about = (controller: string, key: ActorKey) => ({
  controller,
  kind: key.kind,
  namespace: key.namespace,
  name: key.name,
});

/** `log` writes one line; see src/log/log.ts for its keys. */
export function createTelemetry(numbers: Metrics['numbers'], log: Telemetry['log']): Telemetry {
  return {
    ...numbers,
    log,
    restarted: (event) => {
      numbers.restarted(event);
      log('warn', 'actor restarted after a crash', {
        ...about(event.controller, event.key),
        error: errorText(event.error),
      });
    },
    parked: (event) => {
      numbers.parked(event);
      log('error', 'actor parked: it failed too often', {
        ...about(event.controller, event.key),
        error: errorText(event.error),
      });
    },
    chartRestored: (event) => {
      numbers.chartRestored(event);
      log('error', 'state machine restored', {
        ...about(event.controller, event.key),
        what: event.what,
      });
    },
    unparked: (event) => {
      numbers.unparked(event);
      log('info', 'actor unparked', { ...about(event.controller, event.key), by: event.by });
    },
  };
}

/** A crash is a bug: its stack says where. */
const errorText = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
