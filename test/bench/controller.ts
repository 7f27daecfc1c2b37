// The controller under measurement (product.ts), as a process of its own.
import { at, text, word } from '#machines/kubernetes/json.ts';
import { eventually } from '#test/support/eventually.ts';
import { type Exposition, scrape } from '#test/support/exposition.ts';
import type { Program, Programs } from '#test/support/program.ts';
import { machineMs } from './observer/claims.ts';
import { ownCounts } from './own-counts.ts';
import type { Product } from './product.ts';
import type { RequestCounts } from './requests.ts';

export interface ControllerFiles {
  readonly product: Product;
  readonly configuration: string;
  readonly kubeconfig: string;
  /** It can be asked for profiles; such a process is slower. */
  readonly isInspected?: boolean | undefined;
  /** Variables that it gets besides ours. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

export class Controller {
  readonly #program: Program;
  readonly #url: string;
  #last: RequestCounts = {};
  #isOver = false;
  /** From the start of the process until /readyz was 200. */
  readonly readySeconds: number;
  readonly #inspector: string | undefined;
  /** Where its own inspector is served, the page of actors; undefined where that is off. */
  readonly page: string | undefined;

  private constructor(
    program: Program,
    url: string,
    readySeconds: number,
    inspector: string | undefined,
    page: string | undefined,
  ) {
    this.page = page;
    this.#program = program;
    this.#inspector = inspector;
    this.#url = url;
    this.readySeconds = readySeconds;
  }

  /** Resolves when it is ready. */
  static async start(programs: Programs, files: ControllerFiles): Promise<Controller> {
    const { product, configuration, kubeconfig, isInspected = false } = files;
    const begun = machineMs();
    const flags = ['--config', configuration, '--kubeconfig', kubeconfig];
    const inspect = isInspected ? ['--inspect=127.0.0.1:0'] : [];
    const { nodeFlags, nodeEnvironment } = product.start;
    const command = [...nodeFlags, ...inspect, product.bundle, 'controller', ...flags];
    const environment = { ...nodeEnvironment, ...files.environment };
    const program = programs.run(process.execPath, command, environment);
    const inspector = isInspected
      ? (await program.line(/^Debugger listening on (ws:\S+)$/))[1]
      : undefined;
    const [started = ''] = await program.line(/\{.*"controller started".*\}/);
    await program.line(/controller synced/);
    const { health, metrics, page } = urlsOf(JSON.parse(started));
    await eventually(
      'ready',
      () => fetch(`${health}/readyz`),
      ({ ok }) => ok,
    );
    return new Controller(program, metrics, (machineMs() - begun) / 1000, inspector, page);
  }

  /** Where it is asked for profiles; undefined where it is not, and after its end. */
  get inspector(): string | undefined {
    return this.#isOver ? undefined : this.#inspector;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get pid(): number {
    return this.#program.pid;
  }

  metrics(): Promise<Exposition> {
    return scrape(this.#url);
  }

  /** So far by its own count; after the end, the last that was asked for. */
  async requests(): Promise<RequestCounts> {
    if (!this.#isOver) this.#last = ownCounts(await this.metrics());
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

const urlsOf = (line: unknown) => ({
  health: text(at(line, 'health')),
  metrics: text(at(line, 'metrics')),
  page: word(at(line, 'inspector')),
});
