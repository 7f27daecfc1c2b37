// Durations as fields: as Go writes them (`15s`, `1m30s`), which is how Grove's configuration has
// them.
import { durationMs } from '#machines/kubernetes/time.ts';
import type { Field } from './field.ts';

/** A duration of whole seconds above 0, decoded to seconds. */
export const seconds = (fallback: number, doc: string): Field<number> => ({
  type: 'a duration in whole seconds above 0, such as 15s',
  doc,
  fallback,
  decode(value, path, problems) {
    if (value === undefined || value === null) return fallback;
    const ms = typeof value === 'string' ? durationMs(value) : undefined;
    if (ms !== undefined && ms > 0 && ms % 1_000 === 0) return ms / 1_000;
    problems.push({
      path,
      message: `${JSON.stringify(value)} is wrong, it must be ${this.type}`,
    });
    return fallback;
  },
});
