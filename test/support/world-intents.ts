// Reading the intents out of the actions that a transition returns, as the runtime does it. Used by
// the little world and the kit.
import { isObject } from '#machines/json.ts';
import type { Intent } from '#machines/vocabulary.ts';

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
