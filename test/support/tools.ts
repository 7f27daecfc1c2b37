// Programs of others that tests run where they are installed: kubectl, the NATS CLI, script, curl.
// A test that needs one that is missing is skipped, and its title says so.
import { execFile } from 'node:child_process';
import { accessSync, constants, globSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What test/cluster/up.ts builds counts too: the NATS CLI is rarely installed. */
const built = globSync('.cache/cluster/*/nats', { cwd: root }).map((file) =>
  join(root, dirname(file)),
);
const path = [...(process.env['PATH'] ?? '').split(delimiter), ...built];

/** Undefined where it is not installed. */
export const pathOf = (tool: string): string | undefined =>
  path
    .map((folder) => join(folder, tool))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });

/** Empty, or ` [skipped: no kubectl]` for the end of a title. */
export const without = (...tools: readonly string[]): string => {
  const missing = tools.filter((tool) => pathOf(tool) === undefined);
  return missing.length === 0 ? '' : ` [skipped: no ${missing.join(', no ')}]`;
};

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs lines in a shell as somebody would paste them; never rejects. */
export async function shell(lines: string, env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const options = {
    env: { ...process.env, PATH: path.join(delimiter), ...env },
    timeout: 30_000,
    maxBuffer: 64 * 1024 * 1024,
  };
  try {
    return { code: 0, ...(await promisify(execFile)('/bin/sh', ['-ec', lines], options)) };
  } catch (error) {
    const text = (field: string): string => String(Reflect.get(Object(error), field) ?? '');
    const code: unknown = Reflect.get(Object(error), 'code');
    return {
      code: typeof code === 'number' ? code : -1,
      stdout: text('stdout'),
      stderr: `${text('stderr')}${String(error)}`,
    };
  }
}
