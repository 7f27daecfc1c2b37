// The objects of one kind that were seen to be gone, the youngest of them: late events do not bring
// them back, and a list that shows one again may be from another history. Used by object-index.ts.
import { putNewest } from '#actors/maps.ts';
import type { Kind } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { isAtMost } from '#machines/kubernetes/versions.ts';
import { maxEnds } from '../limits.ts';
import { selectorOf } from '../paths.ts';

/** `surely`: another has its name, or there is no selection. The others may have lost the label
 *  that is selected by, and come back with it; who is `going`, with a deletionTimestamp only. */
export type How = 'surely' | 'going' | 'unseen';

interface End {
  /** It was gone by then. */
  readonly version: string;
  readonly how: How;
}

export class Ends {
  readonly #isSelected: boolean;
  readonly #byUid = new Map<string, End>();

  constructor(kind: Kind) {
    this.#isSelected = selectorOf(kind) !== undefined;
  }

  note(uid: string, version: string, how: How): void {
    if (this.hasPassed(uid, version)) return;
    putNewest(this.#byUid, uid, { version, how: this.#isSelected ? how : 'surely' }, maxEnds);
  }

  /** What was so at this version is over. */
  hasPassed(uid: string, version: string): boolean {
    return isAtMost(version, this.#byUid.get(uid)?.version ?? '');
  }

  /** A list of this version cannot show it so, if it has all its history. */
  contradict({ metadata }: KubeObject, listVersion: string): boolean {
    const { uid = '', resourceVersion = '', deletionTimestamp } = metadata;
    const end = this.#byUid.get(uid);
    if (end === undefined || !isAtMost(end.version, listVersion)) return false;
    const isBack = end.how === 'going' && deletionTimestamp === undefined;
    return end.how === 'surely' || isBack || isAtMost(resourceVersion, end.version);
  }
}
