// What is counted of requests, for each revision: those under way, and how all others ended (spec
// activator 1.16). Counting is a few additions; ../request-metrics.ts reads them at
// each scrape.
import { defaultRules, type RequestRules } from './rules.ts';

/** How it ended, for metrics: by an answer of the pod, by one of ours, by its client, or in the
 *  middle of an answer. */
export type Ending = 'answered' | 'refused' | 'cancelled' | 'cut';

/** Upper bounds of the histogram of durations, in seconds: OpenTelemetry's for `http.server`. */
export const durationBounds = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
] as const;

export class RevisionFigures {
  /** `namespace/name`. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  /** As they were at the last request. */
  rules: RequestRules = defaultRules;
  /** Now. */
  queued = 0;
  active = 0;
  underWay = 0;
  /** Since the start. */
  received = 0;
  readonly endings: Record<Ending, number> = { answered: 0, refused: 0, cancelled: 0, cut: 0 };
  /** By hundreds of the status; 0: no answer. */
  readonly classes: number[] = [0, 0, 0, 0, 0, 0];
  /** By bound; the last one is for those above all. */
  readonly durations: number[] = Array.from({ length: durationBounds.length + 1 }, () => 0);
  durationSum = 0;

  constructor(namespace: string, name: string) {
    this.key = `${namespace}/${name}`;
    this.namespace = namespace;
    this.name = name;
  }

  begun(): void {
    this.received += 1;
    this.underWay += 1;
  }

  ended(ending: Ending, status: number, ms: number): void {
    this.underWay -= 1;
    this.endings[ending] += 1;
    const kind = Math.min(5, Math.floor(status / 100));
    this.classes[kind] = (this.classes[kind] ?? 0) + 1;
    const seconds = ms / 1_000;
    let at = 0;
    while (at < durationBounds.length && seconds > (durationBounds[at] ?? Infinity)) at += 1;
    this.durations[at] = (this.durations[at] ?? 0) + 1;
    this.durationSum += seconds;
  }
}

type Make = (namespace: string, name: string) => RevisionFigures;

export class Figures {
  readonly #byKey = new Map<string, RevisionFigures>();
  readonly #make: Make;
  /** Of the process, where it has workers. */
  workerDeaths = 0;

  constructor(make: Make = (namespace, name) => new RevisionFigures(namespace, name)) {
    this.#make = make;
  }

  of(namespace: string, name: string): RevisionFigures {
    const key = `${namespace}/${name}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const made = this.#make(namespace, name);
    this.#byKey.set(key, made);
    return made;
  }

  all(): Iterable<RevisionFigures> {
    return this.#byKey.values();
  }

  /** Of a revision that is gone, when its last request has ended. */
  forget(key: string): void {
    this.#byKey.delete(key);
  }
}
