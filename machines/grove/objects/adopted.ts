// Hashes of a controller that was there before us. They cannot be computed here, but what they
// stand for can be seen: children that show a template as it is now have its hash as that
// controller wrote it. A set remembers such hashes in an annotation and calls its templates by
// them, so that nothing differs: no pod is replaced when Coppice takes over, nor when the other
// controller comes back.
import { isObject, stringMap, word, type StringMap } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';

export interface Adopted {
  /** Our own hash of the generation that was looked at last. */
  readonly of: string | undefined;
  /** By our own hash: theirs of the generation of a set. */
  readonly generations: StringMap;
  /** By name of a clique, and by our own hash: theirs of its template. */
  readonly templates: Readonly<Record<string, StringMap>>;
}

const nothing: Adopted = { of: undefined, generations: {}, templates: {} };

/** Templates that are remembered of one clique: those that a change back may meet. */
const maxRemembered = 8;

/** What cannot be read is as if it were not there. */
export function readAdopted(annotation: string | undefined): Adopted {
  if (annotation === undefined) return nothing;
  const value = parsed(annotation);
  if (!isObject(value)) return nothing;
  const { of, generations, templates } = value;
  const maps = Object.entries(isObject(templates) ? templates : {});
  return {
    of: word(of),
    generations: stringMap(generations),
    templates: Object.fromEntries(maps.map(([name, map]) => [name, stringMap(map)])),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const writeAdopted = ({ of, generations, templates }: Adopted): string => {
  const value: JsonObject = { ...(of === undefined ? {} : { of }), generations, templates };
  return JSON.stringify(value);
};

export const withHash = (map: StringMap, ours: string, theirs: string): StringMap =>
  Object.fromEntries([
    ...Object.entries(map)
      .filter(([hash]) => hash !== ours)
      .slice(1 - maxRemembered),
    [ours, theirs],
  ]);
