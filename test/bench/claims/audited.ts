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
    if (claim === undefined || atMs < Math.floor(claim.postMs)) return undefined;
    return atMs <= claim.readyMs ? claim : undefined;
  };
  const ends = new Map<ClaimPath, number>();
  for (const request of requests) {
    const claim = claimOf(request);
    const isStatus = request.agent === agent && request.resource === 'sandboxclaims/status';
    if (claim === undefined || !isStatus || request.code >= 300) continue;
    ends.set(claim, Math.max(ends.get(claim) ?? 0, request.atMs));
  }
  return (request) => {
    const claim = claimOf(request);
    return claim !== undefined && request.atMs <= (ends.get(claim) ?? Infinity);
  };
}

function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
