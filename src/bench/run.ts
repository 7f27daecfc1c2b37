// `coppice bench`: takes the PodCliqueSet of a file through deploy, steady state, scale and delete
// in a namespace of its own, and leaves a report. Whatever becomes of it, namespace and simulated
// nodes are taken away at the end; nothing else in the cluster is touched.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CoppiceError } from '#machines/contract/errors.ts';
import { exitCodes } from '#src/cli/commands.ts';
import { stopSignal } from '#src/cli/signals.ts';
import { apply } from '#src/dev/apply.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import { failureOf, isSuccess } from '#src/kube/errors.ts';
import { httpTransport } from '#src/kube/transport/http.ts';
import type { KubeRequest, KubeTransport } from '#src/kube/transport/transport.ts';
import { systemClock } from '#src/time/clock.ts';
import { addNodes, removeNodes, simulatedLabel } from './nodes.ts';
import { Onlooker } from './onlooker.ts';
import { type Profiles, profilesFrom } from './profiles.ts';
import { type Report, writeReport } from './report.ts';
import { availableReplicas, Steps, type Until } from './steps.ts';
import { placed, readSubject, type Subject } from './subject.ts';

interface BenchFlags {
  readonly file: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly scale: number;
  readonly steady: number;
  readonly timeout: number;
  readonly 'kwok-nodes': number;
  readonly pprof: string;
  readonly out: string | undefined;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Resolves with the exit code. Rejects with MALFORMED for a file that cannot be deployed, and with
 *  KubeConfigError. */
export async function runBench(flags: BenchFlags, version: string): Promise<number> {
  const wrong = wrongIn(flags);
  if (wrong !== undefined) {
    process.stderr.write(`coppice: ${wrong}\n`);
    return exitCodes.usage;
  }
  const stopped = stopSignal();
  const subject = await readSubject(flags.file ?? '');
  const { kubeconfig: file, context } = flags;
  const connection = await loadConnection(
    { ...(file === undefined ? {} : { file }), ...(context === undefined ? {} : { context }) },
    systemClock,
  );
  const transport = httpTransport(connection, { userAgent: `coppice-bench/${version}` });
  try {
    const bench = new Bench({ flags, subject, transport, version, server: connection.server });
    return await bench.run(stopped);
  } finally {
    await transport.close();
  }
}

/** What of the flags the parser cannot know to be wrong. */
function wrongIn(flags: BenchFlags): string | undefined {
  if (flags.file === undefined) return 'bench needs -f FILE, the manifest of a PodCliqueSet';
  if (flags.timeout === 0) return '--timeout 0 is wrong, it must be a whole number from 1 on';
  if (!URL.canParse(flags.pprof)) {
    return `--pprof "${flags.pprof}" is wrong, it must be an address such as http://127.0.0.1:2753`;
  }
  return undefined;
}

interface Options {
  readonly flags: BenchFlags;
  readonly subject: Subject;
  readonly transport: KubeTransport;
  readonly version: string;
  readonly server: string;
}

class Bench {
  readonly #options: Options;
  readonly #run = randomBytes(4).toString('hex');
  readonly #namespace = `coppice-bench-${this.#run}`;
  readonly #date = new Date().toISOString();
  readonly #folder: string;
  readonly #abort = new AbortController();
  readonly #profiles: Profiles;
  readonly #onlooker: Onlooker;
  readonly #steps: Steps;
  /** The last write, which must be over before everything is taken away. */
  #inFlight: Promise<unknown> = Promise.resolve();

