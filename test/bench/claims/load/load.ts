// Who makes claims and looks on: POSTs them at their times, whatever becomes of those before, and
// notes when a watch shows each Ready. A process of its own (main.ts), so that neither the product
// nor the floor has a part in the measurement.
import { setTimeout as pause } from 'node:timers/promises';
import { at, count as countOf, text } from '#machines/kubernetes/json.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import { type HttpTransport, httpTransport } from '#src/kube/transport/http.ts';
import { systemClock } from '#src/time/clock.ts';
import { conditionOf, Onlooker, type Sight } from '#src/bench/onlooker.ts';
import { get, must } from '#test/support/workload.ts';
import { machineMs } from '../../observer/claims.ts';
import { namespace } from '../../workload.ts';
import { claimBody, extensions, labels, pool } from '../objects.ts';

export interface BurstOrder {
  /** Number of the first claim, which is in its name. */
  readonly first: number;
  readonly count: number;
  /** Claims a second; 0: all at once. */
  readonly rate: number;
}

/** Times in milliseconds of `machineMs`. */
export interface ClaimSeen {
  readonly claim: string;
  readonly postMs: number;
  readonly readyMs: number;
  /** As its status names it when it is Ready. */
  readonly sandbox: string;
}

export interface BurstSeen {
  readonly claims: readonly ClaimSeen[];
  /** The most by which a POST was late. */
  readonly lagMs: number;
  /** Claims whose status named another Sandbox later. */
  readonly rebound: number;
}

/** What the benchmark asks of it, also across processes. */
export interface Loader {
  /** Of the onlooker's sight of `status.readyReplicas`. */
  poolReady(replicas: number): Promise<number>;
  /** From now on so many members are looked for that are Ready and not claimed. */
  membersReady(members: number): Promise<number>;
  burst(order: BurstOrder): Promise<BurstSeen>;
  stop(): Promise<void>;
}

/** Each holds a socket, as those of a controller do. */
const sockets = 64;

export class Load implements Loader {
  readonly #client: HttpTransport;
  readonly #onlooker: Onlooker;
  readonly #limitMs: number;

  private constructor(client: HttpTransport, patienceSeconds: number) {
    this.#client = client;
    this.#limitMs = patienceSeconds * 1000;
    this.#onlooker = new Onlooker(client, ['sandboxclaims', 'sandboxwarmpools']);
  }

  /** Resolves when it misses nothing and all its sockets are open. */
  static async open(kubeconfig: string, patienceSeconds: number): Promise<Load> {
    const connection = await loadConnection({ file: kubeconfig }, systemClock);
    const client = httpTransport(connection, { userAgent: 'coppice-bench-load', sockets });
    const load = new Load(client, patienceSeconds);
    await load.#onlooker.synced;
    const look = () => get(client, `${extensions}/sandboxclaims?limit=1`);
    await Promise.all(Array.from({ length: sockets }, look));
    return load;
  }

  async poolReady(replicas: number): Promise<number> {
    const status = (): unknown =>
      at(this.#onlooker.one('sandboxwarmpools', namespace, pool.name), 'status');
    const isReady = (): boolean => (countOf(at(status(), 'readyReplicas')) ?? 0) >= replicas;
    await this.#onlooker.until(`${replicas} members ready`, isReady, status, this.#limitMs);
    return machineMs();
  }

  async membersReady(members: number): Promise<number> {
    const onlooker = new Onlooker(this.#client, ['sandboxes']);
    const ready = new Set<string>();
    onlooker.onSight(({ name, type, object }) => {
      const isMember = at(object, 'metadata', 'labels', labels.pool) !== undefined;
      const isReady = type !== 'DELETED' && conditionOf(object, 'Ready') === 'True';
      if (isMember && isReady) ready.add(name);
      else ready.delete(name);
    });
    const areReady = (): boolean => ready.size >= members;
    try {
      await onlooker.until(`${members} members`, areReady, () => ready.size, this.#limitMs);
      return machineMs();
    } finally {
      onlooker.stop();
    }
  }

  async burst({ first, count, rate }: BurstOrder): Promise<BurstSeen> {
    const claims = new Map<string, Watched>();
    let open = count;
    let rebound = 0;
    const end = this.#onlooker.onSight((sight) => {
      const claim = sight.resource === 'sandboxclaims' ? claims.get(sight.name) : undefined;
      if (claim === undefined) return;
      const outcome = claim.see(sight);
      if (outcome === 'ready') open -= 1;
      if (outcome === 'rebound') rebound += 1;
    });
    const isDone = (): boolean => open === 0;
    const tell = (): string => `${open} of ${count} are not, ${rebound} were bound anew`;
    try {
      const [lagMs] = await Promise.all([
        this.#post(claims, { first, count, rate }),
        this.#onlooker.until('all claims Ready', isDone, tell, this.#limitMs),
      ]);
      return { claims: [...claims.values()].map((claim) => claim.seen), lagMs, rebound };
    } finally {
      end();
    }
  }

  async stop(): Promise<void> {
    this.#onlooker.stop();
    await this.#client.close();
  }

  /** Resolves with the most by which one was late, when all are answered. */
  async #post(claims: Map<string, Watched>, { first, count, rate }: BurstOrder): Promise<number> {
    const begun = machineMs();
    const answers: Promise<unknown>[] = [];
    let lagMs = 0;
    for (let index = 0; index < count; index++) {
      const dueMs = rate === 0 ? begun : begun + (index * 1000) / rate;
      if (dueMs > machineMs()) await pause(dueMs - machineMs());
      const name = `claim-${first + index}`;
      const claim = new Watched(name, machineMs());
      claims.set(name, claim);
      if (rate > 0) lagMs = Math.max(lagMs, claim.seen.postMs - dueMs);
      const path = `${extensions}/sandboxclaims`;
      const answer = must(this.#client, { method: 'POST', path, body: claimBody(name) });
      // All are waited for below: until then none may end the process.
      answer.catch(() => {});
      answers.push(answer);
    }
    await Promise.all(answers);
    return Math.round(lagMs * 10) / 10;
  }
}

class Watched {
  seen: ClaimSeen;

  constructor(claim: string, postMs: number) {
    this.seen = { claim, postMs, readyMs: Number.NaN, sandbox: '' };
  }

  see({ object }: Sight): 'ready' | 'rebound' | undefined {
    const sandbox = text(at(object, 'status', 'sandbox', 'name'));
    const { readyMs, sandbox: before } = this.seen;
    if (!Number.isNaN(readyMs)) return sandbox === before ? undefined : 'rebound';
    if (conditionOf(object, 'Ready') !== 'True') return undefined;
    this.seen = { ...this.seen, readyMs: machineMs(), sandbox };
    return 'ready';
  }
}
