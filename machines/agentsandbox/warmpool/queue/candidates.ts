// The Sandboxes of a pool that a claim may get, in two queues, so that a Ready one is preferred to
// any other without a look at the others (Q20, Q21, G3): the members that are Ready, and those that
// have a pod IP and are not. A member without a pod IP is in neither (Q22).
import type { QueueKey } from './fifo.ts';
import { type Choice, type Verdict, WarmQueue } from './queue.ts';

export interface Candidates {
  readonly ready: WarmQueue;
  readonly unready: WarmQueue;
}

export const noCandidates: Candidates = { ready: WarmQueue.of(), unready: WarmQueue.of() };

/**
 * A member as it is now, in its one queue or in none; these very candidates if it was so before.
 * One that a claim was given is to be put into none: its next news would bring it back (Q19).
 */
export function put(
  candidates: Candidates,
  key: QueueKey,
  standing: keyof Candidates | undefined,
): Candidates {
  const { name } = key;
  const ready = standing === 'ready' ? candidates.ready.add(key) : candidates.ready.remove(name);
  const unready =
    standing === 'unready' ? candidates.unready.add(key) : candidates.unready.remove(name);
  const isSame = ready === candidates.ready && unready === candidates.unready;
  return isSame ? candidates : { ready, unready };
}

/** The judge sees no unready key while a Ready one will do. */
export function choose(
  { ready, unready }: Candidates,
  judge: (key: QueueKey, standing: keyof Candidates) => Verdict,
): Choice<Candidates> {
  const first = ready.choose((key) => judge(key, 'ready'));
  if (first.chosen !== undefined) {
    return { chosen: first.chosen, rest: { ready: first.rest, unready } };
  }
  const { chosen, rest } = unready.choose((key) => judge(key, 'unready'));
  return { chosen, rest: { ready: first.rest, unready: rest } };
}
