// What claims read of others: the Sandboxes that they control, by their UID, and which template
// their pool has. The pool reads the first too, of a claim that is new to it.
import { entry, keyIn, read, single } from '../../contract/view.ts';
import type { Entry, Read, View } from '../../contract/view.ts';
import { isSameVersion } from '../../kubernetes/meta.ts';
import type { ObservedPool } from '../objects/pool.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';

export type ControlledRead = Read<'sandboxesOfClaim', readonly ObservedSandbox[]>;
export type PoolTemplateRead = Read<'templateOfPool', string>;

export const sandboxesOfClaim: View<ObservedSandbox, readonly ObservedSandbox[]> = {
  name: 'sandboxesOfClaim',
  event: read('sandboxesOfClaim'),
  isSameItem: isSameVersion,
  isSame: (some, others) =>
    some.length === others.length &&
    some.every((one, index) => {
      const other = others[index];
      return other !== undefined && isSameVersion(one, other);
    }),
  valueOf: (items) => [...items.values()],
  say: (sandboxes) => sandboxes.map(({ name }) => name).join(', '),
};

/** By UID of the claim: what its pool cannot write for it, and why; said by the pool's actor. */
export type AssignmentFailureRead = Read<'assignmentFailure', string>;

export const assignmentFailure = single<string>({
  name: 'assignmentFailure',
  say: (failure) => failure,
});

/** Claims hear of no other change of a pool (R12). */
export const templateOfPool = single<string>({
  name: 'templateOfPool',
  say: (template) => template,
});

export const shownToClaim = (sandbox: ObservedSandbox): readonly Entry[] =>
  sandbox.controller?.kind === 'SandboxClaim'
    ? [entry(sandboxesOfClaim, sandbox.controller.uid, sandbox)]
    : [];

export const shownToClaims = (pool: ObservedPool): readonly Entry[] => [
  entry(templateOfPool, keyIn(pool, pool.name), pool.template),
];
