// The mark that a PodCliqueSet has of its token Secret, which no process is ever shown otherwise
// than by the answer to its create. Asked by decisions.ts.
import { at, uidOf } from '../fields.ts';
import type { Place } from './place.ts';
import type { Shown } from './shown.ts';

const mark = 'grove.io/token-secret';

/** The mark on the set, as it was shown, names the Secret of this UID. */
export const isMarked = (
  shown: Shown,
  { collection, namespace, name }: Place,
  uid: string,
): boolean =>
  collection === '/secrets' &&
  shown
    .looksAt('grove.io/podcliquesets', namespace, name.replace(/-ic-sat$/, ''))
    .some((set) => at(set, 'metadata', 'annotations', mark) === `${uidOf(set)}/${uid}`);
