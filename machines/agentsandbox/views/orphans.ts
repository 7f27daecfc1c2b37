// Sandboxes with the label of a warm pool that nobody controls, under the hash of the pool's name:
// the pool takes them over or deletes them (spec agent-sandbox 2.3.3, R45).
import { entry, keyIn, read } from '../../contract/view.ts';
import type { Entry, Read, View } from '../../contract/view.ts';
import { isSameVersion } from '../../kubernetes/meta.ts';
import { label } from '../objects/labels.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';

export type Orphans = ReadonlyMap<string, ObservedSandbox>;
export type OrphansRead = Read<'orphansOfPool', Orphans>;

export const orphansOfPool: View<ObservedSandbox, Orphans> = {
  name: 'orphansOfPool',
  event: read('orphansOfPool'),
  valueOf: (items) => new Map([...items.values()].map((sandbox) => [sandbox.name, sandbox])),
  isSameItem: isSameVersion,
  isSame: () => false,
  say: (orphans) => `${orphans.size} without an owner`,
};

export function shownOrphan(sandbox: ObservedSandbox): readonly Entry[] {
  const { [label.warmPool]: hash } = sandbox.labels;
  return sandbox.controller === undefined && hash !== undefined
    ? [entry(orphansOfPool, keyIn(sandbox, hash), sandbox)]
    : [];
}
