// Finds the pods of ours that lost our label while no controller was looking: no list of what we
// select shows them, and a second pod for the same index would be made. client.ts asks once, after
// the first list of pods.
import type { KubeObject } from '#machines/objects.ts';
import type { Clock, Random } from '#actors/ports.ts';
import { abortable } from './abortable.ts';
import { backOff } from './backoff.ts';
import { listPageSize } from './limits.ts';
import { listAll } from './list.ts';
import { straySelector } from './paths.ts';
import type { KubeTransport } from './transport.ts';

export interface SweepOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly found: (pod: KubeObject) => void;
}

/** One list, which is empty nearly always; repeated until it succeeds. Never rejects. */
export async function sweep({ signal, found, ...edge }: SweepOptions): Promise<void> {
  const { clock, random } = edge;
  for (let failures = 1; !signal.aborted; failures++) {
    const outcome = await listAll({
      ...edge,
      kind: 'Pod',
      pageSize: listPageSize,
      scope: { labelSelector: straySelector },
      signal,
      begin: () => undefined,
      object: (pod) => {
        if (!signal.aborted) found(pod);
      },
    });
    if (outcome.ok) return;
    const pauseMs = outcome.retryAfterMs ?? backOff(failures, random);
    await abortable<void>(signal, (done) => clock.at(clock.now() + pauseMs, done));
  }
}
