// A mutant that was chosen for one statement about the product: it takes the line away that the
// statement rests on, so the test that demonstrates the statement must fail.

export interface Shows {
  /** How a sentence of docs/guarantees.md begins, or the number of a rule as titles carry it
   *  (`npm run rules`). Several may rest on one line. */
  readonly shows: string | readonly string[];
}

export interface ChangedLine extends Shows {
  readonly file: string;
  /** What stands there once; the `to` is what a programmer would have done wrong. */
  readonly from: string;
  readonly to: string;
  /** Part of what the test says when it fails. One that starts processes or simulates days names
   *  it: much else than the line can make that fail. */
  readonly says?: string;
  /** Of several files of tests that call what is cited, the one that meets the mutant. */
  readonly by?: string;
}

/** Of what the simulator alone demonstrates: one of its bugs (test/sim/planted), which the seeds of
 *  its table find. */
export interface PlantedLine extends Shows {
  readonly planted: string;
  /** Part of what the oracle of that statement says. */
  readonly says: string;
}

export type ListedMutant = ChangedLine | PlantedLine;
