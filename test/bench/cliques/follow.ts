// Lists and watches what a path selects, until it is closed. A watch that ends is resumed at the
// version it came to, as client-go does; where the server has forgotten that, it lists again. The
// simulated daemons, those at the centre and the observer of the benchmark all read by it, each
// over a wire of its own.
import { at, list } from '#machines/kubernetes/json.ts';
import { versionOf } from './clique.ts';
import type { Wire } from './wire.ts';

export interface Followed {
  /** Resolves after the first list. */
  readonly listed: Promise<void>;
  /** How often it has listed: more than once means that versions may have been missed. */
  readonly lists: () => number;
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
  let lists = 0;
  /** Of the last that was seen; undefined: a list is needed. */
  let version: string | undefined;
  const { promise: listed, resolve } = Promise.withResolvers<void>();
  const listOnce = async (): Promise<string> => {
    const page = await wire.must({ method: 'GET', path: select(path, query) });
    for (const item of itemsOf(page)) see('ADDED', item);
    lists++;
    resolve();
    return versionOf(page);
  };
  const take: Sight = (type, body) => {
    version = type === 'ERROR' ? undefined : versionOf(body);
    if (type !== 'ERROR' && type !== 'BOOKMARK') see(type, body);
  };
  const once = async (): Promise<void> => {
    version ??= await listOnce();
    const watching = { ...query, watch: 'true', resourceVersion: version };
    const status = await wire.watch(select(path, watching), take, end.signal);
    if (status === 410) version = undefined;
  };
  void (async () => {
    while (!end.signal.aborted) {
      await once().catch(() => {});
      if (!end.signal.aborted) await new Promise((again) => setTimeout(again, retryMs));
    }
  })();
  return { listed, lists: () => lists, close: () => end.abort() };
}

const itemsOf = (page: unknown): readonly unknown[] => list(at(page, 'items'));
