// The end of a Sandbox's time: first it says that it has expired, so that everybody sees that
// before anything goes, and then its pod and its Service go, and itself if it wants that (spec
// agent-sandbox 2.1.2, 2.1.9, R32).
import { deletionOf } from '../../contract/object-intents.ts';
import { sayWhen, type EpochMs } from '../../kubernetes/time.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { idle } from '../../statechart/step.ts';
import { saysExpired, type ObservedSandbox } from '../objects/sandbox.ts';
import type { SandboxContext, Step } from './context.ts';

export const hasExpired = ({ shutdownTime }: ObservedSandbox, now: EpochMs): boolean =>
  shutdownTime !== undefined && now >= shutdownTime;

/** Nothing is made or deleted any more until that is seen. */
export const isMarking = (own: ObservedSandbox, now: EpochMs): boolean =>
  hasExpired(own, now) && !saysExpired(own);

export const expiry = classified<SandboxContext, ObservedSandbox>({
  marking: (_, own, now) => isMarking(own, now),
  expired: (_, own, now) => hasExpired(own, now),
  ahead: otherwise,
});

export const awaitShutdown: Step = (_, { shutdownTime: until }, now) =>
  until === undefined
    ? idle
    : { ...idle, waits: [{ until, say: () => [`it shuts down ${sayWhen(until, now)}`] }] };

/** Its PVCs go with it by garbage collection. */
export const deleteExpired: Step = (_, own) =>
  own.shutdownPolicy === 'Delete'
    ? { intents: [deletionOf(own, 'it has expired')], changes: {} }
    : idle;
