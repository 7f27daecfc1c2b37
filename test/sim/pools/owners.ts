// Whose each Sandbox is, judged at every version of the store: one claim's for ever once it is one,
// a claim's only one, taken over only as its assignment says, and of a pool no more than wanted.
// Part of oracle.ts.
import type { Change } from '#src/devcluster/api/store/collection.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { textAt, uidOf } from '../fields.ts';
import {
  annotationOf,
  assignment,
  blueprintOf,
  collections,
  controllerOf,
  controllersOf,
  find,
  madeOf,
  ipsOf,
  isGoing,
  isRecreating,
  membersOf,
  nameOf,
  needsOwn,
  type Owner,
  poolOf,
  replicasOf,
  templateOf,
} from './objects.ts';
import type { Judged } from './judged.ts';
import type { Moment } from './past.ts';

export class Owners {
  readonly #options: Judged;
  /** By UID of the Sandbox: the claim that has it, or had. */
  readonly #claimOf = new Map<string, string>();
  /** By UID of the claim: the Sandboxes that it has. */
  readonly #sandboxesOf = new Map<string, Map<string, string>>();

  constructor(options: Judged) {
    this.#options = options;
  }

  watch(): void {
    const { store } = this.#options;
    store.collection(collections.sandboxes).onChange((change) => this.#take(change));
  }

  #take({ type, object, previous }: Change): void {
    const { tally, violate } = this.#options;
    const [uid, name, owner] = [uidOf(object), nameOf(object), controllerOf(object)];
    if (controllersOf(object).length > 1) violate(`Sandbox ${name} has two controllers`);
    const had = this.#claimOf.get(uid);
    const is = type !== 'DELETED' && owner?.kind === 'SandboxClaim' ? owner.uid : undefined;
    if (had !== undefined) tally.judged('owner of a Sandbox');
    if (had !== undefined && type !== 'DELETED' && is !== had) {
      violate(`Sandbox ${name} was of claim ${had} and is of ${owner?.kind} ${owner?.name} (C5)`);
    }
    if (is === undefined && had !== undefined) this.#sandboxesOf.get(had)?.delete(uid);
    if (is !== undefined && had !== is) this.#begin(object, previous, owner);
    const was = previous === undefined ? undefined : controllerOf(previous);
    if (type !== 'DELETED' && owner?.kind === 'SandboxWarmPool' && was?.uid !== owner.uid) {
      this.#judgePopulation(object, owner);
    }
  }

  /** A claim has it from now on. */
  #begin(sandbox: Stored, previous: Stored | undefined, owner: Owner | undefined): void {
    if (owner === undefined) return;
    const { tally, violate } = this.#options;
    const [uid, name] = [uidOf(sandbox), nameOf(sandbox)];
    this.#claimOf.set(uid, owner.uid);
    const others = this.#sandboxesOf.get(owner.uid) ?? new Map<string, string>();
    this.#sandboxesOf.set(owner.uid, others.set(uid, name));
    tally.judged('Sandboxes of a claim');
    if (others.size > 1) {
      violate(`claim ${owner.name} controls ${[...others.values()].join(' and ')} (R1)`);
    }
    if (previous === undefined) this.#judgeColdStart(sandbox, owner);
    else this.#judgeTakeOver(sandbox, previous, owner);
  }

  /** Its pool has stored that it starts cold, and no member is kept for it. */
  #judgeColdStart(sandbox: Stored, owner: Owner): void {
    const { tally, violate } = this.#options;
    const claim = this.#claim(owner);
    if (claim === undefined) return tally.abstained('cold start', 'the claim is gone');
    tally.judged('cold start');
    const assigned = annotationOf(claim, assignment);
    const name = nameOf(sandbox);
    if (name !== owner.name) violate(`claim ${owner.name} starts cold with ${name} (R8)`);
    if (assigned !== owner.name) {
      violate(`claim ${owner.name} starts cold and is assigned to "${assigned}" (R2)`);
    }
    if (textAt(claim, 'metadata', 'annotations', 'test/wrong') === 'metadata') {
      violate(`claim ${owner.name} starts cold with metadata that is refused (R30)`);
    }
  }

  /** How long the claim has named this Sandbox. */
  #assignedForMs(claim: Stored, sandbox: string): number {
    const { clock, past } = this.#options;
    const moments = past('claims').of(nameOf(claim));
    const names = ({ object }: Moment): boolean =>
      object !== undefined && annotationOf(object, assignment) === sandbox;
    const first = moments[moments.findLastIndex((moment) => !names(moment)) + 1];
    return first === undefined ? 0 : clock.now() - first.at;
  }

  #judgeTakeOver(sandbox: Stored, previous: Stored, owner: Owner): void {
    const { tally, violate, latelyMs, past } = this.#options;
    const [name, pool] = [nameOf(sandbox), controllerOf(previous)];
    if (pool?.kind !== 'SandboxWarmPool') {
      return violate(`claim ${owner.name} takes ${name} of ${pool?.kind ?? 'nobody'} (R11)`);
    }
    const claim = this.#claim(owner);
    if (claim === undefined) return tally.abstained('take-over', 'the claim is gone');
    tally.judged('take-over');
    const what = `claim ${owner.name} takes ${name}`;
    const assigned = annotationOf(claim, assignment);
    if (assigned !== name) violate(`${what} and is assigned to "${assigned}" (R2)`);
    if (poolOf(claim) !== pool.name) violate(`${what} of pool ${pool.name} (C7)`);
    if (needsOwn(claim)) violate(`${what} and needs one of its own (Q29)`);
    if (isGoing(previous)) violate(`${what}, which is being deleted`);
    const versions = past('sandboxes').of(name);
    const hadIps = versions.some(({ object }) => uidOf(object) === uidOf(sandbox) && ipsOf(object));
    if (!hadIps) violate(`${what}, which has no IP (Q22)`);
    // What was assigned is finished, whatever becomes of the template meanwhile (2.4.5).
    const sinceMs = latelyMs + this.#assignedForMs(claim, name);
    const pools = past('pools')
      .lately(pool.name, sinceMs)
      .filter((one) => one !== undefined && uidOf(one) === pool.uid);
    if (pools.length === 0 || !pools.every(isRecreating)) return;
    const blueprints = pools
      .flatMap((one) => past('templates').lately(templateOf(one), sinceMs))
      .map(blueprintOf);
    tally.judged('fresh member');
    if (!blueprints.includes(madeOf(sandbox))) violate(`${what}, which is stale (Q26)`);
  }

  #claim({ name, uid }: Owner): Stored | undefined {
    const claim = find(this.#options.store, 'claims', name);
    return claim !== undefined && uidOf(claim) === uid && !isGoing(claim) ? claim : undefined;
  }

  /** Those that are being deleted count until they are gone (P10). */
  #judgePopulation(sandbox: Stored, { name, uid }: Owner): void {
    const { store, tally, violate, past, latelyMs } = this.#options;
    const wanted = past('pools')
      .lately(name, latelyMs)
      .filter((pool) => pool !== undefined && uidOf(pool) === uid)
      .map(replicasOf);
    if (wanted.length === 0) return tally.abstained('population', 'the pool is gone');
    tally.judged('population');
    const pool = { metadata: { uid } };
    const there = membersOf(store, pool).length;
    const most = Math.max(...wanted);
    if (there <= most) return;
    violate(`pool ${name} has ${there} members with ${nameOf(sandbox)}, and wanted ${most} (P5)`);
  }
}
