// The kubectl of the suite: the one that was built beside the real control plane, else the one of
// the machine, with a home folder of its own so that no cache of the user is touched.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { binary } from '#test/cluster/up.ts';
import type { Command } from './commands.ts';
import { mask } from './mask.ts';

export const namespace = 'conformance-kubectl';
const deadlineMs = 20_000;

export interface Kubectl {
  readonly path: string;
  /** 35 of 1.35.5 */
  readonly minor: number;
}

/** undefined: there is none. */
export function findKubectl(): Kubectl | undefined {
  const built = binary('kubectl');
  const path = existsSync(built) ? built : 'kubectl';
  try {
    const printed = execFileSync(path, ['version', '--client'], { encoding: 'utf8' });
    return { path, minor: Number(/Client Version: v1\.(\d+)/.exec(printed)?.[1] ?? 0) };
  } catch {
    return undefined;
  }
}

/** Where it finds the server, and a folder for its caches. */
export interface Place {
  readonly kubeconfig: string;
  readonly home: string;
}

/** What it printed, masked, as the file of expected outputs has it. */
export async function outcomeOf(kubectl: Kubectl, place: Place, command: Command): Promise<string> {
  const words = ['-n', namespace, ...wordsOf(command.line)];
  const { code, stdout, stderr } = await run(kubectl, place, words, command.input);
  const complaints = mask(stderr).replaceAll(/^(?=.)/gm, '! ');
  return `${mask(stdout)}${complaints}${code === 0 ? '' : `exit ${code}\n`}`;
}

/** The words of a line; single quotes keep words together. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ''));

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function run(
  { path }: Kubectl,
  { kubeconfig, home }: Place,
  words: readonly string[],
  input = '',
): Promise<Outcome> {
  // A zone and a language of one's own would show in times and in what `diff` says.
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    KUBECONFIG: kubeconfig,
    TZ: 'UTC',
    LC_ALL: 'C',
  };
  return new Promise((resolve) => {
    const child = execFile(
      path,
      [...words],
      { env, timeout: deadlineMs },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 255;
        resolve({ code, stdout, stderr });
      },
    );
    child.stdin?.end(input);
  });
}
