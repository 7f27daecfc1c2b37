// From what one measurement has seen to its figures, and from the measurements of a strategy to
// one column: times of all cliques and daemons pooled, counts and CPU as medians.
import { add, isWrite, type RequestCounts } from '../requests.ts';
import { median } from '../statistics.ts';
import type { DaemonReport } from './daemons/daemon.ts';
import type { CliqueSeen } from './watcher.ts';

/** Milliseconds since the last daemon of the clique asked; `local` and `own` since the daemon did.
 *  What did not come to be within the cap has the cap. */
export interface Times {
  readonly unique: readonly number[];
  readonly agree: readonly number[];
  readonly ready: readonly number[];
  /** Own row Ready: as the plug-in's questions find it, and as the daemon's watch shows it. */
  readonly local: readonly number[];
  readonly own: readonly number[];
  /** All domains list all their nodes and are Ready: one value. */
  readonly domain: readonly number[];
}

export type Counts = Readonly<Record<string, number>>;

export interface Measured {
  readonly times: Times;
  readonly counts: Counts;
  readonly requests: RequestCounts;
  /** Why the measurement does not count. */
  readonly isVoid?: string;
}

export interface Seen {
  readonly capMs: number;
  readonly daemons: readonly DaemonReport[];
  readonly cliques: ReadonlyMap<string, CliqueSeen>;
  readonly domainsMs: number | undefined;
}

export function timesOf({ capMs, daemons, cliques, domainsMs }: Seen): Times {
  const since = (from: number, atMs: number | undefined): number =>
    atMs === undefined ? capMs : Math.min(capMs, Math.max(0, Math.round(atMs - from)));
  const groups = Map.groupBy(daemons, ({ clique }) => clique);
  const rows = [...groups].map(([name, members]) => {
    const asked = Math.max(...members.map(({ askMs }) => askMs));
    const { uniqueMs, readyMs } = cliques.get(name) ?? {};
    return {
      unique: since(asked, uniqueMs),
      ready: since(asked, readyMs),
      agree: since(asked, agreedMs(members)),
    };
  });
  const asked = Math.max(...daemons.map(({ askMs }) => askMs));
  return {
    unique: rows.map(({ unique }) => unique),
    agree: rows.map(({ agree }) => agree),
    ready: rows.map(({ ready }) => ready),
    local: daemons.map(({ askMs, localMs }) => since(askMs, localMs)),
    own: daemons.map(({ askMs, readyMs }) => since(askMs, readyMs)),
    domain: [since(asked, domainsMs)],
  };
}

/** Since when all have held the same complete table; undefined: they do not. */
export function agreedMs(members: readonly Pick<DaemonReport, 'agreed'>[]): number | undefined {
  const held = members.flatMap(({ agreed }) => (agreed === undefined ? [] : [agreed]));
  if (held.length < members.length || new Set(held.map(({ names }) => names)).size !== 1) {
    return undefined;
  }
  return Math.max(...held.map(({ atMs }) => atMs));
}

const sum = (counts: RequestCounts, keep: (key: string) => boolean): number =>
  Object.entries(counts).reduce((so, [key, count]) => (keep(key) ? so + count : so), 0);

/** A controller's own count says `2xx`. */
const accepted = (key: string): boolean => / 2(?:\d\d|xx)$/.test(key);
const ofClique = (key: string): boolean => key.split(' ')[1] === 'computedomaincliques';

/** Of daemons and centre together; the kubelet's writes and the plug-in's questions are left
 *  out. */
export function writeCounts(requests: RequestCounts): Counts {
  return {
    writes: sum(requests, isWrite),
    writes_accepted: sum(requests, (key) => isWrite(key) && accepted(key)),
    clique_writes: sum(requests, (key) => isWrite(key) && ofClique(key)),
    clique_writes_accepted: sum(requests, (key) => isWrite(key) && ofClique(key) && accepted(key)),
    refused_422: sum(requests, (key) => key.endsWith(' 422')),
    throttled_429: sum(requests, (key) => key.endsWith(' 429')),
    already_exists_409: sum(requests, (key) => key.endsWith(' 409 AlreadyExists')),
    conflicts_409: sum(requests, (key) => / 409(?: Conflict)?$/.test(key)),
  };
}

const seenKeys = ['versions', 'shared', 'outOfRange', 'moved', 'movedLive'] as const;

export function seenCounts(cliques: ReadonlyMap<string, CliqueSeen>): Counts {
  const all = [...cliques.values()];
  const total = (key: (typeof seenKeys)[number]): number =>
    all.reduce((so, seen) => so + seen[key], 0);
  const joined = all.flatMap(({ joinVersions }) => joinVersions ?? []);
  return {
    versions: total('versions'),
    ...(joined.length < all.length
      ? {}
      : { versions_join: median(joined), versions_join_most: Math.max(...joined) }),
    versions_shared: total('shared'),
    versions_out_of_range: total('outOfRange'),
    index_changes: total('moved'),
    index_changes_live: total('movedLive'),
  };
}

export interface Column {
  /** Those that count. */
  readonly runs: number;
  readonly times: Times;
  /** Median, least and most of each count. */
  readonly counts: Readonly<Record<string, readonly [number, number, number]>>;
  readonly requests: RequestCounts;
  readonly isVoid: readonly string[];
}

const timeKeys = ['unique', 'agree', 'ready', 'local', 'own', 'domain'] as const;
export type TimeKey = (typeof timeKeys)[number];

export function columnOf(all: readonly Measured[]): Column {
  const runs = all.filter(({ isVoid }) => isVoid === undefined);
  const pooled = timeKeys.map((key) => [key, runs.flatMap(({ times }) => times[key])] as const);
  const keys = [...new Set(runs.flatMap(({ counts }) => Object.keys(counts)))];
  const counts = keys.map((key) => {
    const values = runs.flatMap((run) => run.counts[key] ?? []);
    return [key, [median(values), Math.min(...values), Math.max(...values)] as const] as const;
  });
  const requests = runs.map((run) => run.requests).reduce(add, {});
  return {
    runs: runs.length,
    times: Object.fromEntries(pooled) as unknown as Times,
    counts: Object.fromEntries(counts),
    requests: Object.fromEntries(
      Object.keys(requests)
        .toSorted()
        .map((key) => [key, median(runs.map((run) => run.requests[key] ?? 0))]),
    ),
    isVoid: [...new Set(all.flatMap(({ isVoid }) => isVoid ?? []))],
  };
}
