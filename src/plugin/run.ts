// `kubectl coppice`: argv to a command and its exit code. Called by src/kubectl-coppice.ts, and by
// tests with texts in the place of outputs.
import { CoppiceError } from '#machines/contract/errors.ts';
import { redactText } from '#machines/kubernetes/secret-text.ts';
import { systemClock } from '#src/time/clock.ts';
import { pluginExitCodes } from './commands.ts';
import { completionScript } from './completion/scripts.ts';
import { complete, completionWord } from './completion/complete.ts';
import { exitCodeOf } from './errors.ts';
import { pluginHelp } from './help.ts';
import { parsePlugin, type PluginInvocation } from './parse.ts';
import { openSession, type Run, type Session } from './session.ts';
import { outputTo } from './show/output.ts';

/** Never rejects. */
export async function runPlugin(run: Run): Promise<number> {
  const { argv, streams, version } = run;
  if (argv[0] === completionWord) return complete(run);
  const parsed = parsePlugin(argv);
  const fail = (message: string): void =>
    void streams.error.write(`kubectl-coppice: ${redactText(message)}\n`);
  if (!parsed.ok) {
    fail(parsed.message);
    return pluginExitCodes.usage.code;
  }
  const { invocation } = parsed;
  try {
    switch (invocation.command) {
      case 'help':
        streams.out.write(`${pluginHelp(invocation.words[0])}\n`);
        return pluginExitCodes.ok.code;
      case 'version':
        streams.out.write(`kubectl-coppice ${version}\n`);
        return pluginExitCodes.ok.code;
      case 'completion':
        streams.out.write(completionScript(invocation.words[0] ?? ''));
        return pluginExitCodes.ok.code;
      default:
        return await withSession(run, invocation);
    }
  } catch (error) {
    if (run.signal.aborted) return interrupted;
    fail(error instanceof Error ? error.message : String(error));
    return error instanceof CoppiceError ? pluginExitCodes.refused.code : exitCodeOf(error);
  }
}

/** As shells count SIGINT. */
const interrupted = 130;

type WithSession = Exclude<PluginInvocation, { command: 'help' | 'version' | 'completion' }>;

async function withSession(run: Run, invocation: WithSession): Promise<number> {
  const { streams, version, signal } = run;
  const output = outputTo({ ...streams, color: invocation.flags.color });
  const session = await openSession(invocation.flags, {
    clock: systemClock,
    output,
    version,
    signal,
  });
  try {
    return (await dispatch(session, invocation)) ?? pluginExitCodes.ok.code;
  } finally {
    output.progress(undefined);
    await session.close();
  }
}

/** Each command is loaded when it is called: a start takes as long as what it needs. */
async function dispatch(session: Session, invocation: WithSession): Promise<number | void> {
  const { words } = invocation;
  switch (invocation.command) {
    case 'tree':
      return (await import('./tree.ts')).showTree(session, invocation.flags, words);
    case 'get':
      return (await import('./get.ts')).showStates(session, invocation.flags, words);
    case 'why':
      return (await import('./why.ts')).showWhy(session, invocation.flags, words);
    case 'trace':
      return (await import('./trace.ts')).showTrace(session, invocation.flags, words);
    case 'tail':
      return (await import('./tail.ts')).tail(session, invocation.flags, words);
    case 'park':
      return (await import('./park.ts')).park(session, invocation.flags, words);
    case 'unpark':
      return (await import('./park.ts')).unpark(session, invocation.flags, words);
    case 'check':
      return (await import('./check.ts')).check(session, invocation.flags);
    case 'inspect':
      return (await import('./inspect.ts')).inspect(session, invocation.flags);
    case 'support-bundle':
      return (await import('./support-bundle.ts')).writeBundle(session, invocation.flags);
  }
}
