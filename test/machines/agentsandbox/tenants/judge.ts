// Who may have a Sandbox, judged at every write on the server's own objects: what came from a pool
// goes to claims of that pool in its namespace, and what a claim says it has is its own.
import { annotation } from '#machines/agentsandbox/objects/labels.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import { refOf } from '#test/support/world-store.ts';
import type { Server, Watcher } from '../claim/server.ts';

const assignedOf = (claim: KubeObject): string | undefined =>
  claim.metadata.annotations?.[annotation.assigned];

export class Judge {
  /** Crossings, in words. */
  readonly wrong: string[] = [];
  /** Claims that got a Sandbox from a pool, by UID, and those that got one of their own. */
  readonly warm = new Set<string>();
  readonly cold = new Set<string>();
  readonly #claims = new Map<string, KubeObject>();
  /** UIDs of claims that came with an assignment. */
  readonly #forged = new Set<string>();
  readonly #pools = new Map<string, KubeObject>();
  /** By UID of the Sandbox: UID of the pool that controlled it first. */
  readonly #origins = new Map<string, string>();
  /** As they are, by the address of their pod. */
  readonly #byAddress = new Map<string, KubeObject>();

  constructor(server: Server) {
    server.watchers.add(this.#judge);
  }

  readonly #judge: Watcher = (object) => {
    const { kind } = refOf(object);
    const { uid = '' } = object.metadata;
    if (kind === 'SandboxWarmPool') this.#pools.set(uid, object);
    if (kind === 'Sandbox') this.#judgeSandbox(object);
    if (kind !== 'SandboxClaim') return;
    if (!this.#claims.has(uid) && assignedOf(object) !== undefined) this.#forged.add(uid);
    this.#claims.set(uid, object);
    this.#judgeStatus(object);
  };

  #judgeSandbox(sandbox: KubeObject): void {
    const { uid = '', namespace, name } = sandbox.metadata;
    const owner = controllerOf(sandbox);
    for (const address of list(at(sandbox, 'status', 'podIPs'))) {
      this.#byAddress.set(text(address), sandbox);
    }
    if (owner?.kind === 'SandboxWarmPool' && !this.#origins.has(uid)) {
      this.#origins.set(uid, owner.uid);
    }
    if (owner?.kind !== 'SandboxClaim') return;
    const claim = this.#claims.get(owner.uid);
    const what = `${namespace}/${name}`;
    if (claim === undefined) return this.#say(`${what} is of a claim that never was`);
    const whose = `${claim.metadata.namespace}/${claim.metadata.name}`;
    if (claim.metadata.namespace !== namespace) this.#say(`${what} is of ${whose}`);
    const origin = this.#origins.get(uid);
    if (origin === undefined) {
      this.cold.add(owner.uid);
      if (name !== claim.metadata.name) this.#say(`${what} is of no pool, and of ${whose}`);
      return;
    }
    this.warm.add(owner.uid);
    const pool = this.#pools.get(origin)?.metadata;
    const wanted = text(at(claim, 'spec', 'warmPoolRef', 'name'));
    // Before the pool was seen, or after it is gone, what a claim has stored is finished by UID
    // (C8). Who forges both in one namespace gives a Sandbox to himself.
    const isOwn = this.#forged.has(owner.uid) && assignedOf(claim) === name;
    if (!isOwn && (pool?.namespace !== namespace || pool?.name !== wanted)) {
      this.#say(
        `${what} of ${pool?.namespace}/${pool?.name} is of ${whose}, which wants ${wanted}`,
      );
    }
  }

  #judgeStatus(claim: KubeObject): void {
    const { uid = '', namespace = '', name } = claim.metadata;
    for (const address of list(at(claim, 'status', 'sandbox', 'podIPs'))) {
      const sandbox = this.#byAddress.get(text(address));
      if (sandbox === undefined) continue;
      const isIn = sandbox.metadata.namespace === namespace;
      if (!isIn || controllerOf(sandbox)?.uid !== uid) {
        this.#say(`${namespace}/${name} tells of ${sandbox.metadata.name}, which is not its own`);
      }
    }
  }

  #say(what: string): void {
    this.wrong.push(`${what} (S-18)`);
  }
}
