// How a Sandbox stands, in sentences for people.
import { sayError } from '../../contract/failure-log.ts';
import { maxListed } from '../../contract/limits.ts';
import { text } from '../../kubernetes/json.ts';
import { heldBy } from '../../kubernetes/deletion.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { Rule } from '../../statechart/region.ts';
import { countedAs } from '../families.ts';
import type { ObservedPod } from '../objects/belongings.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import type { SandboxContext } from './context.ts';
import { podOf, sayMultiple } from './pod.ts';
import { situationOf } from './situation.ts';

type Explain = Rule<SandboxContext, ObservedSandbox, readonly string[]>;

const ofPod =
  (say: (pod: ObservedPod) => string): Explain =>
  (context, own) => {
    const pod = podOf(context, own);
    return pod === undefined ? [] : [say(pod)];
  };

const refused =
  (sort: 'pod' | 'service' | 'volume'): Explain =>
  (context, own) => {
    const refusal = situationOf(context, own).refusals[sort];
    return refusal === undefined ? [] : [refusal.text];
  };

/** What keeps it from being ready, by what its node and the scheduler say. */
function sayStart({ name, phase, scheduled, isReady, podIPs }: ObservedPod): string {
  if (scheduled?.['status'] === 'False') {
    return `pod ${name} is not scheduled: ${text(scheduled['message'])}`;
  }
  if (phase !== 'Running') return `pod ${name} starts (${phase === '' ? 'no phase yet' : phase})`;
  if (!isReady) return `pod ${name} runs and is not ready`;
  return podIPs.length > 0 ? `pod ${name} is ready` : `pod ${name} has no IP yet`;
}

export const explain: Readonly<Record<string, Explain>> = {
  active: ({ errors }) => errors.map(sayError),
  'active.expiry.marking': () => ['its time is over: its status says so before anything goes'],
  'active.expiry.expired': (_, { shutdownPolicy }) => [
    shutdownPolicy === 'Delete'
      ? 'its time is over: it is about to be deleted'
      : 'its time is over: it has a pod again once spec.shutdownTime is later or removed',
  ],
  'active.pod.several': (context, own) => [sayMultiple(context, own)],
  'active.pod.leaving': ofPod(({ name }) => `pod ${name} is to go, or terminates`),
  'active.pod.none': () => ['it is suspended, so it has no pod'],
  'active.pod.foreign': refused('pod'),
  'active.pod.adoptable': () => ['a pod without an owner is about to be taken over'],
  'active.pod.missing': () => ['its pod is about to be created'],
  'active.pod.terminating': ofPod(
    ({ name }) => `pod ${name} terminates; another one is made once it is gone`,
  ),
  // Nobody restarts it in the original either (G11).
  'active.pod.finished': ofPod(
    ({ name, phase }) =>
      `pod ${name} has ${phase === 'Failed' ? 'failed' : 'completed'} and is kept: ` +
      'delete it, or suspend and resume the Sandbox, to have another one',
  ),
  'active.pod.starting': ofPod(sayStart),
  'active.volumes.blocked': refused('volume'),
  'active.volumes.missing': (context, own) => {
    const missing = situationOf(context, own).volumes.filter(({ owned }) => owned === undefined);
    return missing.map(({ name }) => `PVC ${name} is about to be made or taken over`);
  },
  // Its pod keeps it; another one is made at once when it is gone (G10).
  'active.volumes.complete': (context, own) =>
    situationOf(context, own).volumes.flatMap(({ name, owned }) =>
      owned?.deleting === true ? [`PVC ${name} is being deleted${heldBy(owned)}`] : [],
    ),
  'active.service.leaving': () => ['its Service is to go'],
  'active.service.foreign': refused('service'),
  'active.service.adoptable': () => ['a Service without an owner is about to be taken over'],
  'active.service.missing': () => ['its Service is about to be made'],
  'active.service.drifted': () => ['its Service is about to be repaired'],
  'active.service.settled': (context, own) => {
    const { service } = situationOf(context, own);
    return service?.deleting === true ? [`Service ${service.name} is being deleted`] : [];
  },
  'active.mode.unowned': () => ['a pod of its name is not its own, so it is not deleted'],
  'active.readiness.unnamed': () => ['the name of its pod is about to be noted on it'],
  terminating: () => ['it is being deleted; what it owns goes by garbage collection'],
};

export const fine: Rule<SandboxContext, ObservedSandbox, string> = (context, own) =>
  `Sandbox ${own.name} is ready on node ${podOf(context, own)?.nodeName || 'unknown'}`;

/** For `/actors` and `ask state`. */
export const view = (context: SandboxContext): JsonObject => {
  const { sandbox: own, errors, driftSince } = context;
  const owned = own === undefined ? [] : situationOf(context, own).owned;
  return {
    uid: own?.uid ?? null,
    pool: own?.pool ?? '',
    mode: own?.operatingMode ?? '',
    ready: text(own?.ready?.['status']),
    pods: owned.map(({ name, phase }) => `${name} ${phase}`).slice(0, maxListed),
    isMetadataDeferred: driftSince !== undefined,
    errors: errors.map(sayError),
    ...(own === undefined ? {} : { counted: countedAs(own) }),
  };
};
