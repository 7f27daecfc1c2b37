// What the controller writes on claims, judged when it takes effect: an assignment that is never
// exchanged, a readiness that one version of its Sandbox had, a binding that is kept, and reasons
// that are true (spec agent-sandbox 1.7, 2.4, K1 to K3, C1 to C3, R2, R4, R25). Part of oracle.ts.
import type { Stored } from '#src/devcluster/contract.ts';
import { labelsOf, uidOf } from '../fields.ts';
import { deadlineOf } from './deletions.ts';
import {
  all,
  annotationOf,
  assignment,
  boundTo,
  claimIpsOf,
  conditionOf,
  find,
  ipsOf,
  isGoing,
  isOf,
  isReady,
  label,
  nameOf,
  poolOf,
  templateOf,
  wrong,
} from './objects.ts';
import type { Judged } from './judged.ts';

/** Of claims that no Sandbox speaks for. */
const terminal = ['WarmPoolNotFound', 'TemplateNotFound', 'SandboxMissing'] as const;
const refusals: Readonly<Record<string, string>> = {
  InvalidMetadata: 'metadata',
  EnvVarsInjectionRejected: 'env',
  VolumeClaimTemplatesError: 'volumes',
};

export class Claims {
  readonly #options: Judged;
  readonly #assigned: (life: number, claim: Stored) => void;
  /** By UID of the Sandbox: the claims that were assigned to it, and by which process. */
  readonly #promised = new Map<string, readonly { life: number; claim: string }[]>();

  constructor(options: Judged, assigned: (life: number, claim: Stored) => void) {
    this.#options = options;
    this.#assigned = assigned;
  }

  /** A process has written the claim. */
  judge(life: number, before: Stored, after: Stored): void {
    this.#judgeAssignment(life, before, after);
    this.#judgeBinding(life, before, after);
    const [was, is] = [conditionOf(before, 'Ready'), conditionOf(after, 'Ready')];
    const isSame =
      was.status === is.status && was.reason === is.reason && boundTo(before) === boundTo(after);
    if (isSame && claimIpsOf(before) === claimIpsOf(after)) return;
    if (is.status === 'True') this.#judgeReady(life, after);
    else if (was.reason !== is.reason) this.#judgeReason(life, before, after, is.reason);
  }

  #judgeAssignment(life: number, before: Stored, after: Stored): void {
    const { tally, violate } = this.#options;
    const [was, is] = [before, after].map((claim) => annotationOf(claim, assignment));
    if (was === is || was === undefined || is === undefined) return;
    if (is !== '') this.#assigned(life, after);
    const what = `controller ${life}: claim ${nameOf(after)}`;
    if (was !== '' && is !== '') violate(`${what} was assigned to ${was} and is to ${is} (R2)`);
    if (is !== '') return this.#judgePromise(life, what, is, after);
    tally.judged('assignment cleared');
    const sandbox = find(this.#options.store, 'sandboxes', was);
    if (sandbox === undefined || deadlineOf(after) !== Infinity) return;
    if (isOf(sandbox, 'SandboxClaim', uidOf(after))) {
      violate(`${what} is assigned to ${was} no more, which it controls`);
    }
    if (this.#wasFree(was, after)) violate(`${what} is assigned to ${was} no more, which is free`);
  }

  /** What a process has promised to a claim it promises to no other. */
  #judgePromise(life: number, what: string, name: string, claim: Stored): void {
    const { store, tally, violate } = this.#options;
    tally.judged('assignment');
    const sandbox = find(store, 'sandboxes', name);
    if (sandbox === undefined) return;
    const holders = this.#promised.get(uidOf(sandbox)) ?? [];
    this.#promised.set(uidOf(sandbox), [...holders, { life, claim: uidOf(claim) }]);
    const others = all(store, 'claims').filter(
      (one) =>
        !isGoing(one) &&
        uidOf(one) !== uidOf(claim) &&
        annotationOf(one, assignment) === name &&
        holders.some((holder) => holder.life === life && holder.claim === uidOf(one)),
    );
    const [other] = others;
    if (other !== undefined) violate(`${what} is assigned to ${name}, as is ${nameOf(other)} (R1)`);
  }

