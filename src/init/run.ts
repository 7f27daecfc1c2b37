// `coppice init`: the last init container of a pod that starts after others (spec controllers 6.3).
// It ends with 0 the moment the PodCliques named by --podcliques have enough ready pods, waits
// without a time limit, and ends with 1 on a signal or where it cannot work.
import { exitCodes } from '#src/cli/commands.ts';
import { stopSignal } from '#src/cli/signals.ts';
import { httpTransport } from '#src/kube/transport/http.ts';
import { createLog, type Log } from '#src/log/log.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { followParents } from './follow.ts';
import { type Parents, parseParents } from './order.ts';
import { connectionOfPod, PodSetupError, readPodInfo } from './pod.ts';

export interface InitFlags {
  readonly podcliques: readonly string[];
  /** Stands for `/`: where the files of the pod are. */
  readonly root: string;
}

/** Resolves with the exit code. Logs JSON to stderr, as Grove's program does. */
export async function runInit(flags: InitFlags, version: string): Promise<number> {
  const log = createLog({ level: 'info', format: 'json', destination: 2, now: systemClock.now });
  try {
    const parsed = parseParents(flags.podcliques);
    if (!parsed.ok) {
      log.line('error', parsed.message, { code: 'ERR_INVALID_INPUT' });
      return exitCodes.usage;
    }
    return await wait(parsed.parents, flags.root, version, log);
  } catch (error) {
    if (!(error instanceof PodSetupError)) throw error;
    log.line('error', error.message, { code: 'ERR_POD_SETUP' });
    return exitCodes.usage;
  } finally {
    log.close();
  }
}

async function wait(parents: Parents, root: string, version: string, log: Log): Promise<number> {
  const stopped = stopSignal();
  const { namespace, gang } = await readPodInfo(root);
  const connection = await connectionOfPod(root, systemClock, process.env);
  const transport = httpTransport(connection, { userAgent: `coppice-init/${version}` });
  const { promise: met, resolve } = Promise.withResolvers<'met'>();
  const stop = followParents({
    transport,
    clock: systemClock,
    random: systemRandom,
    log: log.line,
    namespace,
    gang,
    parents,
    met: () => resolve('met'),
    progress: (missing) =>
      log.line('info', 'waiting', { missing: missing.map((parent) => ({ ...parent })) }),
  });
  const wanted = Object.fromEntries(parents);
  log.line('info', 'waiting for PodCliques', { namespace, podgang: gang, podcliques: wanted });
  const end = await Promise.race([met, stopped]);
  stop();
  log.line('info', end === 'met' ? 'all are ready' : 'stopped before all were ready', { end });
  await transport.close();
  return end === 'met' ? exitCodes.ok : exitCodes.usage;
}
