// A request path on real sockets in the process of a test: the actors of revisions on the system's
// clock, the data plane, and pods that come and go as EndpointSlices say. At its end nothing may be
// left: whoever was counted in is counted out, and every permit is back.
import { onTestFinished } from 'vitest';
import { activatorFamilies } from '#machines/activator/families.ts';
import { Figures } from '#src/activator/proxy/figures.ts';
import type { RequestPath, RequestPathOptions } from '#src/activator/proxy/options.ts';
import { PodClients, type PodLimits } from '#src/activator/proxy/pods.ts';
import { defaultRules, type RequestRules } from '#src/activator/proxy/rules.ts';
import { startRequestPath } from '#src/activator/proxy/start.ts';
import type { ServedRevision } from '#src/activator/served-revision.ts';
import { type Revisions, superviseRevisions } from '#src/activator/supervise.ts';
import { systemClock, systemIds } from '#src/time/clock.ts';
import { revisionKey, revisionObject, sliceObject } from '#test/machines/activator/objects.ts';
import { FakeCluster } from '#test/support/fake-cluster.ts';
import { recordingTelemetry } from '#test/support/telemetry.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import type { Pod } from './backends.ts';
import { ask, type Got, RawClient, type Sent, until } from './client.ts';

const { namespace, name } = revisionKey;

export const toRevision = {
  'Knative-Serving-Namespace': namespace,
  'Knative-Serving-Revision': name,
} as const;

/** As a client writes them. */
export const headLines = `Host: hello.example\r\n${Object.entries(toRevision)
  .map(([header, value]) => `${header}: ${value}\r\n`)
  .join('')}`;

interface Settings extends Partial<Omit<RequestPathOptions, 'plane' | 'rules' | 'pods'>> {
  /** Requests that a pod takes at once; 0: any number. */
  readonly limit?: number;
  readonly rules?: Partial<RequestRules>;
  readonly podLimits?: Partial<PodLimits>;
  readonly maxWaiting?: number;
  /** Default: in this thread. */
  readonly startPath?: (options: Started) => Promise<RequestPath>;
}

type Started = RequestPathOptions & Pick<Revisions, 'plane'> & { readonly figures: Figures };

export class TestPath {
  readonly telemetry = recordingTelemetry(activatorFamilies);
  readonly figures = new Figures();
  /** Of each revision, in order: +1 and -1. */
  readonly demand: number[] = [];
  readonly revisions: Revisions;
  readonly pods: PodClients;
  /** Pods that answer their probes. */
  readonly #answering = new Map<string, string>();
  readonly #made: Pod[] = [];
  #path: RequestPath | undefined;
  #count = 0;

  private constructor(settings: Settings) {
    const { limit = 0, podLimits, maxWaiting } = settings;
    this.pods = new PodClients(podLimits);
    this.revisions = superviseRevisions({
      clock: systemClock,
      random: seeded(1),
      ids: systemIds(),
      cluster: new FakeCluster(systemClock),
      telemetry: this.telemetry,
      probe: ({ dest }) => {
        const id = this.#answering.get(dest);
        return Promise.resolve({ isOk: id !== undefined, id });
      },
      ...(maxWaiting === undefined ? {} : { limits: { maxWaiting } }),
    });
    const object = revisionObject({ limit, version: ++this.#count });
    this.revisions.system.observe({ type: 'seen', kind: 'Revision', object });
    this.revisions.system.synced();
  }

  /** Ends with the test. */
  static async start(settings: Settings = {}): Promise<TestPath> {
    const made = new TestPath(settings);
    onTestFinished(() => made.#end());
    const { limit: _, rules, podLimits: __, maxWaiting: ___, startPath, ...options } = settings;
    made.#path = await (startPath ?? startRequestPath)({
      plane: made.revisions.plane,
      demand: {
        begun: () => void made.demand.push(1),
        ended: () => void made.demand.push(-1),
      },
      health: () => undefined,
      log: made.telemetry.log,
      listen: { host: '127.0.0.1', http: 0 },
      figures: made.figures,
      ...options,
      pods: made.pods,
      rules: () => ({ ...defaultRules, ...rules }),
    });
    await until(() => made.#served !== undefined);
    return made;
  }

  /** With a pod that gets requests. */
  static async with(pod: Pod | Promise<Pod>, settings: Settings = {}): Promise<TestPath> {
    const path = await TestPath.start(settings);
    await path.add(await pod);
    return path;
  }

  get path(): RequestPath {
    if (this.#path === undefined) throw new Error('the request path has not started');
    return this.#path;
  }

  get port(): number {
    return this.path.ports.http;
  }

  get #served(): ServedRevision | undefined {
    return this.revisions.plane.find(namespace, name);
  }

  get requests(): ServedRevision {
    if (this.#served === undefined) throw new Error('the revision is not served');
    return this.#served;
  }

  /** Of the revision. */
  get counted() {
    return this.figures.of(namespace, name);
  }

  /** Lines of the log, as `message limit` and so on. */
  logged(message: string): readonly object[] {
    return this.telemetry.calls.log.flatMap(([, text, fields]) =>
      text === message ? [fields ?? {}] : [],
    );
  }

  stateOf({ dest }: Pod): string | undefined {
    return this.requests.admission.table.snapshot().find((one) => one.dest === dest)?.state;
  }

  ask(sent: Sent = {}): Promise<Got> {
    return ask(this.port, { ...sent, headers: { ...toRevision, ...sent.headers } });
  }

  raw(text = '', options: ConstructorParameters<typeof RawClient>[1] = {}): RawClient {
    const client = new RawClient(this.port, options);
    onTestFinished(() => void client.socket.destroy());
    return text === '' ? client : client.write(text);
  }

  /** Gets requests when this ends. */
  async add(pod: Pod): Promise<void> {
    this.list(pod);
    await until(() => this.stateOf(pod) === 'ready');
  }

  list(pod: Pod): void {
    if (!this.#made.includes(pod)) this.#made.push(pod);
    this.#answering.set(pod.dest, `pod-${pod.port}`);
    this.#see(pod.port, true);
  }

  /** Not listed any more; ends when no request is on it. */
  async remove(pod: Pod): Promise<void> {
    const { dest, port } = pod;
    this.#answering.delete(dest);
    this.#see(port, false);
    await until(() => this.stateOf(pod) === undefined);
  }

  /** It does not answer its probes any more. */
  silence({ dest }: Pod): void {
    this.#answering.delete(dest);
  }

  retire(): void {
    const ref = { kind: 'Revision', namespace, name } as const;
    this.revisions.system.observe({ type: 'gone', ref, uid: 'revision-1' });
  }

  #see(port: number, isListed: boolean): void {
    const listed = isListed ? [{ ip: '127.0.0.1', id: `pod-${port}` }] : [];
    const object = sliceObject(listed, {
      version: ++this.#count,
      name: `${name}-private-${port}`,
      ports: [{ name: 'http', port }],
    });
    this.revisions.system.observe({ type: 'seen', kind: 'EndpointSlice', object });
  }

  async #end(): Promise<void> {
    await this.#path?.stop();
    await this.pods.close();
    await until(() => this.counted.active === 0);
    const { queued, active, underWay } = this.counted;
    const held = this.#served?.admission.table.figures.active ?? 0;
    const demand = this.demand.reduce((sum, one) => sum + one, 0);
    await this.revisions.stop();
    await Promise.all(this.#made.map((pod) => pod.kill()));
    const left = { queued, active, underWay, held, demand };
    if (Object.values(left).some((count) => count !== 0)) {
      throw new Error(`something is left of requests: ${JSON.stringify(left)}`);
    }
  }
}
