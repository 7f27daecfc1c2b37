// Why the controller is not ready yet, for its probe. Used by start.ts.
import type { Reflection } from '#src/kube/client.ts';

/** Which lists are not in yet, and why. */
export function waitedFor(reflection: Reflection | undefined): string {
  const open = (reflection?.health() ?? []).filter((row) => !row.synced);
  const names = open.map(({ kind, lastFailure }) =>
    lastFailure === null ? kind : `${kind} (${lastFailure})`,
  );
  return `waits for the first list of ${names.join(', ') || 'every kind'}`;
}
