// Reading the intents out of the actions that a transition returns, as the runtime does it, and
// what it tells of the answers. Used by the little world and the kit.
import type { WriteOutcome } from '#actors/ports.ts';
import { isObject } from '#machines/json.ts';
import { isWatched } from '#machines/kinds.ts';
import { refKey } from '#machines/objects.ts';
import type { KubeObject } from '#machines/objects.ts';
import type { Intent } from '#machines/vocabulary.ts';
import type { Outcome, WriteIntent } from './world-store.ts';

/** Everything but `intend` is ignored; an `intend` without an intent is a mistake. */
export const intentsIn = (actions: readonly { type: string; params?: unknown }[]): Intent[] =>
  actions
    .map(looseAction)
    .filter(({ type }) => type === 'intend')
    .flatMap(({ params }) => (Array.isArray(params) ? params : [params]).map(asIntent));

/** The operation that a write intent asks for. */
export const opOf = {
  createObject: 'create',
  patchObject: 'patch',
  deleteObject: 'delete',
  writeStatus: 'status',
} as const;

const looseAction = ({ type, params }: { type: string; params?: unknown }) => ({ type, params });

const isIntent = (value: unknown): value is Intent =>
  isObject(value) && typeof value['type'] === 'string';

function asIntent(value: unknown): Intent {
  if (!isIntent(value)) throw new Error('an action without an intent');
  return value;
}

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
