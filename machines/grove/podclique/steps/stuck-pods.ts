// Pods that should be gone and are still there, e.g. since their node is lost: nobody knows whether
// they run, so they count as gone. Where the set says so by annotation they are deleted by force
// after a while; else that is left to people. Those of an earlier PodClique of the name as well.
import { deletionOf } from '../../../contract/object-intents.ts';
import type { EpochMs } from '../../../kubernetes/time.ts';
import { stuckAfterMs } from '../../objects/limits.ts';
import type { ObservedPod } from '../../objects/pod.ts';
import type { CliqueContext, Step } from '../context.ts';
import { idle } from '../../../statechart/step.ts';

const terminating = ({ pods }: CliqueContext): readonly ObservedPod[] =>
  [...pods.values()].filter(({ deletesAt }) => deletesAt !== undefined);

interface Overdue {
  readonly uids: ReadonlySet<string>;
  /** When the next one will be. */
  readonly until: EpochMs | undefined;
}

function overdueBy(pods: readonly ObservedPod[], afterMs: number, now: EpochMs): Overdue {
  const isOver = ({ deletesAt = now }: ObservedPod): boolean => deletesAt + afterMs <= now;
  const times = pods
    .filter((pod) => !isOver(pod))
    .map(({ deletesAt = now }) => deletesAt + afterMs);
  return {
    uids: new Set(pods.filter(isOver).map(({ uid }) => uid)),
    until: times.length === 0 ? undefined : Math.min(...times),
  };
}

const waitsOf = ({ until }: Overdue) => (until === undefined ? [] : [{ until }]);

const isSame = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((uid) => b.has(uid));

export const noteStuck: Step = (context, _, now) => {
  const pods = terminating(context);
  if (pods.length === 0 && context.stuck.size === 0) return idle;
  const overdue = overdueBy(pods, stuckAfterMs, now);
  const { uids: stuck } = overdue;
  return {
    intents: [],
    changes: isSame(stuck, context.stuck) ? {} : { stuck },
    waits: waitsOf(overdue),
  };
};

/** Each until it is answered once: a finalizer of others may hold it all the same. */
export const deleteStuck: Step = (context, _, now) => {
  const { set, forcing, forced } = context;
  const delay = set?.forceDelete;
  const pods = delay === undefined ? [] : terminating(context);
  if (delay === undefined || 'problem' in delay || pods.length === 0) {
    return forcing.size + forced.size === 0
      ? idle
      : { intents: [], changes: { forcing: new Set(), forced: new Set() } };
  }
  const overdue = overdueBy(pods, delay.ms, now);
  const late = pods.filter(({ uid }) => overdue.uids.has(uid));
  const left = late.filter(({ uid }) => !forced.has(uid));
  const next = {
    forcing: new Set(left.map(({ uid }) => uid)),
    forced: new Set(late.filter(({ uid }) => forced.has(uid)).map(({ uid }) => uid)),
  };
  const isKnown = isSame(next.forcing, forcing) && isSame(next.forced, forced);
  return {
    intents: left.map((pod) => ({
      ...deletionOf(pod, 'it is stuck terminating, and its set says to force it'),
      gracePeriodSeconds: 0,
    })),
    changes: isKnown ? {} : next,
    waits: waitsOf(overdue),
  };
};
