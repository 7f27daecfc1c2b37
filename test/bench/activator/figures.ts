// All that the processes of `npm run bench -- activator-micro` have measured, by cell: medians over
// the runs, and what their ratios are. gates.ts judges them.
import { median } from '../statistics.ts';
import type { Cell } from './body.ts';

/** Of one cell in one process. */
export interface Measured {
  /** Nanoseconds of an operation, the loop around it subtracted. */
  readonly ns: number;
  /** Of the reference loop in the same process. */
  readonly reference_ns: number;
  /** Heap for an operation; absent where a collection came in between. */
  readonly bytes?: number;
  readonly [figure: string]: number | undefined;
}

type Named = Pick<Cell, 'part' | 'name'>;

export class Figures {
  readonly #cells: readonly Named[];
  readonly #runs: ReadonlyMap<string, readonly Measured[]>;

  constructor(cells: readonly Named[], runs: ReadonlyMap<string, readonly Measured[]>) {
    this.#cells = cells.filter(({ name }) => runs.has(name));
    this.#runs = runs;
  }

  get cells(): readonly Named[] {
    return this.#cells;
  }

  readonly namesOf = (part: string): readonly string[] =>
    this.#cells.filter((cell) => cell.part === part).map(({ name }) => name);

  /** Median over the runs; undefined: it was not measured. */
  readonly of = (name: string, figure: string): number | undefined =>
    medianOf((this.#runs.get(name) ?? []).map((run) => run[figure]));

  /** Least and most over the runs. */
  readonly spread = (name: string, figure: string): readonly [number, number] | undefined => {
    const values = known((this.#runs.get(name) ?? []).map((run) => run[figure]));
    return values.length === 0 ? undefined : [Math.min(...values), Math.max(...values)];
  };

  /** Median of the ratios to the reference loop of the same process. */
  readonly toReference = (name: string): number | undefined =>
    medianOf((this.#runs.get(name) ?? []).map(({ ns, reference_ns }) => ns / reference_ns));

  /** Median of the ratios within each run, in which both were measured soon after each other. */
  readonly ratio = (name: string, to: string): number | undefined => {
    const others = this.#runs.get(to) ?? [];
    return medianOf(
      (this.#runs.get(name) ?? []).map((run, at) => {
        const other = others[at]?.ns;
        return other === undefined || other === 0 ? undefined : run.ns / other;
      }),
    );
  };

  /** The highest median of these parts. */
  readonly most = (
    figure: string,
    parts: readonly string[],
    except?: RegExp,
  ): number | undefined => {
    const names = parts.flatMap(this.namesOf).filter((name) => except?.test(name) !== true);
    const values = known(names.map((name) => this.of(name, figure)));
    return values.length === 0 ? undefined : Math.max(...values);
  };
}

const known = (values: readonly (number | undefined)[]): readonly number[] =>
  values.filter((value) => value !== undefined);

function medianOf(values: readonly (number | undefined)[]): number | undefined {
  const numbers = known(values);
  return numbers.length === 0 ? undefined : median(numbers);
}
