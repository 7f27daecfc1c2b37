// `coppice webhook`: the admission webhooks alone, in processes of their own and under an account
// that may do nothing else. The controller then runs with `admission.enabled: false`. Ends cleanly
// on SIGTERM or SIGINT. Exit codes as in src/cli/commands.ts.
import { exitCodes } from '#src/cli/commands.ts';
import { stopSignal } from '#src/cli/signals.ts';
import type { Configuration } from '#src/config/schema.ts';
import { listen } from '#src/controller/listen.ts';
import { startMetrics } from '#src/controller/metrics.ts';
import { clockCheck, eventLoopCheck } from '#src/http/checks.ts';
import { controllerRoutes } from '#src/http/routes.ts';
import { ConfigurationError, type ConfigurationFlags, configured } from '#src/config/load.ts';
import { connectionTo } from '#src/kube/connect/config.ts';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import { createLog, type Log } from '#src/log/log.ts';
import type { Metrics } from '#src/metrics/metrics.ts';
import { servedEdges } from '#src/modules/index.ts';
import { systemClock } from '#src/time/clock.ts';
import { processAdmission } from './process.ts';
import type { Admission } from './start.ts';

/** Runs until a signal; resolves with the exit code. Rejects where it cannot start: ListenError,
 *  ConfigurationError, KubeConfigError. */
export async function runWebhook(flags: ConfigurationFlags, version: string): Promise<number> {
  const stopped = stopSignal();
  const { configuration, notes } = await configured(flags);
  const connection = await connectionTo(configuration.cluster, systemClock);
  const log = createLog({ ...configuration.log, destination: 2, now: systemClock.now });
  for (const note of notes) log.line('warn', note, { file: flags.config ?? '' });
  const webhooks = await startWebhooks({ flags, configuration, connection, log, version });
  log.line('info', 'webhooks stop', { signal: await stopped });
  try {
    await webhooks.stop();
    return exitCodes.ok;
  } catch (error) {
    log.line('error', 'webhooks did not stop cleanly', { error: String(error) });
    return exitCodes.stopped;
  } finally {
    log.close();
  }
}

interface Given {
  readonly flags: ConfigurationFlags;
  readonly configuration: Configuration;
  readonly connection: KubeConnection;
  readonly log: Log;
  readonly version: string;
}

/** Rejects where it cannot start: ListenError, ConfigurationError. */
export async function startWebhooks(given: Given): Promise<{ stop(): Promise<void> }> {
  const { configuration, connection, log, version } = given;
  const metrics = startMetrics([], undefined, {}, systemClock, undefined);
  const admission = admissionOf(given, metrics.answered);
  const loop = eventLoopCheck();
  const routes = controllerRoutes({
    live: [loop, clockAtStart()],
    ready: [admission.ready],
    actors: () => [],
    metrics,
  });
  const inspector = () => Promise.resolve(undefined);
  const options = { configuration, routes, clock: systemClock, log, inspector };
  const http = await listen(options).catch(async (error: unknown) => {
    loop.close();
    await admission.stop();
    throw error;
  });
  log.line('info', 'webhooks started', {
    version,
    server: connection.server,
    health: http.healthUrl,
    metrics: http.metricsUrl,
  });
  return {
    stop: async () => {
      loop.close();
      await admission.stop();
      await http.close();
    },
  };
}

/** Throws a ConfigurationError where there is no webhook to serve. */
function admissionOf(
  { flags, configuration, ...given }: Given,
  onAnswer: Metrics['answered'],
): Admission {
  const edges = servedEdges(configuration);
  const clock = systemClock;
  const admission = processAdmission({ ...given, clock, configuration, edges, onAnswer });
  if (admission !== undefined) return admission;
  const problem = configuration.admission.enabled
    ? 'modules: none that is on has webhooks; turn on grove, or agentsandbox with its conversion'
    : 'admission.enabled: must be true for `coppice webhook`, which serves nothing else';
  throw new ConfigurationError(flags.config ?? 'the defaults', [problem]);
}

const clockAtStart = () =>
  clockCheck(
    () => Date.now(),
    () => performance.now(),
  );
