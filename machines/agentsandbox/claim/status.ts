// The status of a claim: Ready as its Sandbox says it, Finished word for word, and which Sandbox it
// is (spec agent-sandbox 1.7, 2.4.8). Name, IPs and Ready go together (K1).
import type { ConditionReason } from '../../contract/condition-reasons.ts';
import { statusOf } from '../../contract/object-intents.ts';
import type { WriteStatus } from '../../contract/intents.ts';
import { withConditions } from '../../contract/supervision.ts';
import { conditionsOf, type Condition } from '../../kubernetes/conditions.ts';
import { isEqual, text } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { epoch, type EpochMs } from '../../kubernetes/time.ts';
import { isExpired } from '../binding/expiry.ts';
import type { ObservedClaim } from '../objects/claim.ts';
import { expiredReason, saysExpired, type ObservedSandbox } from '../objects/sandbox.ts';
import { sandboxOf } from './binding.ts';
import type { ClaimContext } from './context.ts';

/** Undefined as long as nothing can be said: what it says stands (R25). */
export function writeStatus(
  context: ClaimContext,
  claim: ObservedClaim,
  conditions: readonly Condition[],
  now: EpochMs,
): WriteStatus | undefined {
  const sandbox = sandboxOf(context, claim);
  const own = conditions.length > 0 ? conditions : sandbox && [readyOf(sandbox)];
  if (own === undefined) return undefined;
  const [ready] = own;
  const told = withConditions(claim.status, own, now, {
    generation: claim.generation,
    since: () => (conditions.length > 0 ? undefined : transitionOf(sandbox)) ?? now,
  });
  const { conditions: _, sandbox: named, ...others } = claim.status;
  const isOver = isExpired(claim, now);
  const isGone = sandbox === undefined && mayForget(context, claim, ready?.reason);
  const status: JsonObject = {
    ...others,
    conditions: withFinished(told, { sandbox, isGone, isOver }).toSorted(byType),
    ...(sandbox === undefined
      ? !isGone && named !== undefined && { sandbox: named }
      : { sandbox: sandboxStatus(sandbox) }),
  };
  const reason = ready === undefined ? 'its Sandbox' : ready.reason;
  return statusOf(claim, reason, status, urgencyOf(claim, status, ready));
}

/** There is none for sure, or it is somebody else's: that is known where it says one of these. */
function mayForget(
  { searches, named }: ClaimContext,
  { bound }: ObservedClaim,
  reason: string | undefined,
): boolean {
  if (reason === 'SandboxMissing') return true;
  if (reason !== 'ClaimExpired') return false;
  return bound === undefined || named !== undefined || searches.sandbox.isDone;
}

const sandboxStatus = ({ name, podIPs }: ObservedSandbox): JsonObject => ({
  name,
  ...(podIPs.length > 0 && { podIPs: [...podIPs] }),
});

function readyOf(sandbox: ObservedSandbox): Condition {
  const { ready } = sandbox;
  const type = 'Ready';
  if (saysExpired(sandbox)) {
    const message = 'Underlying Sandbox resource has expired independently of the Claim.';
    return { type, status: 'False', reason: expiredReason, message };
  }
  const status = ready?.['status'];
  if (status !== 'True' && status !== 'False' && status !== 'Unknown') {
    const reason: ConditionReason = 'SandboxNotReady';
    return { type, status: 'False', reason, message: 'Sandbox is not ready' };
  }
  return { type, status, reason: text(ready?.['reason']), message: text(ready?.['message']) };
}

const transitionOf = (sandbox: ObservedSandbox | undefined): EpochMs | undefined =>
  epoch(sandbox?.ready?.['lastTransitionTime']);

/** An expired claim keeps it when its Sandbox goes (R33). */
function withFinished(
  conditions: readonly JsonObject[],
  is: {
    readonly sandbox: ObservedSandbox | undefined;
    readonly isGone: boolean;
    readonly isOver: boolean;
  },
): readonly JsonObject[] {
  const { sandbox, isGone, isOver } = is;
  if (sandbox === undefined && !isGone) return conditions;
  const others = conditions.filter(({ type }) => type !== 'Finished');
  const finished = sandbox?.finished;
  if (finished !== undefined) return [...others, finished];
  return isOver ? conditions : others;
}

const byType = (a: JsonObject, b: JsonObject): number =>
  text(a['type']) < text(b['type']) ? -1 : 1;

/** Clients wait for Ready; what only tells of progress may wait itself. */
function urgencyOf(
  claim: ObservedClaim,
  status: JsonObject,
  ready: Condition | undefined,
): WriteStatus['urgency'] {
  if (ready?.status === 'True') return 'first';
  const before = conditionsOf(claim.status).find(({ type }) => type === 'Ready');
  const isSame =
    text(before?.['status']) === ready?.status &&
    text(before?.['reason']) === ready?.reason &&
    isEqual(claim.status['sandbox'] ?? {}, status['sandbox'] ?? {});
  return isSame ? 'lazy' : 'now';
}
