// The status of a Sandbox: made anew at each reconcile of what is known, and written where it says
// something else (spec agent-sandbox 1.7, 2.1.7). What others wait for goes at once; progress waits
// for a quiet moment and is mostly overtaken by what it leads to.
import type { WriteStatus } from '../../contract/intents.ts';
import type { ConditionReason } from '../../contract/condition-reasons.ts';
import { statusOf } from '../../contract/object-intents.ts';
import {
  conditionsOf,
  withCondition,
  withoutCondition,
  type Condition,
} from '../../kubernetes/conditions.ts';
import { isEqual, text } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import type { ObservedPod } from '../objects/belongings.ts';
import { label } from '../objects/labels.ts';
import { nameHash } from '../objects/name-hash.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import type { SandboxContext } from './context.ts';
import { hasExpired, isMarking } from './expiry.ts';
import { hasSeveral, isFinished, isSuspended, podOf } from './pod.ts';
import { serviceOf } from './service.ts';
import { situationOf } from './situation.ts';

export function writeStatus(
  context: SandboxContext,
  own: ObservedSandbox,
  found: readonly Condition[],
  now: EpochMs,
): WriteStatus | undefined {
  const ready = found.find(({ type }) => type === 'Ready');
  if (ready === undefined) return undefined;
  const status = hasExpired(own, now)
    ? expiredStatus(context, own, ready, now)
    : liveStatus(context, own, found, now);
  if (status === undefined || isNodeAlone(own, status, ready)) return undefined;
  return statusOf(own, 'its pod and its Service', status, urgencyOf(own, status, ready));
}

function liveStatus(
  context: SandboxContext,
  own: ObservedSandbox,
  found: readonly Condition[],
  now: EpochMs,
): JsonObject {
  const pod = podOf(context, own);
  const scheduled = scheduledOf(context, own, pod);
  const finished = pod === undefined ? undefined : finishedOf(pod);
  let conditions = conditionsOf(own.status);
  const wanted: readonly (readonly [string, Condition | undefined])[] = [
    ...found.map((condition) => [condition.type, condition] as const),
    ['PodScheduled', scheduled],
    ['Finished', finished],
  ];
  for (const [type, condition] of wanted) {
    conditions =
      condition === undefined
        ? withoutCondition(conditions, type)
        : withCondition(conditions, { ...condition, observedGeneration: own.generation }, now);
  }
  return { conditions: [...conditions], ...serviceFields(context, own), ...podFields(own, pod) };
}

/** Only while it is the one pod that it has (R64). */
function scheduledOf(
  context: SandboxContext,
  own: ObservedSandbox,
  pod: ObservedPod | undefined,
): Condition | undefined {
  const unknown = {
    type: 'PodScheduled',
    status: 'Unknown',
    reason: 'PodSchedulingUnknown' satisfies ConditionReason,
  } as const;
  if (hasSeveral(context, own)) {
    return { ...unknown, message: 'Pod state is unknown. Pod scheduling cannot be determined' };
  }
  if (pod === undefined) return undefined;
  const { scheduled } = pod;
  if (scheduled === undefined) {
    return { ...unknown, message: 'Pod has not reported a PodScheduled condition yet' };
  }
  const status = statusNamed(scheduled['status']);
  const usual: ConditionReason = status === 'True' ? 'PodScheduled' : unknown.reason;
  const reason = text(scheduled['reason']) || usual;
  return { type: 'PodScheduled', status, reason, message: text(scheduled['message']) };
}

const statusNamed = (value: unknown): Condition['status'] =>
  value === 'True' || value === 'False' ? value : 'Unknown';

function finishedOf(pod: ObservedPod): Condition | undefined {
  if (!isFinished(pod)) return undefined;
  const [reason, message]: readonly [ConditionReason, string] =
    pod.phase === 'Failed'
      ? ['PodFailed', 'Pod failed']
      : ['PodSucceeded', 'Pod completed successfully'];
  return { type: 'Finished', status: 'True', reason, message };
}

