// Which rows a list is about: by kind, namespace, state, parked and text. A state is named by its
// path, and a row is in it and in all states around it.
import type { ActorRow } from '#actors/history/history.ts';
import { refusal, type RefusedAnswer } from '#bus/answers.ts';
import { isActorKind } from '#machines/kinds.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { Json } from '#machines/kubernetes/objects.ts';
import { malformed } from './query.ts';

export const filterNames = ['kind', 'namespace', 'state', 'parked', 'text'] as const;

const maxTextLength = 256;

export interface Filter {
  /** Where nothing else is looked at. */
  readonly namespace: string | undefined;
  readonly kind: string | undefined;
  has(row: ActorRow): boolean;
}

export function readFilter(query: URLSearchParams): Filter | RefusedAnswer {
  const [kind, namespace, state, parked, text] = filterNames.map(
    (name) => query.get(name) ?? undefined,
  );
  for (const name of filterNames) {
    if ((query.get(name) ?? '').length > maxTextLength) {
      return refusal('TOO_LARGE', `${name} has more than ${maxTextLength} characters`);
    }
  }
  if (kind !== undefined && !isActorKind(kind)) return malformed(`"${kind}" is no kind of actor`);
  if (parked !== undefined && parked !== 'true' && parked !== 'false') {
    return malformed('parked must be true or false');
  }
  const wanted = text?.toLowerCase();
  return {
    namespace,
    kind,
    has: ({ key, ...row }) =>
      (kind === undefined || key.kind === kind) &&
      (namespace === undefined || key.namespace === namespace) &&
      (parked === undefined || row.parked === (parked === 'true')) &&
      (state === undefined || isIn(row.state, state)) &&
      (wanted === undefined ||
        `${key.kind}/${key.namespace}/${key.name}`.toLowerCase().includes(wanted)),
  };
}

/** True where the state of that path is active. */
export function isIn(value: Json, path: string): boolean {
  if (typeof value === 'string') return value === path;
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([name, inner]) =>
      name === path || (path.startsWith(`${name}.`) && isIn(inner, path.slice(name.length + 1))),
  );
}
