// Runs of the claims benchmark on fresh clusters: floor and product in pairs, and the one in which
// the audit log counts. The command and the report call it.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { companionOf, inPair, limitsS2, onFresh, type Settings } from '../runs.ts';
import type { Result } from '../statistics.ts';
import { prefixed } from '../floor.ts';
import { startSite } from '../world.ts';
import type { ClaimsCase } from './cases.ts';
import { measureClaims } from './measure.ts';
import type { ServerName } from './players.ts';

export interface ClaimsOptions extends Omit<Settings, 'limits' | 'configuration' | 'inFlight'> {
  /** Who serves the claims in the place of the product. */
  readonly server: ServerName;
  /** CPU time that it spends on each claim besides, in microseconds; of a floor alone. */
  readonly busyUs: number;
  /** Claims carry observability annotations, as by default. */
  readonly isObserved: boolean;
  readonly floorInFlight: number;
  readonly quietSeconds: number;
  readonly patienceSeconds: number;
}

/** Grove's kinds are not served: they have no part in it. */
const configurationOf = (observabilityAnnotations: boolean): JsonObject => ({
  modules: { grove: false, agentsandbox: true },
  agentSandbox: { claims: { observabilityAnnotations } },
});

const once = (what: ClaimsCase, options: ClaimsOptions, server: ServerName): Promise<Result> => {
  const { floorInFlight: inFlight, server: _, isObserved, ...settings } = options;
  const configuration = configurationOf(isObserved);
  return onFresh(
    `claims-${what.name}-${server}`,
    { ...settings, limits: limitsS2, configuration },
    startSite,
    (site, trace, folder) => {
      const companion = companionOf(site, options, folder);
      return measureClaims(site, what, { ...options, server, inFlight, companion }, (recorder) => {
        trace.phases = () => recorder.phases;
      });
    },
  );
};

/** Floor and product, one after the other, the order alternating from pair to pair. */
export const pair = async (
  what: ClaimsCase,
  options: ClaimsOptions,
  index: number,
): Promise<Result> => {
  options.say(`${what.name}: pair ${index + 1}`);
  const both = await inPair(
    index % 2 === 0,
    async () => prefixed(numbersOf(await once(what, { ...options, busyUs: 0 }, 'floor'))),
    () => once(what, options, options.server),
  );
  return { ...both, ...claimRatios(both) };
};

const numbersOf = (result: Result): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(result).flatMap(([key, value]) =>
      typeof value === 'number' ? [[key, value] as const] : [],
    ),
  );

function claimRatios(both: Result): Result {
  const ratio = (name: string, ours: string, least: string): Result => {
    const [above, below] = [both[ours], both[least]];
    if (typeof above !== 'number' || typeof below !== 'number' || below === 0) return {};
    return { [name]: Math.round((above / below) * 100) / 100 };
  };
  return {
    ...ratio('p50_ratio', 'p50_ms', 'floor_p50_ms'),
    ...ratio('p90_ratio', 'p90_ms', 'floor_p90_ms'),
    ...ratio('p99_ratio', 'p99_ms', 'floor_p99_ms'),
    ...ratio('fill_ratio', 'fill_s', 'floor_fill_s'),
    ...ratio('refill_ratio', 'refill_s', 'refill_alone_s'),
  };
}

const isAudited = (key: string): boolean => /^(?:case$|(?:audited|path|behind|other)_)/.test(key);

/** The counts of a run by the audit log, whose times are those of a server with more to do. */
export async function audited(what: ClaimsCase, options: ClaimsOptions): Promise<Result> {
  options.say(`${what.name}: the audited run`);
  const result = await once(what, { ...options, audit: true }, options.server);
  return Object.fromEntries(Object.entries(result).filter(([key]) => isAudited(key)));
}

/** What the path has without observability annotations. */
export async function unobserved(what: ClaimsCase, options: ClaimsOptions): Promise<Result> {
  const result = await audited(what, { ...options, isObserved: false });
  const writes = result['path_writes_per_claim'];
  return { case: what.name, ...(writes === undefined ? {} : { unobserved_path_writes: writes }) };
}

/** The floor without a queue: what a list of all Sandboxes for each claim costs. */
export async function rival(what: ClaimsCase, options: ClaimsOptions): Promise<Result> {
  options.say(`${what.name}: by a list of all Sandboxes`);
  const rival = numbersOf(await once(what, options, 'list'));
  const entries = Object.entries(rival).filter(([key]) => /_ms(?:_per_claim)?$/.test(key));
  return {
    case: what.name,
    ...Object.fromEntries(entries.map(([key, value]) => [`list_${key}`, value])),
  };
}
