// What a floor sends with and looks with: a bound on requests in flight that lets the lowest
// replica go first, a count of what was sent, and one watch, of pods. Nothing is remembered of the
// objects; who changes one keeps the version of the last answer.
import { at, object, text } from '#machines/kubernetes/json.ts';
import { requestInfo } from '#src/kube/paths.ts';
import { limited } from '#src/kube/transport/ratelimit.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { systemClock } from '#src/time/clock.ts';
import type { Limit } from '#test/cluster/commands.ts';
import { conditionOf, Onlooker } from '#src/bench/onlooker.ts';
import { must } from '#test/support/workload.ts';
import { add, type RequestCounts } from './requests.ts';
import { Window } from './window.ts';
import { namespace } from './workload.ts';

interface FloorLimits {
  readonly inFlight: number;
  /** Requests per second and at once, per kind; absent: no limit. */
  readonly rate?: Limit | undefined;
}

export interface FloorOptions extends FloorLimits {
  readonly replicas: number;
}

export const core = `/api/v1/namespaces/${namespace}`;
export const grove = `/apis/grove.io/v1alpha1/namespaces/${namespace}`;
export const scheduler = `/apis/scheduler.grove.io/v1alpha1/namespaces/${namespace}`;

export type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Answered {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
}

export class FloorClient {
  readonly #client: KubeTransport;
  readonly #onlooker: Onlooker;
  readonly #window: Window;
  /** By name of the pod. */
  readonly #awaited = new Map<string, (pod: unknown) => void>();
  /** What was sent so far. */
  requests: RequestCounts = {};

  private constructor(transport: KubeTransport, { inFlight, rate }: FloorLimits) {
    this.#client = limited(transport, systemClock, {
      maxInFlight: inFlight,
      ...(rate === undefined ? {} : { rate }),
    });
    this.#onlooker = new Onlooker(transport, ['pods']);
    this.#onlooker.onSight(({ name, object: pod }) => {
      if (conditionOf(pod, 'Ready') !== 'True') return;
      this.#awaited.get(name)?.(pod);
      this.#awaited.delete(name);
    });
    this.#window = new Window(inFlight);
  }

  /** Resolves when it has listed the pods. */
  static async open(transport: KubeTransport, options: FloorLimits): Promise<FloorClient> {
    const client = new FloorClient(transport, options);
    await client.#onlooker.synced;
    return client;
  }

  /** Sends when the window has room, replica by replica; resolves with what the answer says. */
  async send(rank: number, method: Method, path: string, body?: unknown): Promise<Answered> {
    const request = {
      method,
      path,
      ...(body === undefined ? {} : { body }),
      ...(method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {}),
    };
    const { verb, resource } = requestInfo(method, path);
    this.requests = add(this.requests, { [`${verb} ${resource} 2xx`]: 1 });
    const reply = await this.#window.run(rank, () => must(this.#client, request));
    const metadata = object(at(reply, 'metadata'));
    return {
      name: text(metadata['name']),
      uid: text(metadata['uid']),
      version: text(metadata['resourceVersion']),
    };
  }

  podsReady(names: readonly string[]): Promise<readonly unknown[]> {
    return Promise.all(names.map((name) => this.#podReady(name)));
  }

  stop(): void {
    this.#onlooker.stop();
  }

  #podReady(name: string): Promise<unknown> {
    const pod = this.#onlooker.one('pods', namespace, name);
    if (conditionOf(pod, 'Ready') === 'True') return Promise.resolve(pod);
    return new Promise((resolve) => this.#awaited.set(name, resolve));
  }
}
