// What must hold at every moment of a history of claims, judged on the server's own objects.
import { isObject, list, text } from '#machines/kubernetes/json.ts';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { Server, Watcher } from './server.ts';
import { refOf } from '#test/support/world-store.ts';

export interface Judged {
  /** Sandboxes that a claim has got from a pool, and those that were made for one. */
  taken: number;
  cold: number;
  cleared: number;
  terminal: number;
}

const terminal: readonly string[] = ['WarmPoolNotFound', 'TemplateNotFound'];

const readyOf = (claim: KubeObject) =>
  list(isObject(claim['status']) ? claim['status']['conditions'] : undefined)
    .filter(isObject)
    .find(({ type }) => type === 'Ready');

export class Judge {
  readonly judged: Judged = { taken: 0, cold: 0, cleared: 0, terminal: 0 };
  readonly #server: Server;
  /** By UID of the Sandbox: the claims that have controlled it. */
  readonly #owners = new Map<string, string>();
  /** By UID of the claim: Sandboxes that it controls. */
  readonly #controlled = new Map<string, Set<string>>();
  /** Versions of the server at which there was no such pool or template last. */
  readonly #absentAt = new Map<string, number>();
  readonly #bornAt = new Map<string, number>();
  readonly #before = new Map<string, KubeObject>();

  constructor(server: Server) {
    this.#server = server;
    server.watchers.add(this.#judge);
  }

  readonly #judge: Watcher = (object, isGone) => {
    const { kind } = refOf(object);
    const { uid = '', name } = object.metadata;
    if (kind === 'Sandbox') this.#judgeSandbox(object, isGone);
    if (kind === 'SandboxWarmPool' || kind === 'SandboxTemplate') {
      // As long as it is there it was absent at no moment.
      this.#absentAt.set(`${kind} ${name}`, isGone ? Infinity : this.#server.version);
    }
    if (kind !== 'SandboxClaim') return;
    if (!this.#bornAt.has(uid)) this.#bornAt.set(uid, this.#server.version);
    if (!isGone) this.#judgeClaim(object);
    this.#before.set(uid, object);
  };

  #judgeSandbox(sandbox: KubeObject, isGone: boolean): void {
    const { uid = '', name, ownerReferences = [] } = sandbox.metadata;
    if (ownerReferences.filter(({ controller }) => controller === true).length > 1) {
      throw new Error(`${name} has two controllers`);
    }
    const owner = controllerOf(sandbox);
    for (const [claim, sandboxes] of this.#controlled) {
      if (isGone || owner?.uid !== claim) sandboxes.delete(name);
    }
    if (isGone || owner?.kind !== 'SandboxClaim') return;
    const before = this.#owners.get(uid);
    if (before !== undefined && before !== owner.uid) {
      throw new Error(`${name} was of ${before} and is of ${owner.name} (C5)`);
    }
    if (before === undefined) this.judged[name === owner.name ? 'cold' : 'taken']++;
    this.#owners.set(uid, owner.uid);
    const sandboxes = this.#controlled.get(owner.uid) ?? new Set();
    sandboxes.add(name);
    this.#controlled.set(owner.uid, sandboxes);
    if (sandboxes.size > 1) {
      throw new Error(`${owner.name} has ${[...sandboxes].join(' and ')} (R1)`);
    }
  }

  #judgeClaim(claim: KubeObject): void {
    const { uid = '', name, annotations } = claim.metadata;
    const before = this.#before.get(uid);
    const key = 'agents.x-k8s.io/sandbox-name';
    const was = before?.metadata.annotations?.[key];
    const is = annotations?.[key];
    if (was !== undefined && is === undefined) this.judged.cleared++;
    if (was !== undefined && is !== undefined && was !== is) {
      throw new Error(`${name} was assigned to ${was} and is to ${is} (R2)`);
    }
    const ready = readyOf(claim);
    const reason = text(ready?.['reason']);
    if (ready?.['status'] === 'True') this.#judgeReady(claim);
    if (before === undefined || text(readyOf(before)?.['reason']) === reason) return;
    if (terminal.includes(reason)) this.#judgeTerminal(claim, reason);
  }

  /** It names the Sandbox that it controls, with its addresses (K1). */
  #judgeReady(claim: KubeObject): void {
    const { uid = '', name } = claim.metadata;
    const status = isObject(claim['status']) ? claim['status'] : {};
    const { sandbox } = status;
    const own = isObject(sandbox) ? text(sandbox['name']) : '';
    const isOwn = this.#controlled.get(uid)?.has(own) === true;
    const wasOwn = [...this.#owners.values()].includes(uid);
    if (own === '' || !(isOwn || wasOwn)) throw new Error(`${name} is Ready with "${own}" (K1)`);
    if (!isObject(sandbox) || list(sandbox['podIPs']).length === 0) {
      throw new Error(`${name} is Ready without an address (K1)`);
    }
  }

  /** What was there all the time since the claim was made is not said to be missing (K2). */
  #judgeTerminal(claim: KubeObject, reason: string): void {
    const { uid = '', name } = claim.metadata;
    const spec = isObject(claim['spec']) ? claim['spec'] : {};
    const ref = isObject(spec['warmPoolRef']) ? text(spec['warmPoolRef']['name']) : '';
    const what =
      reason === 'WarmPoolNotFound' ? `SandboxWarmPool ${ref}` : 'SandboxTemplate template';
    const bornAt = this.#bornAt.get(uid) ?? 0;
    if ((this.#absentAt.get(what) ?? Infinity) < bornAt) {
      throw new Error(`${name} says ${reason}, and ${what} was there all the time (K2)`);
    }
    this.judged.terminal++;
  }
}
