// Whether the API server serves kinds that a module cannot do without. Called by the preflight of
// modules.
import type { Clock } from '#actors/ports.ts';
import { kindRow, type Kind } from '#machines/kinds.ts';
import { retryUntil } from '#src/controller/retry.ts';
import type { KubeClient } from '#src/kube/client.ts';
import type { Log } from '#src/log/log.ts';
import { PrerequisiteError } from './errors.ts';

export interface ServedOptions {
  readonly kube: Pick<KubeClient, 'discover'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'line'>;
}

/** Field of the configuration that asks for them, and what an administrator can do. */
export interface Wanted {
  readonly setting: string;
  readonly remedy: string;
}

/** Rejects with PrerequisiteError, after a while also where the server does not answer. Only the
 *  groups of the kinds are asked about, so another one whose server is down does no harm. */
export async function requireServed(
  kinds: readonly Kind[],
  { kube, clock, log }: ServedOptions,
  { setting, remedy }: Wanted,
): Promise<void> {
  const found = await retryUntil(
    clock,
    () => kube.discover(kinds),
    ({ code, message }) =>
      log.line('warn', 'API discovery failed, it is tried again', { code, error: message }),
  );
  if (!found.ok) {
    const groups = [...new Set(kinds.map((kind) => kindRow(kind).apiVersion))].join(' and ');
    throw new PrerequisiteError(
      `${setting} is true, and API discovery of ${groups} failed: ${found.code}: ${found.message}`,
    );
  }
  if (found.missing.length === 0) return;
  const missing = found.missing.map(
    (kind) => `${kindRow(kind).plural} in ${kindRow(kind).apiVersion}`,
  );
  throw new PrerequisiteError(
    `${setting} is true, but the API server does not serve ${missing.join(' and ')}; ${remedy}`,
  );
}
