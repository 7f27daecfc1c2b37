// `coppice controller`: reads configuration and kubeconfig, starts the controller, and ends cleanly
// on SIGTERM or SIGINT. Exit codes as in src/cli/commands.ts.
import { CoppiceError } from '#machines/contract/errors.ts';
import { exitCodes } from '#src/cli/commands.ts';
import { stopSignal } from '#src/cli/signals.ts';
import { hostVariable, questionsHost } from '#src/config/questions.ts';
import {
  ConfigurationError,
  type ConfigurationFlags,
  configured,
  type Loaded,
} from '#src/config/load.ts';
import { connectionTo } from '#src/kube/connect/config.ts';
import { createLog } from '#src/log/log.ts';
import { switchLevelOnSignal } from '#src/log/signal.ts';
import { systemClock, systemIds, systemRandom } from '#src/time/clock.ts';
import { startTracing } from '#src/tracing/start.ts';
import { compactOnceLarge } from './heap.ts';
import { startController } from './start.ts';

/** Runs until a signal; resolves with the exit code. Rejects where it cannot start: ListenError,
 *  ConfigurationError, KubeConfigError. */
export async function runController(flags: ConfigurationFlags, version: string): Promise<number> {
  const stopped = stopSignal();
  compactOnceLarge();
  const { configuration, notes } = await configurationOf(flags);
  const connection = await connectionTo(configuration.cluster, systemClock);
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

async function configurationOf(flags: ConfigurationFlags): Promise<Loaded> {
  const { configuration, notes } = await configured(flags);
  const host = questionsHost(
    configuration,
    process.env,
    (problem) => new ConfigurationError(`$${hostVariable}`, [problem]),
  );
  const questions = { ...configuration.questions, host };
  return { configuration: { ...configuration, questions }, notes };
}
