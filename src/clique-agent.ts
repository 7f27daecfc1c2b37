// The agent as a program of its own, which loads nothing else of Coppice; src/bundle/build.ts puts
// a script before it. Arguments are those of NVIDIA's daemon: `-v N run` and `check`.
import { readFileSync } from 'node:fs';
import { redactText } from '#machines/kubernetes/secret-text.ts';
import { exitCodes } from './cli/commands.ts';
import { stopWhenUnread } from './cli/signals.ts';
import { checkCliqueAgent } from './agent/check.ts';
import { runCliqueAgent } from './agent/run.ts';

function versionOf(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  );
  return manifest.version;
}

stopWhenUnread();
const isCheck = process.argv.slice(2).some((arg) => arg === 'check' || arg === '--check');
const code = await (isCheck ? checkCliqueAgent() : runCliqueAgent(versionOf())).catch(
  (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`clique-agent: ${redactText(message)}\n`);
    return exitCodes.startFailed;
  },
);
process.exit(code);
