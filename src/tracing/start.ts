// Traces for OpenTelemetry: off, and nothing of it loaded, unless the standard variables ask for
// them (docs/tracing.md). Called by `coppice controller` and `coppice dev`, who hand the result to
// the composition root.
import type { PrometheusContentType, Registry } from 'prom-client';
import type { FactHistory } from '#actors/history/history.ts';
import type { Clock, Ids } from '#actors/ports.ts';
import type { ReconcileListener } from '#actors/run/reconciles.ts';
import type { Log } from '#src/log/log.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { spanFamilies } from './families.ts';
import { Tracer } from './tracer.ts';

interface Options {
  readonly environment: Environment;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Pick<Log, 'line'>;
  readonly version: string;
}

export interface Tracing {
  /** For the runner of actors. */
  readonly reconciles: ReconcileListener;
  /** Builds spans of what is noted from now on. */
  follow(history: Pick<FactHistory, 'subscribe'>): void;
  /** For the metrics of the process. */
  readonly sampled: (registry: Registry<PrometheusContentType>) => () => void;
  /** Sends what waits, for a few seconds at most. */
  stop(): Promise<void>;
}

/** A collector that does not answer keeps no process. */
const patienceMs = 5_000;

/** Undefined: nobody wants traces. */
export async function startTracing(options: Options): Promise<Tracing | undefined> {
  const { clock, ids, log, version } = options;
  const { environment } = options;
  const { settings, notes } = readEnvironment(environment);
  for (const note of notes) log.line('warn', 'a variable for traces is wrong', { note });
  if (settings === undefined) return undefined;
  // 30 MB and 200 ms, which nobody else pays.
  const { startExport } = await import('./otel/export.ts');
  const target = opened(() => startExport({ settings, environment, version, log }), log);
  if (target === undefined) return undefined;
  const { exporter, protocol, sampler } = settings;
  log.line('info', 'traces are sent', { exporter, protocol, sampler: sampler.name });
  const tracer = new Tracer({ clock, ids, target });
  return {
    reconciles: tracer,
    follow: (history) => void history.subscribe(tracer.fact),
    sampled: (registry) => spanFamilies(registry, () => target.numbers),
    stop: async () => {
      const over = Promise.withResolvers<void>();
      const cancel = clock.at(clock.now() + patienceMs, over.resolve);
      await Promise.race([target.stop(), over.promise]);
      cancel();
    },
  };
}

/** A controller without traces is better than none. */
function opened<T>(open: () => T, log: Options['log']): T | undefined {
  try {
    return open();
  } catch (error) {
    log.line('error', 'no traces are sent', { error: String(error) });
    return undefined;
  }
}
