// Durations of gang termination in a PodCliqueSet: how long a gang may be below its minimum, and
// how long a pod that is stuck is left alone. Read by podcliqueset.ts.
import { text } from '../../kubernetes/json.ts';
import type { Meta } from '../../kubernetes/meta.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { durationMs } from '../../kubernetes/time.ts';
import { annotation } from './labels.ts';
import type { Problem } from './set-problem.ts';

/** As admission has it, where it did not see the set: four hours. */
const usualTerminationMs = 4 * 3_600_000;

export function terminationDelay(template: JsonObject): number {
  const given = durationMs(text(template['terminationDelay']));
  return given !== undefined && given > 0 ? given : usualTerminationMs;
}

/** The delay, or what is wrong with it: then nothing is done. */
export type Delay = { readonly ms: number } | { readonly problem: Problem };

export function forceDeleteIn({ annotations }: Pick<Meta, 'annotations'>): Delay | undefined {
  const given = annotations[annotation.forceDeleteAfter];
  if (given === undefined) return undefined;
  const ms = durationMs(given);
  if (ms !== undefined && ms >= 0) return { ms };
  const place = `metadata.annotations["${annotation.forceDeleteAfter}"]`;
  const message = `${place} is "${given.slice(0, 100)}"; it must be a duration, e.g. 10m: no pod is deleted by force`;
  return { problem: { code: 'ERR_SYNC_PODCLIQUE', message } };
}
