// What the controller deletes, judged when that takes effect: nothing that a claim has before its
// time is over, a member only where it is too many, outdated or never became ready, a pod only
// where its Sandbox is to have none (spec agent-sandbox 2.3, G1, R53). Part of oracle.ts.
import type { Stored } from '#src/devcluster/contract.ts';
import { labelsOf, listAt, numberAt, textAt, uidOf } from '../fields.ts';
import {
  all,
  annotationOf,
  assignment,
  blueprintOf,
  collections,
  controllerOf,
  madeOf,
  isGoing,
  isReady,
  isRecreating,
  isSuspended,
  label,
  membersOf,
  nameHash,
  nameOf,
  needsOwn,
  type Owner,
  replicasOf,
  shutdownOf,
  templateOf,
} from './objects.ts';
import type { Judged } from './oracle.ts';

interface Level {
  readonly at: number;
  readonly active: number;
}

export class Deletions {
  readonly #options: Judged;

  /** Which process has stored it, by claim and Sandbox. */
  readonly #assignedBy = new Map<string, number>();
  /** By UID of the pool: how many members that were to stay it had, and from when. */
  readonly #levels = new Map<string, Level[]>();

  constructor(options: Judged) {
    this.#options = options;
    const { store } = options;
    store.collection(collections.sandboxes).onChange(({ object, previous }) => {
      for (const owner of new Set([object, previous].map((one) => controllerOf(one)?.uid))) {
        if (owner !== undefined) this.#count(owner);
      }
    });
  }

  assigned(life: number, claim: Stored): void {
    this.#assignedBy.set(`${uidOf(claim)} ${annotationOf(claim, assignment)}`, life);
  }

