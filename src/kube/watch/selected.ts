// Some objects of a watched kind, read anew: one list per namespace, or one of all. Asked for by
// the cluster port (client.ts), for actors that must know what is there now.
import type { Clock, Listed, Selection } from '#actors/ports.ts';
import type { Kind } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { isOlder } from '#machines/kubernetes/versions.ts';
import { unreachable } from '../errors.ts';
import { listPageSize } from '../limits.ts';
import { selectorOf } from '../paths.ts';
import type { KubeTransport } from '../transport/transport.ts';
import { listAll, type ListOutcome } from './list.ts';

interface SelectedRequest extends Selection {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly kind: Kind;
  readonly isWanted: (() => boolean) | undefined;
  readonly signal: AbortSignal | undefined;
  /** The newest version that is known: an older list is of a server that is behind. */
  readonly newest: () => string;
}

/** Only what is watched, so that somebody tells of its end. Never rejects. */
export async function listSelected(request: SelectedRequest): Promise<Listed> {
  const { kind, labels, namespaces } = request;
  const own = selectorOf(kind);
  const asked = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
  const labelSelector = [...(own === undefined ? [] : [own]), ...asked].join(',');
  const objects: KubeObject[] = [];
  const scopes =
    namespaces === undefined
      ? [{ labelSelector }]
      : namespaces.map((namespace) => ({ labelSelector, namespace }));
  for (const scope of scopes) {
    const outcome = await listScope(request, scope, objects);
    if (!outcome.ok) return outcome;
  }
  return { ok: true, objects };
}

function listScope(
  { transport, clock, kind, isWanted, signal, newest }: SelectedRequest,
  scope: { readonly labelSelector: string; readonly namespace?: string },
  objects: KubeObject[],
): Promise<ListOutcome> {
  const known = newest();
  return listAll({
    transport,
    clock,
    kind,
    pageSize: listPageSize,
    scope,
    signal: signal ?? new AbortController().signal,
    isWanted,
    begin: (version) => (isOlder(version, known) ? tooOld : undefined),
    object: (object) => objects.push(object),
  });
}

const tooOld = unreachable('the list is older than what is known');
