// `coppice controller`: reads configuration and kubeconfig, starts the controller, and ends cleanly
// on SIGTERM or SIGINT. Exit codes as in src/cli/commands.ts.
import { CoppiceError } from '#machines/contract/errors.ts';
import { exitCodes } from '#src/cli/commands.ts';
import { stopSignal } from '#src/cli/signals.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { ConfigurationError, type Loaded, loadConfiguration } from '#src/config/load.ts';
import { hostVariable, questionsHost } from '#src/config/questions.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import { createLog } from '#src/log/log.ts';
import { switchLevelOnSignal } from '#src/log/signal.ts';
import { systemClock, systemIds, systemRandom } from '#src/time/clock.ts';
import { startTracing } from '#src/tracing/start.ts';
import { startController } from './start.ts';

export interface ControllerFlags {
  readonly config: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/** Runs until a signal; resolves with the exit code. Rejects where it cannot start: ListenError,
 *  ConfigurationError, KubeConfigError. */
export async function runController(flags: ControllerFlags, version: string): Promise<number> {
  const stopped = stopSignal();
  const { configuration, notes } = await configurationOf(flags);
  const { kubeconfig: file, context } = configuration.cluster;
  const connection = await loadConnection(
    { ...(file === undefined ? {} : { file }), ...(context === undefined ? {} : { context }) },
    systemClock,
  );
  const log = createLog({ ...configuration.log, destination: 2, now: systemClock.now });
  switchLevelOnSignal(log, configuration.log.level);
  const ports = { clock: systemClock, random: systemRandom, ids: systemIds() };
  for (const note of notes) log.line('warn', note, { file: flags.config ?? '' });
  const tracing = await startTracing({ environment: process.env, log, version, ...ports });
  const controller = await startController({
    ...{ configuration, connection, log, version, tracing, ...ports },
  });
  log.line('info', 'controller started', {
    version,
    server: connection.server,
    health: controller.healthUrl,
    metrics: controller.metricsUrl,
    ...(controller.inspectorUrl === undefined ? {} : { inspector: controller.inspectorUrl }),
  });
  const begun = performance.now();
  void controller.synced.then(
    () => log.line('info', 'controller synced', { seconds: (performance.now() - begun) / 1000 }),
    () => {},
  );
  const end = await Promise.race([stopped, controller.lost]);
  const isLost = end instanceof CoppiceError;
  if (isLost) log.line('error', 'controller ends', { code: end.code, error: end.message });
  else log.line('info', 'controller stops', { signal: end });
  try {
    await controller.stop();
    return isLost ? exitCodes.historyLost : exitCodes.ok;
  } catch (error) {
    log.line('error', 'controller did not stop cleanly', { error: String(error) });
    return exitCodes.stopped;
  } finally {
    log.close();
  }
}

/** Flags win over the file, and the file over the environment. */
async function configurationOf({ config, kubeconfig, context }: ControllerFlags): Promise<Loaded> {
  const { configuration, notes } =
    config === undefined
      ? { configuration: defaultConfiguration, notes: [] }
      : await loadConfiguration(config);
  const { cluster } = configuration;
  const chosen = {
    kubeconfig: kubeconfig ?? cluster.kubeconfig,
    context: context ?? cluster.context,
  };
  const host = questionsHost(
    configuration,
    process.env,
    (problem) => new ConfigurationError(`$${hostVariable}`, [problem]),
  );
  const questions = { ...configuration.questions, host };
  return { configuration: { ...configuration, cluster: chosen, questions }, notes };
}
