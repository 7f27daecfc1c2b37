// Lists and watches what a path selects, from now until it is closed, and lists again where a watch
// ends. The simulated daemons, those at the centre and the observer of the benchmark all read by
// it, each over a wire of its own.
import { at, list, text } from '#machines/kubernetes/json.ts';
import { versionOf } from './clique.ts';
import type { Wire } from './wire.ts';

export interface Followed {
  /** Resolves after the first list. */
  readonly listed: Promise<void>;
  /** How often the watch was opened: more than once means that versions may have been missed. */
  readonly opened: () => number;
  close(): void;
}

/** A removal is told as `DELETED`; what an anew list lacks is not told. */
export type Sight = (type: string, body: unknown) => void;

export const select = (path: string, query: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams(query).toString()}`;

const retryMs = 200;

export function follow(
  wire: Wire,
  path: string,
  query: Readonly<Record<string, string>>,
  see: Sight,
): Followed {
  const end = new AbortController();
  let opened = 0;
  const { promise: listed, resolve } = Promise.withResolvers<void>();
  const once = async (): Promise<void> => {
    const page = await wire.must({ method: 'GET', path: select(path, query) });
    for (const item of list(at(page, 'items'))) see('ADDED', item);
    resolve();
    opened++;
    const watching = { ...query, watch: 'true', resourceVersion: versionOf(page) };
    const take: Sight = (type, body) => {
      if (type !== 'ERROR' && type !== 'BOOKMARK' && text(type) !== '') see(type, body);
    };
    await wire.watch(select(path, watching), take, end.signal);
  };
  void (async () => {
    while (!end.signal.aborted) {
      await once().catch(() => {});
      if (!end.signal.aborted) await new Promise((again) => setTimeout(again, retryMs));
    }
  })();
  return { listed, opened: () => opened, close: () => end.abort() };
}
