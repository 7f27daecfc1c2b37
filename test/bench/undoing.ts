// What a benchmark has started and must take down again, whatever ends it: each place that is set
// up keeps its steps here, and a signal takes all places down.

/** What has been started and not been stopped, for a signal that ends us all. */
const open = new Set<Undoing>();
let isEnding = false;

/** Takes everything down, what is just coming up too; nothing is started after that. */
export const stopWorlds = (): Promise<unknown> => {
  isEnding = true;
  return Promise.all([...open].map((one) => one.stop()));
};

/** Takes back in reverse order what was done. */
export class Undoing {
  readonly #steps: (() => unknown)[] = [];
  /** Until then there are steps to come. */
  #doing: Promise<unknown> = Promise.resolve();

  constructor() {
    if (isEnding) throw new Error('everything is being taken down');
    open.add(this);
  }

  /** Sets something up by a function that adds a step for whatever it has started. Rejects when
   *  something does not come up, and leaves nothing. */
  static async of<T>(assemble: (undoing: Undoing) => Promise<T>): Promise<T> {
    const undoing = new Undoing();
    const made = assemble(undoing);
    undoing.#doing = made;
    try {
      return await made;
    } catch (error) {
      await undoing.stop();
      throw error;
    }
  }

  add(step: () => unknown): void {
    this.#steps.push(step);
  }

  async stop(): Promise<void> {
    await this.#doing.catch(() => {});
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) await step();
    open.delete(this);
  }
}
