// Draws mutants: operators take turns, and for each of them the folders do, so that no folder or
// operator counts for more because it is large. The same seed draws the same ones, and a change of
// the sources leaves most of them where they were.
import { createHash } from 'node:crypto';
import { folders, type Mutant } from './mutant.ts';

export function* drawn(mutants: readonly Mutant[], seed: number): Generator<Mutant> {
  const byLot = mutants
    .map((mutant) => ({ mutant, lot: lotOf(seed, mutant.id) }))
    .toSorted((a, b) => (a.lot < b.lot ? -1 : 1))
    .map(({ mutant }) => mutant);
  const operators = [...new Set(byLot.map(({ operator }) => operator))].toSorted((a, b) =>
    lotOf(seed, a) < lotOf(seed, b) ? -1 : 1,
  );
  const ofOperators = operators.map((operator, index) =>
    inTurn(
      byLot.filter((mutant) => mutant.operator === operator),
      index,
    ),
  );
  yield* takingTurns(ofOperators);
}

const lotOf = (seed: number, id: string): string =>
  createHash('sha1').update(`${seed} ${id}`).digest('hex');

/** The folders of one operator; `first` is the number of the one that begins. */
function inTurn(mutants: readonly Mutant[], first: number): Iterator<Mutant> {
  const turned = folders.map((_, index) => folders[(first + index) % folders.length]);
  return takingTurns(
    turned.map((folder) => mutants.filter((mutant) => mutant.folder === folder).values()),
  );
}

function* takingTurns(all: readonly Iterator<Mutant>[]): Generator<Mutant> {
  let left = all;
  while (left.length > 0) {
    const goOn: Iterator<Mutant>[] = [];
    for (const one of left) {
      const { done, value } = one.next();
      if (done === true) continue;
      goOn.push(one);
      yield value;
    }
    left = goOn;
  }
}
