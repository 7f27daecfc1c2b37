// The queue of a PodGang. A set and its cliques may name one each, but a gang goes to one, so the
// podcliqueset actor writes what they agree on into an annotation of the PodGang, where the
// backend's PodGroup takes it from (spec controllers 8.4, 10.2 gap 28). Where they do not agree it
// lists all that are named: no PodGroup is made of that, and people see why.
import type { Unmappable } from './backend.ts';

const between = ', ';

/** The annotation's value for the names that were given. */
export const namedQueues = (names: Iterable<string>): string => [...new Set(names)].join(between);

/** The one queue that an annotation's value names, or what is wrong. */
export function queueIn(named: string, key: string): string | Unmappable {
  const names = named.split(',').map((name) => name.trim());
  const [name = '', ...others] = names.filter((one) => one !== '');
  if (others.length > 0) {
    return {
      problem: `the set and its cliques must name one queue in ${key}, and they name ${named}`,
    };
  }
  return name;
}
