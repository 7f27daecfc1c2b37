// Claims of a simulated day: they come singly and in bursts, of every sort, and go before, while
// and after they are bound, at times to come again under their names. Part of people.ts.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { uidOf } from '../fields.ts';
import { between, pick } from '../users/workload.ts';
import { all, boundTo, nameOf, wrong } from './objects.ts';
import { type Client, latePool, volume } from './people.ts';

const mostClaims = 24;
const mostBurst = 8;
const policies = ['Delete', 'DeleteForeground', 'Retain'] as const;

interface Extras {
  readonly spec: JsonObject;
  readonly fault?: string;
}

export class Claimants {
  readonly #client: Client;
  #made = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  async come(): Promise<void> {
    const { random, world } = this.#client;
    const there = all(world.cluster.store, 'claims').length;
    const wanted = this.#client.chance(0.3) ? between(random, 2, mostBurst) : 1;
    const pool = pick(random, ['warm', 'warm', 'warm', 'spare', 'spare', latePool]) ?? 'warm';
    for (let left = Math.min(wanted, mostClaims - there); left > 0; left--) {
      await this.#claim(`claim-${this.#made++}`, pool);
    }
  }

  /** One that has a Sandbox, or one that has none yet. */
  async leave(): Promise<void> {
    const { random, world } = this.#client;
    const claims = all(world.cluster.store, 'claims');
    const isYoung = this.#client.chance(0.4);
    const some = claims.filter((one) => (boundTo(one) === '') === isYoung);
    const claim = pick(random, some.length > 0 ? some : claims);
    if (claim === undefined) return;
    if (this.#client.chance(0.2)) return this.#edit(nameOf(claim));
    const isForeground = this.#client.chance(0.2);
    const body = { preconditions: { uid: uidOf(claim) }, propagationPolicy: 'Foreground' };
    await this.#client.remove('claims', claim, isForeground ? body : undefined);
    if (this.#client.chance(0.5)) return;
    const again = () => this.#claim(nameOf(claim), pick(random, ['warm', 'spare']) ?? 'warm');
    if (this.#client.chance(0.5)) await again();
    else this.#client.later(6_000, again);
  }

  /** Where clocks are wrong nobody can say when a deadline has passed. */
  async makePeace(areClocksWrong: boolean): Promise<void> {
    for (const claim of all(this.#client.world.cluster.store, 'claims')) {
      const isTimed = JSON.stringify(claim['spec']).includes('lifecycle');
      if (isTimed && areClocksWrong) await this.#client.remove('claims', claim);
    }
    for (const pool of ['warm', 'spare', latePool])
      await this.#claim(`last-${pool}`, pool, { spec: {} });
  }

  async #edit(name: string): Promise<void> {
    const labels = { 'sandbox.users.io/edited': String(this.#made++) };
    await this.#client.edit('claims', name, { spec: { additionalPodMetadata: { labels } } });
  }

  async #claim(name: string, pool: string, extras = this.#extras()): Promise<void> {
    const { spec, fault } = extras;
    const annotations = fault === undefined ? {} : { [wrong]: fault };
    const metadata = { annotations, labels: { 'agents.x-k8s.io/created-by': 'go-client' } };
    const rest = { metadata, spec: { warmPoolRef: { name: pool }, ...spec } };
    await this.#client.create('claims', 'SandboxClaim', name, rest);
  }

  /** What it asks for besides; `fault`: what a template may refuse, or any would. */
  #extras(): Extras {
    const { random, world } = this.#client;
    const dice = random.next();
    if (dice < 0.1) return { spec: { env: [{ name: 'KEY', value: 'value' }] }, fault: 'env' };
    if (dice < 0.17) {
      return { spec: { volumeClaimTemplates: [volume('extra')] }, fault: 'volumes' };
    }
    if (dice < 0.25) {
      const labels = { 'sandbox.users.io/team': 'a' };
      return { spec: { additionalPodMetadata: { labels, annotations: { note: 'hello' } } } };
    }
    if (dice < 0.28) {
      const labels = { 'kubernetes.io/team': 'a' };
      return { spec: { additionalPodMetadata: { labels } }, fault: 'metadata' };
    }
    const shutdownPolicy = pick(random, policies) ?? 'Retain';
    if (dice < 0.4) {
      const seconds = between(random, 2, 40);
      const shutdownTime = new Date(world.clock.now() + seconds * 1_000).toISOString();
      const time = `${shutdownTime.slice(0, 19)}Z`;
      return { spec: { lifecycle: { shutdownTime: time, shutdownPolicy } } };
    }
    const ttlSecondsAfterFinished = between(random, 0, 10);
    if (dice < 0.55) return { spec: { lifecycle: { ttlSecondsAfterFinished, shutdownPolicy } } };
    return { spec: {} };
  }
}
