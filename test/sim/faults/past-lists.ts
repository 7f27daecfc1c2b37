// Which lists show the past, and how a request is changed for that. A list that names no version is
// a consistent read, so the first one of a process is as new as the last write; one with
// `resourceVersion=0` may be as old as some cache; and one that follows another may come from a
// server that is behind, which the process can tell by its version. Part of faulty-transport.ts.
import type { Clock } from '#actors/ports.ts';

export interface PastListsOptions {
  readonly clock: Clock;
  readonly chance: (name: 'staleList' | 'staleCache' | 'pastStart') => boolean;
  /** A version of the past, so many behind at most. */
  readonly past: (most: number) => number;
  /** A first list showed the past: the process cannot know. */
  readonly misled: () => void;
}

/** A server is behind for so long at most, also by a clock of double rate; longer, and it is taken
 *  for restored from a backup. */
const longestMs = 10_000;

/** How many versions a server is behind, and a cache. */
const mostBehind = { server: 25, cache: 300 } as const;

const anyVersion = /&resourceVersion=0\b/;

export class PastLists {
  readonly #options: PastListsOptions;
  /** Flows of which the process has had a list. */
  readonly #had = new Set<string>();
  readonly #behindSince = new Map<string, number>();
  /** What the cache holds that answers who asks for any version, and until when. */
  #cache: { readonly version: number | undefined; readonly until: number } | undefined;

  constructor(options: PastListsOptions) {
    this.#options = options;
  }

  /** The process has an answer to a list of this flow. */
  answered(flow: string): void {
    this.#had.add(flow);
  }

  /** The path of a list as the server gets it. */
  rewrite(flow: string, path: string): string {
    const bare = path.replace(anyVersion, '');
    if (path.includes('continue=')) return bare;
    const version = anyVersion.test(path) ? this.#ofCache() : this.#ofPast(flow);
    if (version === undefined) return bare;
    return `${bare}&resourceVersion=${version}&resourceVersionMatch=Exact`;
  }

  #ofCache(): number | undefined {
    const { clock, chance, past } = this.#options;
    this.#cache ??= {
      version: chance('staleCache') ? past(mostBehind.cache) : undefined,
      until: clock.now() + longestMs,
    };
    return clock.now() < this.#cache.until ? this.#cache.version : undefined;
  }

  #ofPast(flow: string): number | undefined {
    return this.#isPast(flow) ? this.#options.past(mostBehind.server) : undefined;
  }

  #isPast(flow: string): boolean {
    const { clock, chance, misled } = this.#options;
    if (!this.#had.has(flow)) {
      const isPast = chance('pastStart');
      if (isPast) misled();
      return isPast;
    }
    const since = this.#behindSince.get(flow);
    const isOver = since !== undefined && clock.now() - since > longestMs;
    if (isOver || !chance('staleList')) {
      this.#behindSince.delete(flow);
      return false;
    }
    this.#behindSince.set(flow, since ?? clock.now());
    return true;
  }
}
