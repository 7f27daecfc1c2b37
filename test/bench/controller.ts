// The controller under measurement: the bundle that the image ships, with the flags that the image
// gives to Node, as a process of its own.
import { at, text } from '#machines/json.ts';
import { nodeFlags } from '#src/launch/flags.mjs';
import { eventually } from '#test/support/eventually.ts';
import { scrape } from '#test/support/exposition.ts';
import type { Program, Programs } from '#test/support/program.ts';
import { machineMs } from './observer/claims.ts';
import { ownCounts } from './own-counts.ts';
import type { RequestCounts } from './requests.ts';

export interface ControllerFiles {
  readonly bundle: string;
  readonly configuration: string;
  readonly kubeconfig: string;
}

export class Controller {
  readonly #program: Program;
  readonly #url: string;
  #last: RequestCounts = {};
  #isOver = false;
  /** From the start of the process until /readyz was 200. */
  readonly readySeconds: number;

  private constructor(program: Program, url: string, readySeconds: number) {
    this.#program = program;
    this.#url = url;
    this.readySeconds = readySeconds;
  }

  /** Resolves when it is ready. */
  static async start(programs: Programs, files: ControllerFiles): Promise<Controller> {
    const { bundle, configuration, kubeconfig } = files;
    const begun = machineMs();
    const flags = ['--config', configuration, '--kubeconfig', kubeconfig];
    const command = [...nodeFlags, bundle, 'controller', ...flags];
    const program = programs.run(process.execPath, command);
    const [started = ''] = await program.line(/\{.*"controller started".*\}/);
    await program.line(/controller synced/);
    const { health, metrics } = urlsOf(JSON.parse(started));
    await eventually(
      'ready',
      () => fetch(`${health}/readyz`),
      ({ ok }) => ok,
    );
    return new Controller(program, metrics, (machineMs() - begun) / 1000);
  }

  get pid(): number {
    return this.#program.pid;
  }

  /** So far by its own count; after the end, the last that was asked for. */
  async requests(): Promise<RequestCounts> {
    if (!this.#isOver) this.#last = ownCounts(await scrape(this.#url));
    return this.#last;
  }

  /** SIGTERM, and the end is waited for. */
  async stop(): Promise<void> {
    await this.requests();
    this.#isOver = true;
    this.#program.signal('SIGTERM');
    await this.#program.ended;
  }
}

const urlsOf = (line: unknown): { health: string; metrics: string } => ({
  health: text(at(line, 'health')),
  metrics: text(at(line, 'metrics')),
});
