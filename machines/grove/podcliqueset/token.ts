// The token Secret of a PodCliqueSet, which is created and deleted and never read (decision 0021):
// what is known of it comes from the answers to our creates, from the mark on the set, and from
// what its status says. Asked by the plan, by the status and by the deletion of the set.
import type { ObjectRef } from '../../contract/address.ts';
import { backoff } from '../../contract/backoff.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import type { Intent } from '../../contract/intents.ts';
import { at, list } from '../../kubernetes/json.ts';
import type { KubeObject } from '../../kubernetes/objects.ts';
import { idle } from '../../statechart/step.ts';
import { isHeld } from '../finalizer.ts';
import { annotation, childLabels, component, ownedMeta } from '../objects/labels.ts';
import { firstTokenRepeatMs, lastTokenRepeatMs } from '../objects/limits.ts';
import { secretName, serviceAccountName } from '../objects/names.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import { noToken, type Query, type SetContext, type Step, type Token } from './context.ts';
import { deletionOf, patchOf } from '../../contract/object-intents.ts';

/** After a sight of the set. Whoever asks for a look at it has the Secret looked after too, and
 *  where the mark is lost, as by a restored backup, the Secret may be. */
export function tokenSeen({ set, token }: SetContext, observed: ObservedSet): Token {
  if (set?.uid !== observed.uid) return { ...noToken, isFresh: !isHeld(observed) };
  const isUnmarked = markedUid(set) !== undefined && markedUid(observed) === undefined;
  const [before, after] = [set, observed].map(({ annotations }) => annotations[reconcileTrigger]);
  return isUnmarked || before !== after ? withResync(token) : token;
}

const { reconcileTrigger } = annotation;

/** The name is free, ours or taken; `unknown` before the first answer. */
type TokenState = 'unknown' | 'ours' | 'taken';

/**
 * Whose Secret has the name. A refused create alone does not say: it is ours where the mark says so
 * and taken where the name was so before anybody could have made one for this set. In doubt, after
 * a crash or a lost answer, it is taken for ours.
 */
function tokenState(context: SetContext, set: ObservedSet): TokenState {
  const { token } = context;
  if (token.uid !== undefined) return 'ours';
  if (token.isTaken && isReadable(context)) return 'taken';
  if (markedUid(set) !== undefined) return 'ours';
  if (!token.isTaken) return hadConflict(set) ? 'taken' : 'unknown';
  const isFirst = token.isFresh && !token.isUnsure;
  return isFirst || hadConflict(set) ? 'taken' : 'ours';
}

/** Where Secrets may be read the runtime looks at one that has the name. */
const isReadable = ({ key, settings }: SetContext): boolean =>
  settings.readsSecretsIn?.includes(key.namespace) === true;

export const conflictCode = 'ERR_SECRET_CONFLICT';

/** Whoever was here before found the name taken; that stands until a create is done. */
const hadConflict = ({ status }: ObservedSet): boolean =>
  list(status['lastErrors']).some((error) => at(error, 'code') === conflictCode);

/** UID of the Secret that was made for this very set, by the set's annotation. */
function markedUid(set: ObservedSet): string | undefined {
  const [owner, uid] = (set.annotations[annotation.tokenSecret] ?? '').split('/');
  return owner === set.uid && uid !== '' ? uid : undefined;
}

/** Some pods wait for others, so they mount the token. */
export const isOrdered = ({ cliques, groups }: ObservedSet): boolean =>
  [...cliques, ...groups.flatMap(({ members }) => members)].some(
    ({ startsAfter, startsAfterInGroup }) => startsAfter.length + startsAfterInGroup.length > 0,
  );

const needsToken: Query<boolean> = ({ settings }, set) =>
  settings.sparesTokens !== true || isOrdered(set);

/** The name is held by somebody else's Secret. */
export const hasSecretConflict: Query<boolean> = (context, set) =>
  needsToken(context, set) && tokenState(context, set) === 'taken';

/** No pod is to mount a Secret of which it is not known that it is ours. */
export const isTokenAwaited: Query<boolean> = (context, set) =>
  isOrdered(set) && tokenState(context, set) !== 'ours';

export const isTokenDone: Query<boolean> = (context, set) =>
  !needsToken(context, set) || tokenState(context, set) === 'ours';

const secretOf = ({ namespace, name }: ObservedSet): ObjectRef => ({
  kind: 'Secret',
  namespace,
  name: secretName(name),
});

/**
 * Creates the Secret, but not before the set has our finalizer: whoever sees it without knows that
 * there is none of ours. Nor before its ServiceAccount is there: Kubernetes takes the Secret of one
 * that is not. One that is there is created again now and then, since nobody would see it go.
 */