/** As they are while several pods keep it from looking at its Service. */
function serviceFields(context: SandboxContext, own: ObservedSandbox): JsonObject {
  const { service, serviceFQDN } = own.status;
  if (hasSeveral(context, own)) {
    return {
      ...(service === undefined ? {} : { service }),
      ...(serviceFQDN === undefined ? {} : { serviceFQDN }),
    };
  }
  const name = serviceOf(context, own)?.name;
  if (name === undefined) return {};
  const { clusterDomain } = context.settings;
  return { service: name, serviceFQDN: `${name}.${own.namespace}.svc.${clusterDomain}` };
}

/** The selector stays once a pod was there. */
function podFields(own: ObservedSandbox, pod: ObservedPod | undefined): JsonObject {
  const { selector = pod && `${label.sandboxNameHash}=${nameHash(own.name)}` } = own.status;
  return {
    ...(selector === undefined ? {} : { selector }),
    ...(pod === undefined || pod.podIPs.length === 0 ? {} : { podIPs: [...pod.podIPs] }),
    ...(pod === undefined || pod.nodeName === '' ? {} : { nodeName: pod.nodeName }),
  };
}

/** First the condition alone, with all else as it was; once what it had is on its way out, nothing
 *  but conditions. Finished and Suspended stay (R33). */
function expiredStatus(
  context: SandboxContext,
  own: ObservedSandbox,
  ready: Condition,
  now: EpochMs,
): JsonObject | undefined {
  const others = withoutCondition(conditionsOf(own.status), 'PodScheduled');
  const condition = { ...ready, observedGeneration: own.generation };
  const conditions = [...withCondition(others, condition, now)];
  if (isMarking(own, now)) return { ...own.status, conditions };
  // It goes itself.
  if (own.shutdownPolicy === 'Delete') return undefined;
  const { owned, service } = situationOf(context, own);
  const isLeft = [...owned, ...(service === undefined ? [] : [service])].some(
    ({ deleting }) => !deleting,
  );
  return isLeft ? { ...own.status, conditions } : { conditions };
}

/** That a pod has a node is nobody's news before it is ready (S3, R59). */
function isNodeAlone({ status: old }: ObservedSandbox, now: JsonObject, ready: Condition): boolean {
  if (ready.status === 'True') return false;
  return isEqual({ ...old, nodeName: null }, { ...now, nodeName: null });
}

/** Of a Ready condition that says no more than how far things are. */
const isProgress = (reason: unknown): boolean =>
  reason === undefined || reason === 'DependenciesNotReady';

/** Claims, pools and clients wait for what is ready, and act on what is not any more. */
function urgencyOf(
  own: ObservedSandbox,
  status: JsonObject,
  ready: Condition,
): WriteStatus['urgency'] {
  const old = conditionsOf(own.status);
  const isChanged = (type: string): boolean => {
    const [before, now] = [old, conditionsOf(status)].map((all) =>
      all.find((condition) => condition['type'] === type),
    );
    return !isEqual(saidBy(before), saidBy(now));
  };
  const wasReady = own.ready?.['status'] === 'True';
  const isBegun = own.ready === undefined && !isSuspended(own);
  const isReadyNews =
    isChanged('Ready') && !(isProgress(own.ready?.['reason']) && isProgress(ready.reason));
  const isNews =
    isReadyNews ||
    isChanged('Finished') ||
    (!isBegun && isChanged('Suspended')) ||
    (wasReady && !isEqual(own.status['podIPs'], status['podIPs']));
  if (!isNews) return 'lazy';
  // Somebody waits for this very one.
  const { kind } = own.controller ?? {};
  if (kind === 'SandboxClaim' && ready.status === 'True') return 'first';
  return kind === 'SandboxWarmPool' && ready.status === 'True' ? 'behind' : 'now';
}

const saidBy = (condition: JsonObject | undefined): readonly unknown[] => [
  condition?.['status'],
  condition?.['reason'],
];
