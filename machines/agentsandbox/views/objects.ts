// What actors read of Sandboxes and templates that are not theirs: each under
// `namespace/name`.
import { entry, keyIn, read } from '../../contract/view.ts';
import type { Entry, Read, View } from '../../contract/view.ts';
import { isSameVersion, type Meta } from '../../kubernetes/meta.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import type { ObservedTemplate } from '../objects/template.ts';

export type SandboxRead = Read<'sandboxByName', ObservedSandbox>;
export type TemplateRead = Read<'templateByName', ObservedTemplate>;

/** Only another spec is news to readers of templates (R12); whatever changes is to those
 *  of Sandboxes. */
const byName = <T extends Meta>(
  name: string,
  isSame: (one: T, other: T) => boolean,
): View<T, T> => ({
  name,
  event: read(name),
  isSame,
  isSameItem: isSame,
  valueOf: (items) => items.values().next().value,
  say: (object) => object.name,
});

const isSameSpec = (one: Meta, other: Meta): boolean =>
  one.uid === other.uid && one.generation === other.generation && one.deleting === other.deleting;

export const sandboxByName = byName<ObservedSandbox>('sandboxByName', isSameVersion);
export const templateByName = byName<ObservedTemplate>('templateByName', isSameSpec);

export const shown =
  <T extends Meta>(view: View<T, T>) =>
  (object: T): readonly Entry[] => [entry(view, keyIn(object, object.name), object)];
