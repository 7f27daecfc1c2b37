// What comes back from the cluster port, made safe to work with: a port that rejects, a reply that
// cannot be read, watch events that were taken for a write's own echo. Used by the effect runner.
import type { ClusterPort, WriteOutcome } from '../ports.ts';
import type { InFlightWrite } from './object-writes.ts';
import { failed, judgeRead, judgeUnread, type Verdict } from './verdict.ts';
import type { WriteIntent } from './work.ts';

type Failure = Extract<WriteOutcome, { ok: false }>;

/** What is not sent for want of the lease. */
export const notOwner: Failure = {
  ok: false,
  code: 'NOT_OWNER',
  message: 'the lease of the shard is not surely held',
};

/** The port promises not to reject; should it, that is as good as no answer. */
export async function answer<T>(call: () => Promise<T>): Promise<T | Failure> {
  try {
    return await call();
  } catch (error) {
    return { ok: false, code: 'UNREACHABLE', message: String(error) };
  }
}

/** The verdict on a reply that broke us: as good as a server that failed. */
export function unreadable(why: string): Extract<Verdict, { type: 'failed' }> {
  const message = `the reply could not be read: ${why}`;
  return failed({ ok: false, code: 'SERVER_ERROR', message }, 'backoff');
}

/** The verdict, also where judging throws. */
export function judged(judge: () => Verdict): Verdict {
  try {
    return judge();
  } catch (error) {
    return unreadable(String(error));
  }
}

/** Versions that were taken for this write's echo, and were another's as the reply shows. */
export function sortEchoes(
  current: InFlightWrite,
  verdict: Exclude<Verdict, { type: 'read' }>,
): void {
  if (current.echoes.length === 0 || verdict.observations.length === 0) return;
  const versions = new Set<string | undefined>();
  for (const seen of verdict.observations) {
    if (seen.type === 'seen') versions.add(seen.object.metadata?.resourceVersion);
  }
  const isOk = verdict.type === 'done';
  for (const { version, wasOther } of current.echoes) {
    if (!isOk || !versions.has(version)) wasOther();
  }
}

/** The verdict on a write that was refused for what is there: by a look at it, where that may be
 *  read. */
export async function look(
  cluster: ClusterPort,
  intent: WriteIntent,
  first: Failure,
): Promise<Verdict> {
  if (cluster.mayRead?.(intent.ref) === false) return judgeUnread(intent, first);
  const read = await answer(() => cluster.read(intent.ref));
  return judged(() => judgeRead(intent, first, read));
}
