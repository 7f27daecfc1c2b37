// Claims in their two versions: one of v1alpha1 names a template and, if it likes, a pool; one of
// v1beta1 names a pool, and the template by that. Called by convert.ts alone.
import { at, object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { withSection } from './section.ts';
import { dropState, readState } from './state.ts';

/** Begins the name of the pool that the migration makes for claims of a template without a pool. */
const shadow = 'shadow-pool-';

const templateOf = (claim: JsonObject): string =>
  text(at(claim, 'spec', 'sandboxTemplateRef', 'name'));
const sandboxOf = (claim: JsonObject): string => text(at(claim, 'status', 'sandbox', 'name'));

/** The one pool that the claim names; undefined: none, or any. */
function poolOf(claim: JsonObject): string | undefined {
  const pool = text(at(claim, 'spec', 'warmpool'));
  return ['', 'none', 'default'].includes(pool) ? undefined : pool;
}

/** A member of a pool is called after it, with a random suffix. */
const withoutSuffix = (name: string): string => {
  const dash = name.lastIndexOf('-');
  return dash < 0 ? name : name.slice(0, dash);
};

export function claimUp(from: JsonObject): JsonObject {
  return withSection(from, 'spec', {
    sandboxTemplateRef: undefined,
    warmpool: undefined,
    warmPoolRef: { name: poolOf(from) ?? servedBy(from) },
  });
}

/** The pool whose Sandbox the claim has, else the one of the migration. */
function servedBy(claim: JsonObject): string {
  const sandbox = sandboxOf(claim);
  const own = text(at(claim, 'metadata', 'name'));
  const isAdopted = sandbox !== '' && sandbox !== own;
  return isAdopted ? withoutSuffix(sandbox) : `${shadow}${templateOf(claim)}`;
}

export function claimDown(from: JsonObject): JsonObject {
  const pool = text(at(from, 'spec', 'warmPoolRef', 'name'));
  const original = readState(from);
  return withSection(dropState(from), 'spec', {
    warmPoolRef: undefined,
    volumeClaimTemplates: undefined,
    ...(original === undefined ? guessed(pool) : restored(pool, sandboxOf(from), original)),
  });
}

function guessed(pool: string): JsonObject {
  if (!pool.startsWith(shadow)) return { warmpool: pool, sandboxTemplateRef: { name: pool } };
  return { warmpool: 'default', sandboxTemplateRef: { name: pool.slice(shadow.length) } };
}

/** As the claim was, unless it was given another pool in v1beta1. */
function restored(pool: string, sandbox: string, original: JsonObject) {
  const expected = poolOf(original) ?? templateOf(original);
  const same = [expected, `${shadow}${expected}`];
  if (sandbox !== '') same.push(sandbox, withoutSuffix(sandbox));
  const { warmpool, sandboxTemplateRef } = object(original['spec']);
  return { sandboxTemplateRef, warmpool: same.includes(pool) ? warmpool : pool };
}