  constructor(options: Options) {
    const { flags, transport } = options;
    this.#options = options;
    this.#folder = resolve(flags.out ?? this.#namespace);
    mkdirSync(this.#folder, { recursive: true });
    this.#profiles = profilesFrom(flags.pprof, this.#folder, this.#abort.signal);
    this.#onlooker = new Onlooker(transport, undefined, this.#namespace);
    this.#steps = new Steps(this.#onlooker, this.#namespace);
  }

  /** Resolves with the exit code once all is taken away. */
  async run(stopped: Promise<NodeJS.Signals>): Promise<number> {
    const end = stopped.then((signal) => {
      throw new Interrupted(signal);
    });
    try {
      await Promise.race([this.#measure(), end]);
      this.#report();
      return exitCodes.ok;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#report(why);
      process.stderr.write(`coppice: the benchmark ended early: ${why}\n`);
      if (error instanceof Interrupted) return exitCodes.stopped;
      if (error instanceof CoppiceError) throw error;
      return exitCodes.notReady;
    } finally {
      this.#abort.abort();
      this.#onlooker.stop();
      await this.#inFlight;
      await this.#takeAway();
    }
  }

  async #measure(): Promise<void> {
    const { flags, subject, transport } = this.#options;
    const { name } = subject.manifest;
    const nodes = flags['kwok-nodes'];
    await this.#must({ method: 'GET', path: this.#sets });
    await this.#makeNamespace();
    if (nodes > 0) {
      await this.#write(() => addNodes(transport, this.#run, nodes, this.#abort.signal));
    }
    await this.#onlooker.synced;
    const manifest = placed(subject, this.#namespace, nodes > 0 ? this.#run : undefined);
    await this.#step(
      'deploy',
      () => this.#write(() => apply(transport, manifest, 'coppice-bench')),
      this.#available(subject.replicas),
    );
    await this.#step(
      'steady',
      () => this.#rest(flags.steady * 1_000),
      this.#available(subject.replicas),
    );
    const path = `${this.#sets}/${name}`;
    const body = { spec: { replicas: this.#scaledTo } };
    const contentType = 'application/merge-patch+json';
    const patch: KubeRequest = { method: 'PATCH', path, body, contentType };
    await this.#step('scale', () => this.#must(patch), this.#available(this.#scaledTo));
    const remove: KubeRequest = {
      method: 'DELETE',
      path,
      body: { propagationPolicy: 'Background' },
    };
    await this.#step('delete', () => this.#must(remove), this.#gone());
  }

  /** Of what the controller does meanwhile there are profiles; a step does not wait for them. */
  async #step(name: string, act: () => Promise<unknown>, until: Until): Promise<void> {
    const profile = this.#profiles.take(name, name === 'steady' ? 'heap' : 'profile');
    const { start, end } = await this.#steps.step(name, act, until);
    say(`${name}: ${(end - start).toFixed(2)} s`);
    await profile;
  }

  #available(replicas: number): Until {
    const { name } = this.#options.subject.manifest;
    const holds = () => availableReplicas(this.#onlooker, this.#namespace, name) === replicas;
    return { what: `${replicas} replicas available`, holds, limitMs: this.#limitMs };
  }

  #gone(): Until {
    const holds = () => Object.values(this.#steps.counts()).every((count) => count === 0);
    return { what: 'everything gone', holds, limitMs: this.#limitMs };
  }

  get #limitMs(): number {
    return this.#options.flags.timeout * 1_000;
  }
  get #scaledTo(): number {
    const { flags, subject } = this.#options;
    return flags.scale === 0 ? subject.replicas * 2 : flags.scale;
  }
  get #sets(): string {
    return `/apis/grove.io/v1alpha1/namespaces/${this.#namespace}/podcliquesets`;
  }

  #makeNamespace(): Promise<void> {
    const metadata = { name: this.#namespace, labels: { [simulatedLabel]: this.#run } };
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata };
    say(`namespace ${this.#namespace}`);
    return this.#must({ method: 'POST', path: '/api/v1/namespaces', body });
  }

  /** Nothing is begun once the end has begun. */
  #write<T>(act: () => Promise<T>): Promise<T> {
    this.#abort.signal.throwIfAborted();
    const writing = act();
    this.#inFlight = writing.catch(() => undefined);
    return writing;
  }

  #rest(ms: number): Promise<unknown> {
    return pause(ms, undefined, { signal: this.#abort.signal });
  }

  async #must(request: KubeRequest): Promise<void> {
    const response = await this.#write(() => this.#options.transport.request(request));
    if (isSuccess(response)) return;
    const { code, message } = failureOf(response);
    throw new CoppiceError(code, `${request.method} ${request.path}: ${message}`);
  }

  #report(error?: string): void {
    const { flags, subject, version, server } = this.#options;
    const report: Report = {
      version,
      date: this.#date,
      server,
      file: flags.file ?? '',
      set: subject.manifest.name,
      replicas: subject.replicas,
      scaledTo: this.#scaledTo,
      steadySeconds: flags.steady,
      simulatedNodes: flags['kwok-nodes'],
      steps: this.#steps.steps,
      profiles: this.#profiles.files,
      missingProfiles: this.#profiles.missing,
      ...(error === undefined ? {} : { error }),
    };
    writeReport(this.#folder, report, this.#steps.moments);
    say(`report in ${this.#folder}`);
  }

  /** The set first, while its controller runs: its finalizers hold the namespace. */
  async #takeAway(): Promise<void> {
    const { transport, subject, flags } = this.#options;
    const paths = [
      `${this.#sets}/${subject.manifest.name}`,
      `/api/v1/namespaces/${this.#namespace}`,
    ];
    for (const path of paths) {
      await transport.request({ method: 'DELETE', path }).catch(() => undefined);
    }
    if (flags['kwok-nodes'] === 0) return;
    await this.#goneOrLate();
    await removeNodes(transport, this.#run).catch(() => undefined);
  }

  /** Pods go with what plays their kubelet: their nodes stay until then, but not for ever. */
  async #goneOrLate(): Promise<void> {
    const path = `/api/v1/namespaces/${this.#namespace}`;
    for (let left = goneLimitSeconds; left > 0; left--) {
      const reply = await this.#options.transport
        .request({ method: 'GET', path })
        .catch(() => undefined);
      if (reply?.status === 404) return;
      await pause(1_000);
    }
  }
}

const goneLimitSeconds = 60;

class Interrupted extends Error {
  constructor(signal: string) {
    super(`interrupted by ${signal}`);
  }
}
