// What one simulated daemon knows of its clique: the newest version that it has watched or that
// answered a write of its own, since when it holds a complete table of names, and when it first
// saw its own row Ready.
import { machineMs } from '../../observer/claims.ts';
import { isComplete, isNewer, namesText, type Row, rowsOf } from '../clique.ts';

export class View {
  readonly #node: string;
  readonly #size: number;
  readonly #now: () => number;
  #clique: unknown;
  #rows: readonly Row[] = [];
  /** Which complete table is held, and since when; undefined while it is not complete. */
  agreed: { readonly names: string; readonly atMs: number } | undefined;
  readyMs: number | undefined;

  constructor(node: string, size: number, now: () => number = machineMs) {
    this.#node = node;
    this.#size = size;
    this.#now = now;
  }

  /** Undefined until the clique is there. */
  get clique(): unknown {
    return this.#clique;
  }

  get rows(): readonly Row[] {
    return this.#rows;
  }

  get own(): Row | undefined {
    return this.#rows.find(({ nodeName }) => nodeName === this.#node);
  }

  /** Older versions than the one that is known change nothing. */
  take(clique: unknown): void {
    if (!isNewer(clique, this.#clique)) return;
    this.#clique = clique;
    this.#rows = rowsOf(clique);
    if (this.readyMs === undefined && this.own?.status === 'Ready') this.readyMs = this.#now();
    const names = isComplete(this.#rows, this.#size) ? namesText(this.#rows) : undefined;
    if (names === this.agreed?.names) return;
    this.agreed = names === undefined ? undefined : { names, atMs: this.#now() };
  }

  /** The clique was deleted. */
  forget(): void {
    this.#clique = undefined;
    this.#rows = [];
    this.agreed = undefined;
  }
}
