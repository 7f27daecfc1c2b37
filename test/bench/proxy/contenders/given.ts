// What a contender that is a program of Node is told: its program, then `PORT BACKEND,BACKEND…`.

export interface Given {
  /** To listen on, at 127.0.0.1. */
  readonly port: number;
  /** Ports of the backends, at 127.0.0.1. */
  readonly backends: readonly number[];
}

/** A contender that is asked to end does so by itself, so that Node can write a profile of it. */
export function given(): Given {
  process.once('SIGTERM', () => process.exit());
  const [port, backends = ''] = process.argv.slice(2);
  return { port: Number(port), backends: backends.split(',').map(Number) };
}

/** One after the other, endlessly. */
export function inTurn<T>(all: readonly T[]): () => T {
  let next = 0;
  return () => {
    const one = all[next];
    next = next + 1 === all.length ? 0 : next + 1;
    if (one === undefined) throw new Error('there is nobody to take turns');
    return one;
  };
}
