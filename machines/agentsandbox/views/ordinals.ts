// The numbers of all Sandboxes that a warm pool has made, whoever has them now: a pool that has
// just been started reads once which of its names are in use.
import { entry, keyIn, read } from '../../contract/view.ts';
import type { Entry, Read, View } from '../../contract/view.ts';
import { annotation } from '../objects/labels.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';

export type Ordinals = ReadonlySet<number>;
export type OrdinalsRead = Read<'ordinalsOfPool', Ordinals>;

/** A set of all: it is made only as long as somebody reads it. */
export const ordinalsOfPool: View<number, Ordinals> = {
  name: 'ordinalsOfPool',
  event: read('ordinalsOfPool'),
  valueOf: (items) => new Set(items.values()),
  isSame: (one, other) => one.size === other.size && one.isSubsetOf(other),
  wakes: () => false,
  say: (ordinals) => `${ordinals.size} numbers in use`,
};

/** No pool ever comes so far: somebody else has written it. */
const mostOrdinal = 1e12;

export function shownOrdinal(sandbox: ObservedSandbox): readonly Entry[] {
  const { [annotation.pool]: pool, [annotation.ordinal]: text } = sandbox.annotations;
  const ordinal = Number(text);
  const isNumber = Number.isInteger(ordinal) && ordinal >= 0 && ordinal < mostOrdinal;
  return pool !== undefined && text !== undefined && isNumber
    ? [entry(ordinalsOfPool, keyIn(sandbox, pool), ordinal)]
    : [];
}
