// The one entry point: argv to a command. Everything else is wired in src/controller/start.ts and
// src/dev/.
import { readFileSync } from 'node:fs';
import { redactText } from '#machines/kubernetes/secret-text.ts';
import { exitCodes } from './cli/commands.ts';
import { exitCodeOf } from './cli/exit.ts';
import { help } from './cli/help.ts';
import { type Invocation, parse } from './cli/parse.ts';
import { stopWhenUnread } from './cli/signals.ts';

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);
const { version } = manifest;

async function run(invocation: Invocation): Promise<number> {
  switch (invocation.command) {
    case 'dev':
      return (await import('./dev/dev.ts')).runDev(invocation.flags, version);
    case 'controller':
      return (await import('./controller/run.ts')).runController(invocation.flags, version);
    case 'crds':
      return (await import('./dev/apply-crds.ts')).runCrds(invocation.flags, version);
    case 'cluster':
      return (await import('./dev/cluster.ts')).runCluster(invocation.flags);
    case 'init':
      return (await import('./init/run.ts')).runInit(invocation.flags, version);
    case 'clique-agent':
      return invocation.flags.check
        ? (await import('./agent/check.ts')).checkCliqueAgent()
        : (await import('./agent/run.ts')).runCliqueAgent(version);
    case 'activator':
      return (await import('./activator/run.ts')).runActivator(invocation.flags, version);
    case 'webhook':
      return (await import('./admission/run.ts')).runWebhook(invocation.flags, version);
    case 'check':
      return (await import('./plugin/check.ts')).runCheck(invocation.flags, version);
    case 'bench':
      return (await import('./bench/run.ts')).runBench(invocation.flags, version);
    case 'tail':
      return (await import('./tail/tail.ts')).runTail(invocation.flags);
    case 'fmt':
      return (await import('./tail/tail.ts')).runFmt();
    case 'version':
      process.stdout.write(`coppice ${version}\n`);
      return exitCodes.ok;
    case 'help':
      process.stdout.write(`${help()}\n`);
      return exitCodes.ok;
  }
}

stopWhenUnread();
const parsed = parse(process.argv.slice(2));
if (parsed.ok) {
  process.exitCode = await run(parsed.invocation).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`coppice: ${redactText(message)}\n`);
    return exitCodeOf(error);
  });
} else {
  process.stderr.write(`coppice: ${parsed.message}\n`);
  process.exitCode = exitCodes.usage;
}