  /** It could have been taken over all the time, and no other claim was to have it. */
  #wasFree(name: string, claim: Stored): boolean {
    const { past, latelyMs, store } = this.#options;
    const isWanted = all(store, 'claims').some(
      (one) => uidOf(one) !== uidOf(claim) && annotationOf(one, assignment) === name,
    );
    if (isWanted) return false;
    return past('sandboxes')
      .lately(name, latelyMs)
      .every(
        (one) =>
          one !== undefined &&
          !isGoing(one) &&
          labelsOf(one)[label.pool] !== undefined &&
          labelsOf(one)[label.template] !== undefined &&
          past('pools')
            .lately(poolOf(claim), latelyMs)
            .every((pool) => isOf(one, 'SandboxWarmPool', uidOf(pool))),
      );
  }

  /** What its status names stays there as long as the claim controls it (C2, R25). */
  #judgeBinding(life: number, before: Stored, after: Stored): void {
    const [was, is] = [boundTo(before), boundTo(after)];
    if (was === '' || was === is) return;
    const { store, tally, violate, past, latelyMs, clock } = this.#options;
    tally.judged('binding ended');
    const sandbox = find(store, 'sandboxes', was);
    if (sandbox === undefined || !isOf(sandbox, 'SandboxClaim', uidOf(after))) return;
    const { at } = past('sandboxes').bornOf(uidOf(sandbox));
    // One of the same name may have come a moment ago.
    if (clock.now() - at < latelyMs && nameOf(after) === was) return;
    violate(`controller ${life}: the status of claim ${nameOf(after)} drops ${was}, which it has`);
  }

  /** Name, IPs and Ready are of one version of a Sandbox that it controls (K1). */
  #judgeReady(life: number, claim: Stored): void {
    const { tally, violate, past } = this.#options;
    tally.judged('Ready of a claim');
    const [name, ips] = [boundTo(claim), claimIpsOf(claim)];
    const isTrue = past('sandboxes')
      .of(name)
      .some(
        ({ object: one }) =>
          isOf(one, 'SandboxClaim', uidOf(claim)) && isReady(one) && ipsOf(one) === ips,
      );
    if (isTrue && ips !== '') return;
    violate(`controller ${life}: claim ${nameOf(claim)} is Ready with "${name}" and "${ips}" (K1)`);
  }

  #judgeReason(life: number, before: Stored, claim: Stored, reason: string): void {
    const { tally, violate, areClocksWrong, clock } = this.#options;
    const what = `controller ${life}: claim ${nameOf(claim)} says ${reason}`;
    if (reason === 'ClaimExpired') {
      if (areClocksWrong) return tally.abstained('expiry', 'clocks are wrong');
      tally.judged('expiry');
      const deadline = Math.min(deadlineOf(before), deadlineOf(claim));
      if (deadline > clock.now()) violate(`${what}, and its time is not over`);
      return;
    }
    const [fault] = Object.entries(refusals).filter(([one]) => one === reason);
    if (fault !== undefined) {
      tally.judged('refusal');
      if (!this.#isAtFault(claim, fault[1])) violate(`${what}, and nothing is wrong with it`);
      return;
    }
    const [missing] = terminal.filter((one) => one === reason);
    if (missing !== undefined) return this.#judgeMissing(life, what, claim, missing, before);
    if (reason === 'ReconcilerError' || reason === 'SandboxNotReady') return;
    tally.judged('forwarded reason');
    const { past } = this.#options;
    const versions = past('sandboxes').of(boundTo(claim));
    const isTrue = versions.some(
      ({ object: one }) =>
        isOf(one, 'SandboxClaim', uidOf(claim)) && conditionOf(one, 'Ready').reason === reason,
    );
    if (!isTrue) violate(`${what}, which its Sandbox "${boundTo(claim)}" never did`);
  }

  /** `other` is the template that refuses what `basic` allows. */
  #isAtFault(claim: Stored, fault: string): boolean {
    if (annotationOf(claim, wrong) !== fault) return false;
    const { past, latelyMs } = this.#options;
    const pools = past('pools').lately(poolOf(claim), latelyMs);
    return fault === 'metadata' || pools.some((pool) => templateOf(pool) === 'other');
  }

  /** True at the server lately, and shown to the process by a list of after the claim was made. */
  #judgeMissing(
    life: number,
    what: string,
    claim: Stored,
    reason: (typeof terminal)[number],
    before: Stored,
  ): void {
    const { tally, violate, past, listed } = this.#options;
    tally.judged('missing');
    const { version: born } = past('claims').bornOf(uidOf(claim));
    const name = reason === 'SandboxMissing' ? boundTo(before) : poolOf(claim);
    const plural = {
      SandboxMissing: 'sandboxes',
      WarmPoolNotFound: 'sandboxwarmpools',
      TemplateNotFound: 'sandboxtemplates',
    }[reason];
    const isShown = listed(life, plural, born).some((version) => {
      if (reason === 'SandboxMissing') {
        return !isOf(past('sandboxes').at(name, version), 'SandboxClaim', uidOf(claim));
      }
      const pool = past('pools').at(name, version);
      if (reason === 'WarmPoolNotFound') return pool === undefined;
      return this.#templatesOf(name).some(
        (template) => past('templates').at(template, version) === undefined,
      );
    });
    if (!isShown)
      return violate(`${what}, and no list has shown it that since version ${born} (K2)`);
    if (!this.#isMissing(reason, name, claim)) violate(`${what}, and it is there (K2, K3)`);
  }

  #isMissing(reason: (typeof terminal)[number], name: string, claim: Stored): boolean {
    const { past, latelyMs } = this.#options;
    if (reason === 'SandboxMissing') {
      const lately = past('sandboxes').lately(name, latelyMs);
      return lately.some((one) => !isOf(one, 'SandboxClaim', uidOf(claim)));
    }
    const pools = past('pools').lately(name, latelyMs);
    if (reason === 'WarmPoolNotFound') return pools.includes(undefined);
    return pools
      .map(templateOf)
      .some((template) => past('templates').lately(template, latelyMs).includes(undefined));
  }

  /** That the pool ever had. */
  #templatesOf(pool: string): readonly string[] {
    const { past } = this.#options;
    return past('pools')
      .of(pool)
      .flatMap(({ object }) => (object === undefined ? [] : [templateOf(object)]));
  }
}
