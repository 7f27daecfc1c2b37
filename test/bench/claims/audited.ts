// The requests of a run, one by one as the server wrote them down, split by what they are for: the
// path of a claim, which ends when it is Ready, and what comes behind it (refill, metadata, stamps,
// Events). Those of other programs are told by name.
import type { AuditedRequest } from '#test/e2e/real/audit.ts';
import { events, type RequestCounts, writes } from '../requests.ts';
import { percentile } from '../statistics.ts';

/** Times in milliseconds since the epoch, as the audit log has them. */
export interface ClaimPath {
  readonly claim: string;
  readonly sandbox: string;
  readonly postMs: number;
  readonly readyMs: number;
}

export interface Split {
  readonly path: RequestCounts;
  readonly behind: RequestCounts;
  /** Of everybody else, by "program verb resource code". */
  readonly others: RequestCounts;
  /** Milliseconds of a claim in the middle: from its POST to its assignment, from there to the
   *  take-over, to the status, and until the watch shows it; each as it comes to the server. */
  readonly stages: Readonly<Record<Stage, number>>;
}

const stages = ['assigned', 'taken_over', 'told', 'seen'] as const;
type Stage = (typeof stages)[number];

const stageOf: Readonly<Record<string, Stage>> = {
  sandboxclaims: 'assigned',
  sandboxes: 'taken_over',
  'sandboxclaims/status': 'told',
};

/** `agent`: who serves the claims. Reads are left out. */
export function splitWrites(
  requests: readonly AuditedRequest[],
  claims: readonly ClaimPath[],
  agent: string,
): Split {
  const pathOf = paths(requests, claims, agent);
  const split = { path: {}, behind: {}, others: {} };
  const reached = new Map(claims.map((claim) => [claim, { seen: claim.readyMs }] as const));
  for (const request of requests) {
    const key = `${request.verb} ${request.resource} ${request.code}`;
    if (writes({ [key]: 1 }) + events({ [key]: 1 }) === 0) continue;
    if (request.agent !== agent) count(split.others, `${request.agent} ${key}`);
    const claim = request.agent === agent ? pathOf(request) : undefined;
    if (request.agent === agent) count(claim === undefined ? split.behind : split.path, key);
    const stage = stageOf[request.resource];
    if (claim === undefined || stage === undefined || request.code >= 300) continue;
    Object.assign(reached.get(claim) ?? {}, { [stage]: request.atMs });
  }
  return { ...split, stages: stagesOf(reached) };
}

/** A claim that has left one out does not count for it and for the next. */
function stagesOf(
  reached: ReadonlyMap<ClaimPath, Readonly<Partial<Record<Stage, number>>>>,
): Readonly<Record<Stage, number>> {
  const rows = stages.map((stage, index) => {
    const before = stages[index - 1];
    const times = [...reached].map(([{ postMs }, moments]) => {
      const from = before === undefined ? postMs : (moments[before] ?? Number.NaN);
      return (moments[stage] ?? Number.NaN) - from;
    });
    const known = times.filter((ms) => !Number.isNaN(ms));
    return [stage, Math.round(percentile(known, 50) * 10) / 10] as const;
  });
  return Object.fromEntries(rows) as Record<Stage, number>;
}

/** A path ends with the status that makes the claim Ready, which is the last one before that is
 *  seen: what follows it may come to the server before the watch has told of it. */
function paths(
  requests: readonly AuditedRequest[],
  claims: readonly ClaimPath[],
  agent: string,
): (request: AuditedRequest) => ClaimPath | undefined {
  const byName = new Map<string, ClaimPath>();
  for (const claim of claims) {
    byName.set(`sandboxclaims ${claim.claim}`, claim).set(`sandboxes ${claim.sandbox}`, claim);
  }
  const claimOf = ({ resource, name, atMs }: AuditedRequest): ClaimPath | undefined => {
    const claim = byName.get(`${resource.split('/')[0]} ${name}`);
    return claim !== undefined && atMs >= Math.floor(claim.postMs) ? claim : undefined;
  };
  const ends = new Map<ClaimPath, number>();
  const isStatus = ({ agent: own, resource, code }: AuditedRequest): boolean =>
    own === agent && resource === 'sandboxclaims/status' && code < 300;
  for (const request of requests.filter(isStatus).toSorted((a, b) => a.atMs - b.atMs)) {
    const claim = claimOf(request);
    // The clocks of server and load differ by a millisecond: one there must have been.
    if (claim === undefined || (ends.has(claim) && request.atMs > claim.readyMs)) continue;
    ends.set(claim, request.atMs);
  }
  return (request) => {
    const claim = claimOf(request);
    if (claim === undefined) return undefined;
    return request.atMs <= (ends.get(claim) ?? claim.readyMs) ? claim : undefined;
  };
}

function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
