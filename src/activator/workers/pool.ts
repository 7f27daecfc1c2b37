// `activator.workers` above 1: threads that each take requests on the same ports, so that requests
// have more than one processor. Tables, queues, actors and metrics stay in this thread, which is
// asked for the pod of each request (held-requests.ts). A worker that dies takes its own requests
// with it and is started again. Used by ../process.ts in place of proxy/start.ts.
import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import type { Telemetry } from '#actors/ports.ts';
import { backoff } from '#machines/contract/backoff.ts';
import type { Check } from '#src/http/probes.ts';
import { listen } from '#src/http/server.ts';
import type { RevisionPlane } from '../data-plane.ts';
import { defaultRules, type RevisionRules } from '../proxy/rules.ts';
import type { Listening, RequestLimits, RequestPath } from '../proxy/options.ts';
import type { HeldParts } from './held-requests.ts';
import type { Health, OfRevision, ToWorker, WorkerSetup } from './messages.ts';
import { type Thread, WorkerThread } from './worker-thread.ts';

export interface WorkersOptions extends Omit<HeldParts, 'plane' | 'rules'> {
  readonly count: number;
  readonly plane: Pick<RevisionPlane, 'find' | 'all' | 'onChange'>;
  readonly rules: Pick<RevisionRules, 'find' | 'onChange'>;
  readonly log: Telemetry['log'];
  /** As of the request path (proxy/options.ts). */
  readonly health: (path: string) => string | undefined;
  readonly listen: Listening;
  readonly limits: Partial<RequestLimits>;
  readonly requestLogTemplate: string | undefined;
  /** A test looks at the threads that this makes. */
  readonly spawn?: (setup: WorkerSetup) => Thread;
  readonly times?: Partial<WorkerTimes>;
}

export interface WorkerTimes {
  /** From one message on health to the next. */
  readonly beatMs: number;
  /** A worker that answers none for so long is ended: its event loop is stuck. */
  readonly silentMs: number;
  /** Before a worker is started again; doubled by each that dies soon after it, up to `mostMs`. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** A worker that has lived so long has not died soon. */
  readonly soonMs: number;
}

const workerTimes: WorkerTimes = {
  beatMs: 500,
  silentMs: 30_000,
  firstMs: 100,
  mostMs: 30_000,
  soonMs: 60_000,
};

export interface Workers extends RequestPath {
  /** Fails while none of them takes requests. */
  readonly ready: Check;
}

/** Rejects with ListenError as `startRequestPath` does. */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const pool = new Pool(options);
  try {
    return await pool.start();
  } catch (error) {
    await pool.stop();
    throw error;
  }
}

/** In the sources and in the bundle, where files have other names. */
const threadFile = new URL(
  import.meta.url.endsWith('.ts') ? './thread.ts' : './activator-worker.mjs',
  import.meta.url,
);

/** Two processes of one user could share a port, each with some of the connections: workers of
 *  another activator are found by asking for the port alone. Rejects with ListenError. */
async function refuseTaken({ host, http, h2c = 0 }: Listening): Promise<void> {
  for (const [name, port] of Object.entries({ http, h2c })) {
    if (port === 0) continue;
    const server = createServer();
    await listen(server, { host, port, name, setting: `listen.${name}` });
    await new Promise((resolve) => server.close(resolve));
  }
}

const withPorts = ({ https, ...listen }: Listening, ports: RequestPath['ports']): Listening => ({
  ...listen,
  http: ports.http,
  ...(ports.h2c !== undefined && { h2c: ports.h2c }),
  ...(https && { https: { ...https, port: ports.https ?? https.port } }),
});

const spawnThread = (setup: WorkerSetup): Thread => new Worker(threadFile, { workerData: setup });

class Pool {
  readonly #options: WorkersOptions;
  readonly #times: WorkerTimes;
  readonly #workers = new Set<WorkerThread>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #listen: Listening;
  #isStopped = false;
  #deaths = 0;

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.#times = { ...workerTimes, ...options.times };
    this.#listen = options.listen;
  }

  /** The first one finds the ports, where any will do. */
  async start(): Promise<Workers> {
    const { count, plane, rules, listen: where, figures } = this.#options;
    plane.onChange(({ namespace, name }, isThere) => {
      if (isThere) this.#tellRevision(namespace, name);
      else this.#tell({ type: 'gone', namespace, name });
    });
    rules.onChange((namespace, name) => {
      if (plane.find(namespace, name) !== undefined) this.#tellRevision(namespace, name);
    });
    await refuseTaken(where);
    const ports = await this.#add().listens;
    this.#listen = withPorts(where, ports);
    await Promise.all(Array.from({ length: count - 1 }, () => this.#add().listens));
    const beat = setInterval(() => this.#beat(), this.#times.beatMs);
    this.#timers.add(beat);
    return {
      ports,
      figures,
      drain: async () => {
        await Promise.all([...this.#workers].map((worker) => worker.drain()));
      },
      stop: () => this.stop(),
      ready: {
        name: 'workers',
        run: () =>
          [...this.#workers].some(({ hasListened }) => hasListened)
            ? undefined
            : 'no worker takes requests: they have died, and are started again',
      },
    };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([...this.#workers].map((worker) => worker.stop()));
  }

  #add(): WorkerThread {
    const { log, limits, requestLogTemplate, spawn = spawnThread } = this.#options;
    const health = this.#health();
    const thread = spawn({ listen: this.#listen, limits, requestLogTemplate, health });
    const worker = new WorkerThread(thread, { ...this.#parts(), log });
    const bornAt = performance.now();
    this.#workers.add(worker);
    for (const message of this.#revisions()) worker.say(message);
    void worker.ended.then((error) => {
      this.#workers.delete(worker);
      if (this.#isStopped || !worker.hasListened) return;
      this.#options.figures.workerDeaths += 1;
      log('error', 'a worker has died, and its requests with it', { error: error ?? '' });
      const isSoon = performance.now() - bornAt < this.#times.soonMs;
      this.#deaths = isSoon ? this.#deaths + 1 : 1;
      this.#addLater();
    });
    return worker;
  }

  #addLater(): void {
    const { firstMs, mostMs } = this.#times;
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        this.#add().listens.catch((error: unknown) => {
          if (this.#isStopped) return;
          this.#options.log('error', 'a worker could not start', { error: String(error) });
          this.#deaths += 1;
          this.#addLater();
        });
      },
      backoff(this.#deaths, firstMs, mostMs),
    );
    this.#timers.add(timer);
  }

  #parts(): HeldParts {
    const { plane, demand, figures, rules, podNameOf } = this.#options;
    return { plane, demand, figures, rules: rules.find, podNameOf };
  }

  #beat(): void {
    const health = this.#health();
    for (const worker of this.#workers) {
      worker.say({ type: 'health', health });
      if (worker.silentMs() <= this.#times.silentMs) continue;
      this.#options.log('error', 'a worker does not answer, and is ended', {});
      worker.kill();
    }
  }

  #health(): Health {
    const { health } = this.#options;
    return { live: health('/livez'), ready: health('/readyz') };
  }

  *#revisions(): Iterable<OfRevision> {
    for (const { key } of this.#options.plane.all()) yield this.#about(key.namespace, key.name);
  }

  #tellRevision(namespace: string, name: string): void {
    this.#tell(this.#about(namespace, name));
  }

  #about(namespace: string, name: string): OfRevision {
    const rules = this.#options.rules.find(namespace, name) ?? defaultRules;
    return { type: 'revision', namespace, name, rules };
  }

  #tell(message: ToWorker): void {
    for (const worker of this.#workers) worker.say(message);
  }
}
