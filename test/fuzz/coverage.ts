// Which places of the sources were run: V8's own counts, block by block. A fuzzer keeps the inputs
// that reach a place, or a number of rounds, that none before has reached.
import { type Profiler, Session } from 'node:inspector';

export class Coverage {
  readonly #session = new Session();
  readonly #counts: (url: string) => boolean;

  /** `counts`: scripts that are looked at, by their URL. */
  constructor(counts: (url: string) => boolean) {
    this.#counts = counts;
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    this.since();
  }

  /** Places that were run since the last call, each with the magnitude of how often. */
  since(): ReadonlySet<string> {
    const places = new Set<string>();
    this.#session.post('Profiler.takePreciseCoverage', (error, answer) => {
      if (error !== null) throw error;
      for (const script of answer.result) {
        if (this.#counts(script.url)) for (const place of placesOf(script)) places.add(place);
      }
    });
    return places;
  }

  stop(): void {
    this.#session.disconnect();
  }
}

const placesOf = ({ scriptId, functions }: Profiler.ScriptCoverage): readonly string[] =>
  functions.flatMap(({ ranges }) =>
    ranges
      .filter(({ count }) => count > 0)
      .map(({ startOffset, endOffset, count }) => {
        const magnitude = Math.floor(Math.log2(count));
        return `${scriptId}:${startOffset}-${endOffset}x${magnitude}`;
      }),
  );
