// `coppice activator`: reads configuration and kubeconfig, starts the activator, and drains on
// SIGTERM or SIGINT. Exit codes as in src/cli/commands.ts.
import { CoppiceError } from '#machines/contract/errors.ts';
import { exitCodes } from '#src/cli/commands.ts';
import { stopSignal } from '#src/cli/signals.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { ConfigurationError, type Loaded, loadConfiguration } from '#src/config/load.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import { createLog } from '#src/log/log.ts';
import { systemClock, systemIds, systemRandom } from '#src/time/clock.ts';
import { startActivatorProcess } from './process.ts';
import { templateProblem } from './proxy/request-log.ts';

export interface ActivatorFlags {
  readonly config: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/** Runs until a signal; resolves with the exit code. Rejects where it cannot start: ListenError,
 *  ConfigurationError, KubeConfigError. */
export async function runActivator(flags: ActivatorFlags, version: string): Promise<number> {
  const stopped = stopSignal();
  const { configuration, notes } = await configurationOf(flags.config);
  const file = flags.kubeconfig ?? configuration.cluster.kubeconfig;
  const context = flags.context ?? configuration.cluster.context;
  const source = {
    ...(file === undefined ? {} : { file }),
    ...(context === undefined ? {} : { context }),
  };
  const connection = await loadConnection(source, systemClock);
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

async function configurationOf(config: string | undefined): Promise<Loaded> {
  if (config === undefined) return { configuration: defaultConfiguration, notes: [] };
  const loaded = await loadConfiguration(config);
  const { requestLogTemplate } = loaded.configuration.activator;
  const message =
    requestLogTemplate === undefined ? undefined : templateProblem(requestLogTemplate);
  if (message === undefined) return loaded;
  throw new ConfigurationError(config, [`activator.requestLogTemplate ${message}`]);
}
