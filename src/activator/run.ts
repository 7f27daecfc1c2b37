// `coppice activator`: reads configuration and kubeconfig, starts the activator, and drains on
// SIGTERM or SIGINT. Exit codes as in src/cli/commands.ts.
import { CoppiceError } from '#machines/contract/errors.ts';
import { exitCodes } from '#src/cli/commands.ts';
import { stopSignal } from '#src/cli/signals.ts';
import { workerCounts } from '#src/config/activator.ts';
import {
  ConfigurationError,
  type ConfigurationFlags,
  configured,
  type Loaded,
} from '#src/config/load.ts';
import { connectionTo } from '#src/kube/connect/config.ts';
import { createLog } from '#src/log/log.ts';
import { systemClock, systemIds, systemRandom } from '#src/time/clock.ts';
import { startActivatorProcess } from './process.ts';
import { templateProblem } from './proxy/request-log.ts';

interface ActivatorFlags extends ConfigurationFlags {
  readonly workers: number | undefined;
}

/** Runs until a signal; resolves with the exit code. Rejects where it cannot start: ListenError,
 *  ConfigurationError, KubeConfigError. */
export async function runActivator(flags: ActivatorFlags, version: string): Promise<number> {
  const stopped = stopSignal();
  const { configuration, notes } = await configurationOf(flags);
  const connection = await connectionTo(configuration.cluster, systemClock);
  const log = createLog({ ...configuration.log, destination: 2, now: systemClock.now });
  const ports = { clock: systemClock, random: systemRandom, ids: systemIds() };
  for (const note of notes) log.line('warn', note, { file: flags.config ?? '' });
  const activator = await startActivatorProcess({
    configuration,
    connection,
    log,
    version,
    ...ports,
  });
  const { server } = connection;
  const { url, healthUrl } = activator;
  log.line('info', 'activator started', { version, server, url, health: healthUrl });
  const end = await Promise.race([stopped, activator.lost]);
  const isLost = end instanceof CoppiceError;
  if (isLost) log.line('error', 'activator ends', { code: end.code, error: end.message });
  else log.line('info', 'activator drains', { signal: end });
  try {
    await activator.drain();
    await activator.stop();
    return isLost ? exitCodes.historyLost : exitCodes.ok;
  } catch (error) {
    log.line('error', 'activator did not stop cleanly', { error: String(error) });
    return exitCodes.stopped;
  } finally {
    log.close();
  }
}

async function configurationOf(flags: ActivatorFlags): Promise<Loaded> {
  const { configuration, notes } = await configured(flags);
  const workers = flags.workers ?? configuration.activator.workers;
  const { least, most } = workerCounts;
  if (workers < least || workers > most) {
    const problem = `--workers must be a whole number from ${least} to ${most}, not ${workers}`;
    throw new ConfigurationError('the command line', [problem]);
  }
  const activator = { ...configuration.activator, workers };
  const loaded = { configuration: { ...configuration, activator }, notes };
  const { requestLogTemplate } = activator;
  const message =
    requestLogTemplate === undefined ? undefined : templateProblem(requestLogTemplate);
  if (message === undefined) return loaded;
  throw new ConfigurationError(flags.config ?? 'the defaults', [
    `activator.requestLogTemplate ${message}`,
  ]);
}
