// Metadata of a pod that follows its Sandbox: at once, or within a short time in which more may
// come (spec agent-sandbox 2.1.8). What is to be written is found anew each time, never stored
// (R62).
import { isPauseOver } from '../../contract/backoff.ts';
import { patchOf } from '../../contract/object-intents.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { idle } from '../../statechart/step.ts';
import { writtenAs } from '../objects/adoption.ts';
import type { ObservedPod } from '../objects/belongings.ts';
import { podMetadataPatch } from '../objects/pod-metadata.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import type { SandboxContext, Step } from './context.ts';
import { hasExpired } from './expiry.ts';
import { isSuspended, podOf } from './pod.ts';

const longestMs = 1_000;

interface Found {
  readonly own: ObservedSandbox;
  readonly patch: JsonObject | undefined;
}

const known = new WeakMap<ObservedPod, Found>();

/** Of the pod of a Sandbox that runs. */
function driftOf(context: SandboxContext, own: ObservedSandbox): JsonObject | undefined {
  const pod = podOf(context, own);
  if (pod === undefined || pod.deleting || isSuspended(own)) return undefined;
  const last = known.get(pod);
  if (last?.own === own) return last.patch;
  const patch = podMetadataPatch(own, pod);
  known.set(pod, { own, patch });
  return patch;
}

export const metadata = classified<SandboxContext, ObservedSandbox>({
  drifted: (context, own, now) => !hasExpired(own, now) && driftOf(context, own) !== undefined,
  settled: otherwise,
});

/** However often it changes meanwhile, it is written when the time since the first change is over
 *  (S5, S6). */
export const syncMetadata: Step = (context, own, now) => {
  const pod = podOf(context, own);
  const patch = driftOf(context, own);
  if (pod === undefined || patch === undefined) return idle;
  const windowMs = Math.min(context.settings.writeBehindMs, longestMs);
  const driftSince = context.driftSince ?? now;
  const until = driftSince + windowMs;
  const changes = context.driftSince === undefined && windowMs > 0 ? { driftSince } : {};
  if (!isPauseOver(until, now, windowMs)) {
    const say = () => [`labels of pod ${pod.name} are to change; more may follow for a moment`];
    return { intents: [], changes, waits: [{ until, say }] };
  }
  const reason = 'its metadata follows';
  return {
    intents: [patchOf(writtenAs(pod), reason, { metadata: patch }, { urgency: 'last' })],
    changes,
  };
};

export const endDeferral: Step = ({ driftSince }) =>
  driftSince === undefined ? idle : { intents: [], changes: { driftSince: undefined } };
