// One replica of the controller: a process behind a proxy of its own, that is started anew when it
// ends, as a kubelet would. Every life has a name, a tape and a certificate of its own.
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import type { Ended, Program, Programs } from '#test/support/program.ts';
import { root as checkout } from '#test/support/source-copy.ts';
import { ApiProxy, type Exchange } from '../../e2e/faults/proxy/api-proxy.ts';
import { kubeconfigThrough } from '../../e2e/faults/proxy/kubeconfig.ts';
import { type Answered, steadyNow } from '../recording/records.ts';
import type { History } from './history.ts';

/** The same in every copy of the sources. */
const preloaded = new URL('../recording/preload.ts', import.meta.url);

export interface ReplicaOptions {
  readonly name: string;
  readonly seed: number;
  readonly connection: KubeConnection;
  readonly programs: Programs;
  readonly folder: string;
  /** Where the sources are that it runs. */
  readonly root: string;
  readonly settings: JsonObject;
  /** Counts the lives of all replicas. */
  readonly nextLife: () => number;
  readonly history: () => History;
  readonly say: (line: string) => void;
  /** It ended by itself. */
  readonly ended: (replica: Replica, ended: Ended) => void;
}

export interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
}

interface Life {
  readonly number: number;
  readonly program: Program;
  readonly proxy: ApiProxy;
  readonly history: History;
  isWanted: boolean;
}

export class Replica {
  readonly name: string;
  readonly #options: ReplicaOptions;
  #life: Life | undefined;
  #isStanding = false;
  #starting: Promise<unknown> = Promise.resolve();

  constructor(options: ReplicaOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get life(): number {
    return this.#life?.number ?? 0;
  }

  /** It has read all that there was. */
  get isSynced(): boolean {
    const { stdout = [], stderr = [] } = this.#program ?? {};
    return [...stdout, ...stderr].some((line) => line.includes('controller synced'));
  }

  get isAlive(): boolean {
    return this.#life !== undefined;
  }

  /** Resolves when it runs, synced or not. */
  start(): Promise<Program> {
    const starting = this.#start();
    this.#starting = starting.catch(() => {});
    return starting;
  }

  /** Resolves when no start is under way. */
  async started(): Promise<void> {
    await this.#starting;
  }

  async #start(): Promise<Program> {
    const { seed, connection, folder, root, programs, nextLife } = this.#options;
    const number = nextLife();
    const history = this.#options.history();
    const answered = (exchange: Exchange): void => take(history, number, exchange);
    const proxy = await ApiProxy.start(connection, { seed: seed + number, answered });
    const write = (name: string, content: string): string => {
      const file = join(folder, `${name}-${number}`);
      writeFileSync(file, content);
      return file;
    };
    const files = await certificate(proxy, write);
    const kubeconfig = write('kubeconfig', JSON.stringify(kubeconfigThrough(proxy, files)));
    const config = write('config', JSON.stringify(this.#configuration(number)));
    const preload = pathToFileURL(join(root, relative(checkout, fileURLToPath(preloaded))));
    preload.searchParams.set('tape', history.tapeOf(number));
    const args = ['controller', '--config', config, '--kubeconfig', kubeconfig];
    history.note({ text: `${this.name} begins life ${number}`, life: number, turn: 'begins' });
    const main = join(root, 'src/main.ts');
    const program = programs.run(process.execPath, ['--import', preload.href, main, ...args]);
    const life = { number, program, proxy, history, isWanted: true };
    this.#life = life;
    void program.ended.then((ended) => this.#end(life, ended));
    return program;
  }

  /** SIGKILL, and nobody comes in its place by itself. */
  async kill(): Promise<void> {
    await this.#program?.kill();
  }

  /** SIGTERM, and nobody comes in its place. */
  async leave(): Promise<void> {
    if (this.#life === undefined) return;
    this.#life.isWanted = false;
    const { program } = this.#life;
    program.signal('SIGTERM');
    await program.ended;
  }

  async stand(forMs: number): Promise<void> {
    const life = this.#life;
    if (life === undefined) return;
    const { number } = life;
    this.#isStanding = true;
    life.history.note({ text: `${this.name} stands`, life: number, turn: 'stands still' });
    life.program.signal('SIGSTOP');
    await pause(forMs);
    life.program.signal('SIGCONT');
    life.history.note({ text: `${this.name} goes on`, life: number, turn: 'goes on' });
    this.#isStanding = false;
  }

  /** One answer in four to a write is lost. */
  async loseReplies(forMs: number): Promise<void> {
    const lift = this.#life?.proxy.inflict({
      verb: 'write',
      rate: 0.25,
      fault: { type: 'swallow' },
    });
    await pause(forMs);
    lift?.();
  }

  /** The server has a new certificate, and the one that the process shows is worth nothing. */
  async renew(): Promise<void> {
    const life = this.#life;
    if (life === undefined) return;
    await certificate(life.proxy, (name, content) => {
      const file = join(this.#options.folder, `${name}-${life.number}`);
      writeFileSync(file, content);
      return file;
    });
  }

  /** After all garbage is gone, in bytes. */
  async memory(): Promise<Memory> {
    const program = this.#program;
    if (program === undefined || this.#isStanding) throw new Error(`${this.name} does not run`);
    return (await program.ask({ ask: 'memory' })) as Memory;
  }

  get #program(): Program | undefined {
    return this.#life?.program;
  }

  async #end(life: Life, ended: Ended): Promise<void> {
    const { number, history, proxy } = life;
    const how = ended.signal ?? `code ${ended.code}`;
    history.note({ text: `life ${number} ends with ${how}`, life: number, turn: 'ends' });
    this.#options.say(`${this.name} ends life ${number} with ${how}`);
    if (this.#life === life) this.#life = undefined;
    await proxy.end();
    const isKilled = ended.signal === 'SIGKILL';
    if (life.isWanted && !isKilled) this.#options.ended(this, ended);
  }

  #configuration(life: number): JsonObject {
    const { settings } = this.#options;
    const terms = { durationSeconds: 8, renewSeconds: 5, retrySeconds: 1 };
    return {
      apiVersion: 'coppice.dev/v1alpha1',
      kind: 'CoppiceConfiguration',
      server: { bindAddress: '127.0.0.1', healthPort: 0, metricsPort: 0 },
      leases: { enabled: true, identity: `controller-${life}`, ...terms },
      modules: { grove: true, agentsandbox: true, nvidia: true },
      ...settings,
    };
  }
}

/** Writes a new certificate and its key; what a kubeconfig says of them. */
async function certificate(
  proxy: ApiProxy,
  write: (name: string, content: string) => string,
): Promise<JsonObject> {
  const { cert, key } = await proxy.renew();
  return { 'client-certificate': write('cert', cert), 'client-key': write('key', key) };
}

/** Of leases and Events only the changes count. */
function take(history: History, life: number, { askedAt, ...exchange }: Exchange): void {
  const { method, path, status } = exchange;
  if (/\/(?:leases|events)\b/.test(path)) return;
  const parse = (bytes: Buffer): unknown =>
    bytes.length === 0 ? undefined : JSON.parse(bytes.toString());
  const answered = { t: steadyNow(), life, path, status, askedAt };
  history.answered({
    ...answered,
    method: method as Answered['method'],
    body: parse(exchange.body),
    answer: parse(exchange.answer),
  });
}
