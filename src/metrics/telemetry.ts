// The Telemetry port for real: numbers go to the metrics, and what a person must hear of (crashes,
// parked actors) also to the log. Made by main.ts from a Metrics and a Log.
import type { Telemetry } from '#actors/ports.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Metrics } from './metrics.ts';

/** Of the actor, and why: a crash is a bug, and its stack says where. */
function about(event: AboutActor): JsonObject {
  const { kind, namespace, name } = event.key;
  const actor = { controller: event.controller, kind, namespace, name };
  if (!('error' in event)) return actor;
  const { error } = event;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { ...actor, error: text };
}

interface AboutActor {
  readonly controller: string;
  readonly key: ActorKey;
  readonly error?: unknown;
}

/** `log` writes one line; see src/log/log.ts for its keys. */
export function createTelemetry(numbers: Metrics['numbers'], log: Telemetry['log']): Telemetry {
  return {
    ...numbers,
    log,
    restarted: (event) => {
      numbers.restarted(event);
      log('warn', 'actor restarted after a crash', about(event));
    },
    parked: (event) => {
      numbers.parked(event);
      log('error', 'actor parked: it failed too often', about(event));
    },
    chartRestored: (event) => {
      numbers.chartRestored(event);
      log('error', 'state machine restored', { ...about(event), what: event.what });
    },
    measured: (event) => {
      const wrong = numbers.measured(event);
      if (wrong !== undefined) log('error', 'a number was not counted', { error: wrong });
    },
    unparked: (event) => {
      numbers.unparked(event);
      log('info', 'actor unparked', { ...about(event), by: event.by });
    },
  };
}
