// The steps of a claim's actor: the Sandbox that it starts cold with, what others change on it, its
// end, and what is left of older versions.
import { deletionOf, normal, patchOf } from '../../contract/object-intents.ts';
import type { DeleteObject, Intent } from '../../contract/intents.ts';
import { isEqual, word } from '../../kubernetes/json.ts';
import { patchInto } from '../../kubernetes/merge.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { idle } from '../../statechart/step.ts';
import { deadlineOf } from '../binding/expiry.ts';
import { errorOfClaim, podMetadataFor, podMetadataOf, sharedLabels } from '../binding/metadata.ts';
import type { ObservedClaim } from '../objects/claim.ts';
import { annotation, label } from '../objects/labels.ts';
import { nameHash } from '../objects/name-hash.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import { madeFor, sandboxOf } from './binding.ts';
import type { ClaimContext, Step } from './context.ts';
import { isRefused } from './refused.ts';
import { listOf, type Sought } from './search.ts';

export const rememberSight: Step = ({ seenAt }, _, now) =>
  seenAt === undefined ? { intents: [], changes: { seenAt: now } } : idle;

export const createSandbox: Step = (context, claim) => {
  const body = madeFor(context, claim);
  if (body === undefined || isRefused(body)) return idle;
  const { namespace, name } = claim;
  const ref = { kind: 'Sandbox', namespace, name } as const;
  return { intents: [{ type: 'createObject', ref, body, reason: 'it starts cold' }], changes: {} };
};

const searching =
  (what: Sought): Step =>
  ({ searches }, claim) => ({
    intents: searches[what].isDone ? [] : [listOf(searches, claim, what)],
    changes: {},
  });

export const searchPool: Step = (context, claim, now) => searching('pool')(context, claim, now);
export const searchTemplate: Step = (context, claim, now) =>
  searching('template')(context, claim, now);
export const searchSandbox: Step = (context, claim, now) =>
  sandboxOf(context, claim) === undefined && claim.bound !== undefined
    ? searching('sandbox')(context, claim, now)
    : idle;

/** What template and claim say now, on a Sandbox that the claim has had for long (R19, R22): the
 *  running pod gets it from there. What cannot be read, or does not agree, changes nothing (G8). */
export const updateMetadata: Step = (context, claim) => {
  const { template, settings } = context;
  const sandbox = sandboxOf(context, claim);
  if (sandbox === undefined || sandbox.deleting) return idle;
  const isKnown = template !== undefined && errorOfClaim(claim, settings, template) === undefined;
  const labels = {
    ...launchTypeOf(claim, sandbox),
    ...(isKnown ? labelsFor(claim, sandbox, nameHash(template.name)) : {}),
  };
  const own = podMetadataOf(sandbox.podTemplate);
  const wanted = isKnown ? podMetadataFor(claim, template) : own;
  const isSame = isEqual(own, wanted);
  if (isSame && Object.keys(labels).length === 0) return idle;
  const metadata = patchInto(
    { ...own },
    { labels: { ...wanted.labels }, annotations: { ...wanted.annotations } },
  );
  const patch: JsonObject = {
    ...(Object.keys(labels).length > 0 && { metadata: { labels } }),
    ...(!isSame && { spec: { podTemplate: { metadata } } }),
  };
  const { resourceVersion } = sandbox;
  const reason = `metadata of ${claim.name} and its template`;
  return { intents: [patchOf(sandbox, reason, patch, { resourceVersion })], changes: {} };
};

/** Those that differ. */
function labelsFor(claim: ObservedClaim, { labels }: ObservedSandbox, refHash: string): JsonObject {
  const wanted = sharedLabels(claim, refHash);
  const differing = Object.entries(wanted).filter(([name, value]) => labels[name] !== value);
  const isStray = label.createdBy in labels && !(label.createdBy in wanted);
  return { ...Object.fromEntries(differing), ...(isStray && { [label.createdBy]: null }) };
}

/** Of a Sandbox that an older version has bound. */
const launchTypeOf = (claim: ObservedClaim, { name, labels }: ObservedSandbox): JsonObject =>
  word(labels[label.launchType]) !== undefined
    ? {}
    : { [label.launchType]: claim.name !== name ? 'warm' : 'cold' };

/** Older versions stored the assignment in a label, which holds no more than 63 characters
 *  (R17). */
export const migrateLabel: Step = (_, claim) => {
  const { isAssignedByLabel, assigned, resourceVersion } = claim;
  if (!isAssignedByLabel || assigned === undefined) return idle;
  const key = annotation.assigned;
  const metadata = { annotations: { [key]: assigned }, labels: { [key]: null } };
  const patch = patchOf(
    claim,
    'the assignment is an annotation',
    { metadata },
    { resourceVersion },
  );
  return { intents: [patch], changes: {} };
};

/** Of two that it controls nobody uses the one that its status does not name. */
export const removeOthers: Step = (context, claim) => {
  const { controlled } = context;
  const own = sandboxOf(context, claim);
  if (controlled.length <= 1 || claim.bound !== own?.name) return idle;
  const others = controlled.filter((one) => one !== own && !one.deleting);
  const reason = `${claim.name} has another Sandbox`;
  return {
    intents: others.map((one) => ({
      ...deletionOf(one, reason),
      resourceVersion: one.resourceVersion,
    })),
    changes: {},
  };
};

/** Older versions made one for each claim. */
export const deletePolicy: Step = ({ policy }, claim) =>
  policy === undefined || policy.controller?.uid !== claim.uid || policy.deleting
    ? idle
    : { intents: [deletionOf(policy, 'policies are of templates')], changes: {} };

/** By itself: nothing else may happen then. */
export const awaitDeadline: Step = (_, claim) => {
  const until = deadlineOf(claim);
  return until === undefined ? idle : { ...idle, waits: [{ until }] };
};

/** The first of two steps: what its status says is read back before anything is deleted (R32). */
export const announceExpiry: Step = (context, claim) =>
  tellOnce(context, 'expired', () => event(context, claim, 'ClaimExpired', 'Claim expired'));

export const endExpired: Step = (context, claim) => {
  const policy = claim.lifecycle?.shutdownPolicy ?? 'Retain';
  const reason = `it has expired (${policy})`;
  if (policy === 'Retain') {
    const sandbox = sandboxOf(context, claim);
    if (sandbox === undefined || sandbox.deleting) return idle;
    return { intents: [deletionOf(sandbox, reason)], changes: {} };
  }
  const deletion: DeleteObject = {
    ...deletionOf(claim, reason),
    ...(policy === 'DeleteForeground' && { propagation: 'Foreground' }),
  };
  const note = `Deleting Claim (ShutdownPolicy=${policy})`;
  const told = tellOnce(context, 'deleting', () => event(context, claim, 'ClaimExpired', note));
  return { intents: [...told.intents, deletion], changes: told.changes };
};

export const reporter = 'sandboxclaim-controller';

export const event = (
  { settings }: ClaimContext,
  claim: ObservedClaim,
  reason: 'SandboxAdopted' | 'SandboxProvisioned' | 'ClaimExpired',
  note: string,
): readonly Intent[] =>
  settings.claims.hasEvents ? [{ ...normal(claim, reason, note), reporter }] : [];

export const tellOnce = (
  { told }: ClaimContext,
  what: string,
  say: () => readonly Intent[],
): ReturnType<Step> =>
  told.has(what) ? idle : { intents: say(), changes: { told: new Set([...told, what]) } };
