// The requests of a run, one by one as the server wrote them down, split by what they are for: the
// path of a claim, which ends when it is Ready, and what comes behind it (refill, metadata, stamps,
// Events). Those of other programs are told by name.
import type { AuditedRequest } from '#test/e2e/real/audit.ts';
import { events, type RequestCounts, writes } from '../requests.ts';

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
}

/** `agent`: who serves the claims. Reads are left out. */
export function splitWrites(
  requests: readonly AuditedRequest[],
  claims: readonly ClaimPath[],
  agent: string,
): Split {
  const isOnPath = onPath(requests, claims, agent);
  const split = { path: {}, behind: {}, others: {} } satisfies Record<
    keyof Split,
    Record<string, number>
  >;
  for (const request of requests) {
    const key = `${request.verb} ${request.resource} ${request.code}`;
    if (writes({ [key]: 1 }) + events({ [key]: 1 }) === 0) continue;
    if (request.agent !== agent) count(split.others, `${request.agent} ${key}`);
    else count(isOnPath(request) ? split.path : split.behind, key);
  }
  return split;
}

/** A path ends with the status that makes the claim Ready, which is the last one before that is
 *  seen: what follows it may come to the server before the watch has told of it. */
function onPath(
  requests: readonly AuditedRequest[],
  claims: readonly ClaimPath[],
  agent: string,
): (request: AuditedRequest) => boolean {
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
    return claim !== undefined && request.atMs <= (ends.get(claim) ?? claim.readyMs);
  };
}

function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
