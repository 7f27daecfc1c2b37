// Writes that wait, in the order in which they are to go: first what objects that are there wait
// for (those that are not there yet must not hold it up), and of these the statuses, by which they
// wait no more, so that who came first is ready first. Then those of child actors (what was begun
// is finished first, so a set comes up replica by replica), then those of roots, then statuses, as
// what they tell of is there to be seen already, then what is made though nobody waits for it, lazy
// statuses, and last what is only told. Within a rank the kinds take turns, within a kind the
// trees, within a tree first come first.
import { actorId } from '#machines/contract/address.ts';
import type { Kind } from '#machines/kinds.ts';
import type { Limits } from '../limits.ts';
import { entryOf } from '../maps.ts';
import type { Rank, Work } from './work.ts';

interface Line {
  works: Work[];
  from: number;
}
type Kinds = Map<Kind, Map<string, Line>>;

/** A rank, and `finish` for the statuses of rank `first`. */
type Place = Rank | 'finish';

const placeOf = ({ rank, intent }: Work): Place =>
  rank === 'first' && intent.type === 'writeStatus' ? 'finish' : rank;
const rankAt = (place: Place): Rank => (place === 'finish' ? 'first' : place);

const rest: readonly Place[] = ['behind', 'lazy', 'last'];
const usual: readonly Place[] = ['finish', 'first', 'child', 'root', 'status', ...rest];
const rootsFirst: readonly Place[] = ['root', 'finish', 'first', 'child', 'status', ...rest];
const statusFirst: readonly Place[] = ['status', 'finish', 'first', 'child', 'root', ...rest];

export class WriteQueue {
  readonly #places: Record<Place, Kinds> = {
    finish: new Map(),
    first: new Map(),
    child: new Map(),
    root: new Map(),
    status: new Map(),
    lazy: new Map(),
    behind: new Map(),
    last: new Map(),
  };
  readonly #limits: Pick<Limits, 'rootEvery' | 'statusEvery'>;
  #picks = 0;

  /** Of `rootEvery` picks one prefers a root, of `statusEvery` one a status: busy children cannot
   *  starve them. */
  constructor(limits: Pick<Limits, 'rootEvery' | 'statusEvery'>) {
    this.#limits = limits;
  }

  push(work: Work): void {
    const trees = entryOf(this.#places[placeOf(work)], work.intent.ref.kind, () => new Map());
    const line = entryOf(trees, actorId(work.actor.root), (): Line => ({ works: [], from: 0 }));
    line.works.push(work);
  }

  /** The next work of a rank and a kind that may be sent now; dropped ones are thrown away on the
   *  way. */
  pick(maySend: (kind: Kind) => boolean, mayGo: (rank: Rank) => boolean): Work | undefined {
    for (const place of this.#order()) {
      if (!mayGo(rankAt(place))) continue;
      const work = pickFrom(this.#places[place], maySend);
      if (work === undefined) continue;
      this.#picks++;
      return work;
    }
    return undefined;
  }

  #order(): readonly Place[] {
    const { rootEvery, statusEvery } = this.#limits;
    const pick = this.#picks + 1;
    if (pick % rootEvery === 0) return rootsFirst;
    return pick % statusEvery === statusEvery >> 1 ? statusFirst : usual;
  }
}

function pickFrom(kinds: Kinds, maySend: (kind: Kind) => boolean): Work | undefined {
  for (const [kind, trees] of kinds) {
    if (!maySend(kind)) continue;
    const work = pickTree(trees);
    kinds.delete(kind);
    if (trees.size > 0) kinds.set(kind, trees);
    if (work !== undefined) return work;
  }
  return undefined;
}

/** Takes from the first tree that has something and puts that tree last. */
function pickTree(trees: Map<string, Line>): Work | undefined {
  for (const [root, line] of trees) {
    trees.delete(root);
    const work = pickLine(line);
    if (line.from < line.works.length) trees.set(root, line);
    if (work !== undefined) return work;
  }
  return undefined;
}

function pickLine(line: Line): Work | undefined {
  while (line.from < line.works.length) {
    const work = line.works[line.from++];
    if (line.from > 1_024 && line.from * 2 > line.works.length) {
      line.works = line.works.slice(line.from);
      line.from = 0;
    }
    if (work !== undefined && !work.isDropped) return work;
  }
  return undefined;
}
