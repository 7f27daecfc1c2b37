// The floor of a claim: a script that sees claims by watch and makes only the least writes for
// each, with the product's client and as many requests in flight. Members that nobody has claimed
// wait in a plain FIFO in memory. As there is no controller, it makes the members too, by the least
// writes for these. A process of its own (main.ts).
import { at } from '#machines/kubernetes/json.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import { type HttpTransport, httpTransport } from '#src/kube/transport/http.ts';
import { systemClock } from '#src/time/clock.ts';
import { conditionOf, Onlooker } from '#src/bench/onlooker.ts';
import { get } from '#test/support/workload.ts';
import { type Answered, core, FloorClient } from '../../floor-client.ts';
import type { RequestCounts } from '../../requests.ts';
import {
  addressesOf,
  agents,
  assignment,
  claimStatus,
  extensions,
  labels,
  memberBody,
  memberStatus,
  podBody,
  poolPath,
  poolStatus,
  takeOver,
  type Version,
  versionOf,
} from '../objects.ts';

export const floorAgent = 'coppice-bench-floor';

/** How it comes to a member: out of its queue, or by a list of all Sandboxes for each claim, which
 *  is what a controller without a queue would do. */
export type Picking = 'queue' | 'list';

export interface FloorOrder {
  readonly kubeconfig: string;
  readonly inFlight: number;
  readonly picking: Picking;
  /** CPU time that it spends besides on each claim, in microseconds, a third before each write: the
   *  latency is then that of a controller that costs so much more. */
  readonly busyUs: number;
}

interface Member extends Version {
  readonly addresses: readonly string[];
}

export class ClaimFloor {
  readonly #transport: HttpTransport;
  readonly #client: FloorClient;
  readonly #onlooker: Onlooker;
  readonly #picking: Picking;
  readonly #busyUs: number;
  readonly #members = new Map<string, Member>();
  readonly #claims: Version[] = [];
  /** UIDs of claims. */
  readonly #seen = new Set<string>();
  readonly #failed = Promise.withResolvers<never>();
  #made = 0;
  #begun = 0;

  private constructor(
    transport: HttpTransport,
    client: FloorClient,
    { picking, busyUs }: Pick<FloorOrder, 'picking' | 'busyUs'>,
  ) {
    this.#transport = transport;
    this.#client = client;
    this.#picking = picking;
    this.#busyUs = busyUs;
    this.#failed.promise.catch(() => {});
    this.#onlooker = new Onlooker(transport, ['sandboxclaims']);
    this.#onlooker.onSight(({ type, object }) => {
      const claim = versionOf(object);
      if (type === 'DELETED' || this.#seen.has(claim.uid)) return;
      this.#seen.add(claim.uid);
      if (conditionOf(object, 'Ready') === 'True') return;
      this.#claims.push(claim);
      this.#serveAll();
    });
  }

  static async open(order: FloorOrder): Promise<ClaimFloor> {
    const { kubeconfig, inFlight } = order;
    const connection = await loadConnection({ file: kubeconfig }, systemClock);
    const transport = httpTransport(connection, { userAgent: floorAgent, sockets: inFlight });
    const client = await FloorClient.open(transport, { inFlight });
    const floor = new ClaimFloor(transport, client, order);
    await floor.#onlooker.synced;
    return floor;
  }

  get requests(): RequestCounts {
    return this.#client.requests;
  }

  /** So many members more; the pool's status says so at the end. */
  async fill(count: number): Promise<void> {
    const poolUid = versionOf(await get(this.#transport, poolPath)).uid;
    const first = this.#made;
    this.#made += count;
    const ranks = Array.from({ length: count }, (_, index) => first + index);
    const members = await Promise.all(ranks.map((rank) => this.#make(rank, poolUid)));
    for (const member of members) this.#members.set(member.name, member);
    await this.#client.send(this.#made, 'PATCH', `${poolPath}/status`, poolStatus(this.#made));
    this.#serveAll();
  }

  /** Never resolves; rejects with what a write has failed with. */
  broken(): Promise<never> {
    return this.#failed.promise;
  }

  async stop(): Promise<void> {
    this.#onlooker.stop();
    this.#client.stop();
    await this.#transport.close();
  }

  async #make(rank: number, poolUid: string): Promise<Member> {
    const name = `warmpool-0-${String(rank).padStart(5, '0')}`;
    const send = this.#client.send.bind(this.#client, rank);
    const sandbox = await send('POST', `${agents}/sandboxes`, memberBody(name, poolUid));
    await send('POST', `${core}/pods`, podBody(name, sandbox.uid));
    const [pod] = await this.#client.podsReady([name]);
    const path = `${agents}/sandboxes/${name}/status`;
    const told = await send('PATCH', path, memberStatus(sandbox.version, pod));
    return { ...told, addresses: addressesOf(pod) };
  }

  #serveAll(): void {
    while (this.#claims.length > 0 && this.#members.size > 0) {
      const claim = this.#claims.shift();
      const [member] = this.#members.values();
      if (claim === undefined || member === undefined) return;
      this.#members.delete(member.name);
      this.#serve(this.#begun++, claim, member).catch((error: unknown) =>
        this.#failed.reject(error),
      );
    }
  }

  async #serve(rank: number, claim: Version, queued: Member): Promise<void> {
    const write = (path: string, body: unknown): Promise<Answered> => {
      spend(this.#busyUs / 3);
      return this.#client.send(rank, 'PATCH', path, body);
    };
    const member = this.#picking === 'queue' ? queued : await this.#listed(queued);
    const path = `${extensions}/sandboxclaims/${claim.name}`;
    const { version } = await write(path, assignment(claim, member.name));
    await write(`${agents}/sandboxes/${member.name}`, takeOver(member, claim));
    await write(`${path}/status`, claimStatus(version, member.name, member.addresses));
  }

  /** The same member as a list of all of them shows it. */
  async #listed(queued: Member): Promise<Member> {
    const selector = encodeURIComponent(labels.pool);
    const path = `${agents}/sandboxes?resourceVersion=0&labelSelector=${selector}`;
    const items = at(await get(this.#transport, path), 'items');
    const found = (Array.isArray(items) ? items : []).map(versionOf);
    const member = found.find(({ name }) => name === queued.name);
    return { ...queued, ...member };
  }
}

/** CPU time of this process, in microseconds: on a busy machine it takes longer. That of a thread
 *  alone is known by ticks of the kernel only. */
function spend(us: number): void {
  if (us === 0) return;
  const before = process.cpuUsage();
  for (;;) {
    const { user, system } = process.cpuUsage(before);
    if (user + system >= us) return;
  }
}
