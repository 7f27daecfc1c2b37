// What is told and counted of a claim behind its back, after its status was written: which Sandbox
// it got, and once in its life how long it took (spec agent-sandbox 1.8, 2.6.2, R26).
import { patchOf } from '../../contract/object-intents.ts';
import { word } from '../../kubernetes/json.ts';
import { epoch, type EpochMs } from '../../kubernetes/time.ts';
import { idle } from '../../statechart/step.ts';
import { annotation, label } from '../objects/labels.ts';
import { isReady } from '../objects/sandbox.ts';
import type { ObservedClaim } from '../objects/claim.ts';
import { claimCreation, startUps } from '../families.ts';
import { sandboxOf } from './binding.ts';
import { isNewlyReady } from './context.ts';
import type { ClaimContext, Query, Step } from './context.ts';
import { event, tellOnce } from './steps.ts';

const stampOf = ({ annotations }: ObservedClaim): string | undefined =>
  word(annotations[annotation.firstReadyAt]);

const stampFor = ({ firstReadyAt }: ClaimContext): string =>
  firstReadyAt === undefined ? 'unknown' : new Date(firstReadyAt).toISOString();

/** It is or was ready, and its object does not say so. */
export const isUnstamped: Query<boolean> = ({ settings, was }, claim) =>
  settings.claims.hasObservability && was.ready && stampOf(claim) === undefined;

/** This actor has seen it become ready, and nothing else says that this was not the first time. */
const isUnrecorded: Query<boolean> = (context, claim) => {
  const { was, settings } = context;
  if (!was.unready || !was.ready) return false;
  const stamp = stampOf(claim);
  return settings.claims.hasObservability ? stamp === stampFor(context) : stamp === undefined;
};

/** A claim that was ready before this actor saw it was recorded, or nobody knows. */
export const stampReadiness: Step = (context, claim, now) => {
  const firstReadyAt = context.firstReadyAt ?? (isNewlyReady(context, claim) ? now : undefined);
  const { resourceVersion } = claim;
  const stamp = stampFor({ ...context, firstReadyAt });
  const patch = { metadata: { annotations: { [annotation.firstReadyAt]: stamp } } };
  return {
    intents: [
      patchOf(claim, 'when it was ready first', patch, { resourceVersion, urgency: 'last' }),
    ],
    changes: firstReadyAt === context.firstReadyAt ? {} : { firstReadyAt },
  };
};

export const recordStartUp: Step = (context, claim, now) => {
  const sandbox = sandboxOf(context, claim);
  if (sandbox === undefined || !isUnrecorded(context, claim, now)) return idle;
  const readyAt = context.firstReadyAt ?? now;
  return tellOnce(context, 'recorded', () =>
    startUps(claim, sandbox, { now: readyAt, seenAt: seenAtOf(context, claim) }),
  );
};

/** As its object says; without that as this actor knows (R27). */
const seenAtOf = ({ seenAt }: ClaimContext, { annotations }: ObservedClaim): EpochMs | undefined =>
  epoch(annotations[annotation.firstObservedAt]) ?? seenAt;

export const announceSandbox: Step = (context, claim) => {
  const sandbox = sandboxOf(context, claim);
  if (sandbox === undefined || !context.was.unbound || claim.bound !== sandbox.name) return idle;
  const { name, labels, annotations } = sandbox;
  const isWarm = labels[label.launchType] === 'warm';
  const template = word(annotations[annotation.templateRef]);
  return tellOnce(context, `has ${sandbox.uid}`, () => [
    claimCreation(claim, isWarm ? 'warm' : 'cold', {
      template,
      isReady: isWarm && isReady(sandbox),
    }),
    ...(isWarm
      ? event(context, claim, 'SandboxAdopted', `Adopted warm pool Sandbox "${name}"`)
      : event(context, claim, 'SandboxProvisioned', `Created Sandbox "${name}"`)),
  ]);
};