export const ensureToken: Step = (context, set, now) => {
  if (!needsToken(context, set) || !isHeld(set)) return idle;
  const marks = planMark(context, set);
  const { token } = context;
  const account = accountOf(context);
  if (account === undefined) return { intents: marks, changes: {} };
  const nextAt = token.nextAt ?? now + pauseMs(context, set);
  if (now < nextAt) {
    const changes = token.nextAt === undefined ? { token: { ...token, nextAt } } : {};
    return { intents: marks, changes, waits: [{ until: nextAt }] };
  }
  const intents = [...marks, createToken(set)];
  if (token.plannedFor !== undefined) return { intents, changes: {} };
  return { intents, changes: { token: { ...token, plannedFor: account } } };
};

/** UID of ours; empty where another one has the name, which Kubernetes does not mind. */
const accountOf = ({ access, token }: SetContext): string | undefined =>
  access.ServiceAccount.get('')?.uid ?? (token.isForeign ? '' : undefined);

const createToken = (set: ObservedSet): Intent => ({
  type: 'createObject',
  ref: secretOf(set),
  reason: 'token of the start-up container',
  body: buildSecret(set),
});

/** Long where it is known to be ours; else it may be an earlier set's, or going, and gone soon. The
 *  runtime backs off by itself from a name that is taken. */
function pauseMs(context: SetContext, set: ObservedSet): number {
  const { token } = context;
  if (tokenState(context, set) === 'taken') return 0;
  const isKnown = (token.uid ?? markedUid(set)) !== undefined;
  if (isKnown && !token.needsResync) return lastTokenRepeatMs;
  return backoff(token.refusals, firstTokenRepeatMs, lastTokenRepeatMs);
}

/** The annotation that tells whoever follows us which Secret is ours. */
function planMark({ token }: SetContext, set: ObservedSet): readonly Intent[] {
  if (token.uid === undefined || markedUid(set) === token.uid) return [];
  const annotations = { [annotation.tokenSecret]: `${set.uid}/${token.uid}` };
  return [patchOf(set, 'remember the token Secret', { metadata: { annotations } })];
}

/** UID of the Secret that goes with the set, until our finalizer is off; one that is ours by
 *  assumption has none, and is the garbage collector's. */
export function tokenToDelete({ token }: SetContext, set: ObservedSet): string | undefined {
  return token.isGone || !isHeld(set) ? undefined : (token.uid ?? markedUid(set));
}

/** With the precondition of its UID. */
export const deleteToken = (set: ObservedSet, uid: string): Intent =>
  deletionOf({ ...secretOf(set), uid }, 'the PodCliqueSet is being deleted');

export const withForeignAccount = (token: Token): Token => ({ ...token, isForeign: true });

/** Somebody asks for a look, or its ServiceAccount went, and it with that in a moment. */
export const withResync = (token: Token): Token => ({
  ...token,
  needsResync: true,
  refusals: 0,
  nextAt: 0,
});

/** A create was answered with the object of this UID. Where the ServiceAccount went meanwhile the
 *  Secret is the old one's, and goes with that. */
export function withMade(context: SetContext, uid: string): Token {
  const { token } = context;
  const { plannedFor } = token;
  const made: Token = { ...noToken, isForeign: token.isForeign, uid, nextAt: undefined };
  const isOld = plannedFor !== undefined && plannedFor !== accountOf(context);
  return isOld ? withResync(made) : made;
}

/** A create failed. What was read is sure: an earlier answer counts no more then. And a name that
 *  was taken was hardly freed and made ours by a create that was not answered. */
export function withRefusedCreate(context: SetContext, code: ErrorCode): Token {
  const token: Token = { ...context.token, plannedFor: undefined };
  if (code === 'UNREACHABLE' || code === 'SERVER_ERROR') {
    return { ...token, isUnsure: token.isUnsure || !token.isTaken };
  }
  if (code !== 'ALREADY_EXISTS') return token;
  const uid = isReadable(context) ? undefined : token.uid;
  const refusals = token.refusals + 1;
  return { ...token, uid, isTaken: true, refusals, nextAt: undefined };
}

function buildSecret(set: ObservedSet): KubeObject {
  const name = secretName(set.name);
  const annotations = { [annotation.serviceAccountName]: serviceAccountName(set.name) };
  const labels = childLabels(set.name, name, component.secret);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: ownedMeta(set, name, labels, { annotations }),
    type: 'kubernetes.io/service-account-token',
  };
}
