// What the runtime tells of the answers to intents. Used by the little worlds.
import type { Selection, WriteOutcome } from '#actors/ports.ts';
import { refKey } from '#machines/contract/address.ts';
import { isWatched } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { Outcome, WriteIntent } from './world-store.ts';

/** The operation that a write intent asks for. */
export const opOf = {
  createObject: 'create',
  patchObject: 'patch',
  deleteObject: 'delete',
  writeStatus: 'status',
} as const;

/** How a machine sees whether an object is there that is not watched: it changes nothing. */
export const isLook = ({ ref }: WriteIntent, outcome: Outcome | WriteOutcome): boolean =>
  !isWatched(ref.kind) && !outcome.ok && outcome.code === 'ALREADY_EXISTS';

/** A deletion is done where there is nothing, or something else, under that name. */
export const isVain = ({ type, ref }: WriteIntent, outcome: Outcome): boolean =>
  type === 'deleteObject' &&
  !isWatched(ref.kind) &&
  !outcome.ok &&
  (outcome.code === 'NOT_FOUND' || outcome.code === 'CONFLICT');

/** Of what is not watched the answer alone tells. */
export function toldOf(
  { type, ref }: WriteIntent,
  objects: ReadonlyMap<string, KubeObject>,
): { readonly uid?: string | undefined } {
  if (type !== 'createObject' || isWatched(ref.kind)) return {};
  return { uid: objects.get(refKey(ref))?.metadata.uid };
}

/** True for an object that such a list shows. */
export const isSelected = ({ labels, namespaces }: Selection, { metadata }: KubeObject): boolean =>
  namespaces?.includes(metadata.namespace ?? '') !== false &&
  Object.entries(labels).every(([label, value]) => metadata.labels?.[label] === value);
