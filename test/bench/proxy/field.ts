// All that is started for one load of `npm run bench -- activator-proxy`: the backends, and every
// contender, which stays up for all rounds so that its code is compiled; loaded is one at a time.
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Seen } from './backend.ts';
import { type ContenderName, requestHeaders } from './contenders/names.ts';
import { programs } from './contenders/programs.ts';
import { contenderCore, freePort, otherCore, type Running, start } from './processes.ts';

export interface Contender {
  readonly name: ContenderName;
  /** Where its load goes; of `direct` those of the backends. */
  readonly ports: readonly number[];
  /** Undefined: nothing stands between. */
  readonly pid: number | undefined;
}

export interface FieldOptions {
  readonly contenders: readonly ContenderName[];
  readonly backends: number;
  readonly bytes: number;
  readonly workMs: number;
  /** For configurations. */
  readonly folder: string;
  /** For CPU profiles of contenders that are programs of Node. */
  readonly profile: string | undefined;
}

export class Field {
  readonly contenders: readonly Contender[];
  readonly #backend: Running;
  readonly #running: readonly Running[];

  private constructor(
    contenders: readonly Contender[],
    backend: Running,
    running: readonly Running[],
  ) {
    this.contenders = contenders;
    this.#backend = backend;
    this.#running = running;
  }

  /** Rejects where one of them does not answer. */
  static async start(options: FieldOptions): Promise<Field> {
    const { contenders, backends, bytes, workMs } = options;
    const args = [backends, bytes, workMs].map(String);
    const backend = start(otherCore, nodeProgram(new URL('./backend.ts', import.meta.url), args), [
      ...(['ignore', 'inherit', 'pipe', 'ipc'] as const),
    ]);
    const [ports] = (await once(backend.child, 'message')) as [readonly number[]];
    const running: Running[] = [backend];
    const started: Contender[] = [];
    for (const name of contenders) {
      const one = await startContender(name, ports, options);
      if (one.running !== undefined) running.push(one.running);
      started.push({ name, ports: one.ports, pid: one.running?.child.pid });
    }
    return new Field(started, backend, running);
  }

  /** What the backends saw since they were asked last. */
  async seen(): Promise<Seen> {
    this.#backend.child.send('seen');
    const [seen] = (await once(this.#backend.child, 'message')) as [Seen];
    return seen;
  }

  async stop(): Promise<void> {
    for (const running of this.#running.toReversed()) await running.stop();
  }
}

const nodeProgram = (program: URL, args: readonly string[]) => ({
  program: process.execPath,
  args: ['--disable-warning=ExperimentalWarning', fileURLToPath(program), ...args],
});

async function startContender(
  name: ContenderName,
  backends: readonly number[],
  { folder, profile }: FieldOptions,
): Promise<{ readonly ports: readonly number[]; readonly running: Running | undefined }> {
  const prepare = programs[name];
  if (prepare === undefined) return { ports: backends, running: undefined };
  const port = await freePort();
  const nodeFlags =
    profile === undefined
      ? []
      : ['--cpu-prof', `--cpu-prof-name=${join(profile, name)}.cpuprofile`];
  const command = await prepare({ port, backends, folder: join(folder, name), nodeFlags });
  const running = start(contenderCore, command, ['ignore', 'inherit', 'pipe']);
  await answers(name, port, running);
  return { ports: [port], running };
}

const patienceMs = 30_000;

async function answers(name: string, port: number, running: Running): Promise<void> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const status = await statusOf(port);
    if (status === 200) return;
    const { exitCode, signalCode } = running.child;
    if (exitCode !== null || signalCode !== null) await running.stop();
    if (performance.now() > end) throw new Error(`${name} answers with ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const statusOf = (port: number): Promise<number | string> =>
  new Promise((resolve) => {
    const to = { port, host: '127.0.0.1', agent: false, headers: requestHeaders };
    const asked = request(to, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    asked.on('error', (error) => resolve(error.message));
    asked.end();
  });
