// What the tests of the plugin stand on: an embedded cluster, a controller that serves questions
// and the inspector, and kubectl with the plugin on its PATH, as sources.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { announce } from '#src/dev/announce.ts';
import { systemClock } from '#src/time/clock.ts';
import { Place, type Running } from '#test/support/place.ts';
import type { Program } from '#test/support/program.ts';
import { type Ran, shell } from '#test/support/tools.ts';

const entry = fileURLToPath(new URL('../../../src/kubectl-coppice.ts', import.meta.url));

/** A folder with the plugin and its completion under the names that kubectl looks for. */
export function pluginOnPath(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const [name, word] of [
    ['kubectl-coppice', ''],
    ['kubectl_complete-coppice', '__complete '],
  ]) {
    const path = join(bin, name ?? '');
    writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${entry}' ${word}"$@"\n`);
    chmodSync(path, 0o755);
  }
  return bin;
}

export class PluginStage {
  readonly place = new Place();
  #bin = '';

  async start(): Promise<void> {
    this.#bin = pluginOnPath(this.place.folder);
    await this.place.start({ nodes: 4 });
  }

  /** Starts a controller and leaves word of it in the kubeconfig, as `npm start` does. */
  async controller(): Promise<Running> {
    const started = await this.place.controller({
      bus: { enabled: false },
      questions: { enabled: true, bindAddress: '127.0.0.1', host: '127.0.0.1', port: 0 },
      inspector: { enabled: true, port: 0 },
    });
    const [, port = ''] = await started.program.line(/"port":(\d+).*answers questions over HTTPS/);
    await announce({
      kubeconfig: this.place.kubeconfig,
      transport: this.place.client,
      clock: systemClock,
      namespace: 'default',
      secretName: 'coppice-questions-cert',
      address: () => `https://127.0.0.1:${port}`,
    });
    return started;
  }

  /** Runs a line of a shell in which `kubectl coppice` is the plugin. */
  run(line: string, more: NodeJS.ProcessEnv = {}): Promise<Ran> {
    return shell(line, { ...this.environment, ...more });
  }

  /** The same for one command that goes on until it gets a signal. */
  begin(command: string): Program {
    return this.place.programs.run('/bin/sh', ['-c', `exec ${command}`], this.environment);
  }

  get environment(): Readonly<Record<string, string>> {
    return {
      PATH: `${this.#bin}${delimiter}${process.env['PATH'] ?? ''}`,
      KUBECONFIG: this.place.kubeconfig,
      HOME: this.place.folder,
      NODE_NO_WARNINGS: '1',
    };
  }

  /** What it printed; throws where it fails. */
  async ok(line: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(line);
    if (code !== 0) throw new Error(`${line}\nexit ${code}\n${stderr}`);
    return stdout;
  }

  end(): Promise<void> {
    return this.place.end();
  }
}