  #count(pool: string): void {
    const { store, clock } = this.#options;
    const members = membersOf(store, { metadata: { uid: pool } });
    const active = members.filter((one) => !isGoing(one)).length;
    this.#levels.set(pool, [...(this.#levels.get(pool) ?? []), { at: clock.now(), active }]);
  }

  /** The most that there were lately: what is too many is chosen once. */
  #mostOf(pool: string): number {
    const { clock, latelyMs } = this.#options;
    const levels = this.#levels.get(pool) ?? [];
    const from = clock.now() - latelyMs;
    const inForce = levels.filter((_, index) => (levels[index + 1]?.at ?? Infinity) >= from);
    return Math.max(0, ...inForce.map(({ active }) => active));
  }

  judge(life: number, plural: string, object: Stored): void {
    if (isGoing(object)) return;
    const { tally, violate } = this.#options;
    const owner = controllerOf(object);
    const what = `controller ${life} deletes ${plural} ${nameOf(object)}`;
    if (plural === 'persistentvolumeclaims') return violate(`${what}, which only users may`);
    if (plural === 'services' && owner?.kind !== 'Sandbox') return violate(`${what} of others`);
    if (plural === 'sandboxclaims') {
      tally.judged('delete of a claim');
      if (!this.#isOver(object)) violate(`${what}, whose time is not over`);
    }
    if (plural === 'pods') this.#judgePod(what, owner);
    if (plural !== 'sandboxes') return;
    if (owner?.kind === 'SandboxClaim') this.#judgeClaimed(what, object, owner);
    else if (owner?.kind === 'SandboxWarmPool') this.#judgeMember(life, what, object, owner);
    else this.#judgeUnowned(what, object);
  }

  #judgeClaimed(what: string, sandbox: Stored, owner: Owner): void {
    const { past, latelyMs, tally, violate } = this.#options;
    tally.judged('delete of a claimed Sandbox');
    if (this.#isShutDown(sandbox)) return;
    const claims = past('claims')
      .of(owner.name)
      .map(({ object }) => object)
      .filter((claim) => claim !== undefined && uidOf(claim) === owner.uid);
    if (claims.some((claim) => claim !== undefined && this.#isOver(claim))) return;
    const { length } = past('claims').lately(owner.name, latelyMs);
    violate(`${what} of claim ${owner.name}, whose time is not over (${length} versions lately)`);
  }

  #judgeMember(life: number, what: string, sandbox: Stored, owner: Owner): void {
    const { past, latelyMs, tally, violate, store, clock, graceMs } = this.#options;
    const name = nameOf(sandbox);
    const pools = past('pools')
      .lately(owner.name, latelyMs)
      .filter((one) => one !== undefined && uidOf(one) === owner.uid);
    if (pools.length === 0) return violate(`${what} of pool ${owner.name}, which is gone`);
    tally.judged('delete of a member');
    const claims = all(store, 'claims').filter(
      (claim) =>
        annotationOf(claim, assignment) === name &&
        !needsOwn(claim) &&
        Number(this.#assignedBy.get(`${uidOf(claim)} ${name}`)) === life,
    );
    if (claims.length > 0) violate(`${what}, which it has assigned to ${nameOf(claims[0])}`);
    if (this.#isShutDown(sandbox)) return;
    const isTooMany = this.#mostOf(owner.uid) > Math.min(...pools.map(replicasOf));
    const isYoung = clock.now() - Date.parse(textAt(sandbox, 'metadata', 'creationTimestamp'));
    const isStuck = !isReady(sandbox) && (this.#options.areClocksWrong || isYoung >= graceMs);
    if (isTooMany || isStuck || pools.some((pool) => this.#isStale(sandbox, pool))) return;
    violate(`${what} of pool ${owner.name}, which is wanted, ready and fresh (P2, P6)`);
  }

  /** By some version of the template that it may have looked at. */
  #isStale(sandbox: Stored, pool: Stored | undefined): boolean {
    if (!isRecreating(pool)) return false;
    const { past, latelyMs } = this.#options;
    const isOther = labelsOf(sandbox)[label.template] !== nameHash(templateOf(pool));
    return (
      isOther ||
      past('templates')
        .lately(templateOf(pool), latelyMs)
        .some((one) => one !== undefined && blueprintOf(one) !== madeOf(sandbox))
    );
  }

  /** Orphans with the label of a pool, and what deletes itself. */
  #judgeUnowned(what: string, sandbox: Stored): void {
    this.#options.tally.judged('delete of an orphan');
    if (labelsOf(sandbox)[label.pool] !== undefined || this.#isShutDown(sandbox)) return;
    this.#options.violate(`${what}, which is of no pool`);
  }

  #judgePod(what: string, owner: Owner | undefined): void {
    const { past, tally, violate, latelyMs } = this.#options;
    if (owner?.kind !== 'Sandbox') return violate(`${what}, which is of no Sandbox (R53)`);
    tally.judged('delete of a pod');
    const lately = past('sandboxes').lately(owner.name, latelyMs);
    const its = lately.filter((one) => one !== undefined && uidOf(one) === owner.uid);
    if (its.some(isSuspended) || its.some((one) => this.#hasShutDown(one))) return;
    violate(`${what} of Sandbox ${owner.name}, which is to run`);
  }

  #isShutDown(sandbox: Stored): boolean {
    const { past } = this.#options;
    const versions = past('sandboxes').of(nameOf(sandbox));
    return versions.some(({ object }) => {
      const spec = object?.['spec'];
      return this.#hasShutDown(object) && textAt(spec, 'shutdownPolicy') === 'Delete';
    });
  }

  #hasShutDown(sandbox: Stored | undefined): boolean {
    const time = shutdownOf(sandbox?.['spec']);
    return (
      !Number.isNaN(time) && (this.#options.areClocksWrong || time <= this.#options.clock.now())
    );
  }

  /** Its time is over, by one of its deadlines. */
  #isOver(claim: Stored): boolean {
    const { areClocksWrong, clock } = this.#options;
    const time = deadlineOf(claim);
    return time !== Infinity && (areClocksWrong || time <= clock.now());
  }
}

/** Infinity: never. */
export function deadlineOf(claim: Stored): number {
  const lifecycle = (claim['spec'] as Record<string, unknown> | undefined)?.['lifecycle'];
  const at = shutdownOf(lifecycle);
  const finished = listAt(claim, 'status', 'conditions').find(
    (one) => textAt(one, 'type') === 'Finished' && textAt(one, 'status') === 'True',
  );
  const hasTtl = JSON.stringify(lifecycle ?? {}).includes('ttlSecondsAfterFinished');
  const ended = Date.parse(textAt(finished, 'lastTransitionTime'));
  const after = ended + numberAt(lifecycle, 'ttlSecondsAfterFinished') * 1_000;
  return Math.min(
    Number.isNaN(at) ? Infinity : at,
    hasTtl && finished !== undefined ? after : Infinity,
  );
}
