// `kubectl coppice check`: src/check on the cluster of the kubeconfig. `coppice check` is the same
// with the words of the controller's command line.
import { readFile } from 'node:fs/promises';
import { at, textOf } from '#machines/kubernetes/json.ts';
import type { Installation } from '#src/check/finding.ts';
import {
  checkInstallation,
  configuredBy,
  decoded,
  isBroken,
  podsOf,
  reportLines,
} from '#src/check/run.ts';
import { pluginExitCodes } from './commands.ts';
import { PluginError } from './errors.ts';
import { formatted } from './format.ts';
import type { FlagsOf } from './parse.ts';
import { extensionOf } from '#src/kube/connect/kubeconfig.ts';
import { systemClock } from '#src/time/clock.ts';
import { extensionName } from './reach/extension.ts';
import { openSession, type Session } from './session.ts';
import { outputTo } from './show/output.ts';

/** Resolves with the exit code. */
export async function check(
  session: Session,
  flags: Pick<FlagsOf<'check'>, 'config' | 'controller-namespace' | 'output'>,
  known: Partial<Installation> = {},
): Promise<number> {
  const { output } = session;
  const installation = { ...(await installationOf(session, flags)), ...known };
  const report = await checkInstallation(installation);
  if (flags.output === 'text') {
    const { good, bad, waiting, faint } = output.paint;
    const marks = {
      ok: good('ok     '),
      unknown: faint('-      '),
      warning: waiting('warning'),
      problem: bad('problem'),
    };
    const { configured, namespace } = installation;
    output.line(faint(`namespace ${namespace}, ${configured.origin}`));
    for (const line of reportLines(report, (level) => marks[level])) output.line(line);
  } else output.line(formatted(report, flags.output));
  return (isBroken(report) ? pluginExitCodes.problems : pluginExitCodes.ok).code;
}

/** `coppice check`: with the kubeconfig and the configuration that a controller is started with. */
export async function runCheck(
  flags: Pick<FlagsOf<'check'>, 'config' | 'kubeconfig' | 'context' | 'output'>,
  version: string,
): Promise<number> {
  const output = outputTo({
    out: process.stdout,
    error: process.stderr,
    color: 'auto',
    environment: process.env,
  });
  const signal = new AbortController().signal;
  const session = await openSession(flags, { clock: systemClock, output, version, signal });
  try {
    // It is the command line of a process that may run anywhere.
    return await check(
      session,
      { ...flags, 'controller-namespace': undefined },
      { isInPods: false },
    );
  } finally {
    await session.close();
  }
}

/** What can be found out about where and how the controller is installed. */
export async function installationOf(
  { transport, clock, version, connection, source }: Session,
  flags: Pick<FlagsOf<'check'>, 'config' | 'controller-namespace'>,
): Promise<Installation> {
  const isInPods = (await extensionOf(source, extensionName)) === undefined;
  const wanted = flags['controller-namespace'];
  const pods = await podsOf(transport, wanted).catch(() => undefined);
  const [pod] = pods ?? [];
  const inPod = textOf(at(pod, 'metadata', 'namespace'));
  const namespace = wanted ?? inPod ?? connection.namespace;
  const account = textOf(at(pod, 'spec', 'serviceAccountName'));
  const configured =
    flags.config === undefined
      ? await configuredBy(transport, pod).catch(() => configuredBy(transport, undefined))
      : decoded(flags.config, await contentOf(flags.config));
  return {
    transport,
    clock,
    version,
    configured,
    namespace,
    pods,
    isInPods: pod !== undefined || isInPods,
    account:
      pod === undefined ? undefined : `system:serviceaccount:${inPod}:${account ?? 'default'}`,
  };
}

const contentOf = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause: unknown) => {
    const problem = `--config: ${file} cannot be read: ${String(cause)}`;
    throw new PluginError('configuration', problem, { cause });
  });
