// The status of a ComputeDomain (spec compute-domain 2.8, 5.12). It is made anew when something of
// it has changed: at once where none was written lately, else when the interval is over. The
// runtime has lazy statuses too, but those wait for a quiet moment of the whole process, for up to
// half a minute, and this one may be no older than the interval; so the actor waits by itself.
import { statusOf as statusIntent } from '../../contract/object-intents.ts';
import { isPauseOver } from '../../contract/backoff.ts';
import type { WriteStatus } from '../../contract/intents.ts';
import { isEqual } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import { idle } from '../../statechart/step.ts';
import type { DomainNode, ObservedDomain } from '../objects/domain.ts';
import type { DomainContext, Listing, Size, Step } from './context.ts';
import { rollUp } from './roll-up.ts';
import type { RollUp } from './roll-up.ts';

/** Of the object that is stored: etcd takes no larger one by default. */
const maxBytes = 1_572_864;

/** Beyond this people are told. */
const largeBytes = 0.8 * maxBytes;

/** What the server stores besides each node: who manages it. */
const bytesPerNode = 130;

/** The rest of the object. */
const bytesOfObject = 4_096;

/** Decides whether a status is to be written now; `writeStatus` says so. */
export const planStatus: Step = (context, domain, now) => {
  const { asked, isStale, settings } = context;
  if (asked?.isOpen === true && !isEqual(domain.status, asked.status)) return idle;
  if (!isStale) return idle;
  const { statusIntervalMs } = settings;
  const nextAt = (asked?.at ?? -Infinity) + statusIntervalMs;
  if (!isPauseOver(nextAt, now, statusIntervalMs)) {
    const say = () => [
      `its status has changed; it is written every ${statusIntervalMs} ms at most`,
    ];
    return { ...idle, waits: [{ until: nextAt, say }] };
  }
  const { status, listing } = statusOf(context, domain, now);
  const closed = asked === undefined ? undefined : { ...asked, isOpen: false };
  const isNeeded = listing.size !== 'excessive' && !isSame(domain, status);
  return {
    intents: [],
    changes: {
      isStale: false,
      listing,
      asked: isNeeded ? { at: now, status, isOpen: true } : closed,
    },
  };
};

/** Said until it is done or refused. */
export function writeStatus(
  { asked }: DomainContext,
  domain: ObservedDomain,
): WriteStatus | undefined {
  if (asked?.isOpen !== true) return undefined;
  // Daemons and kubelet plugins wait for what it says.
  return statusIntent(domain, 'the nodes of its cliques', asked.status, 'now');
}

interface Made {
  readonly status: JsonObject;
  readonly listing: Listing;
}

const noNodes: RollUp = { nodes: [], listed: 0, unlisted: 0, isMixed: false };

function statusOf(context: DomainContext, domain: ObservedDomain, now: EpochMs): Made {
  const isHostManaged = context.settings.mode === 'hostManaged';
  const made = isHostManaged ? noNodes : rollUp(context, domain);
  const { nodes } = made;
  const { nodes: _, ...others } = domain.status;
  const status: JsonObject = {
    ...others,
    status: isHostManaged || isReady(domain, nodes) ? 'Ready' : 'NotReady',
    ...(nodes.length > 0 ? { nodes: nodes.map(entryOf) } : {}),
  };
  const text = JSON.stringify(status);
  const bytes = bytesOfObject + text.length + nodes.length * bytesPerNode;
  return { status, listing: listingOf(context, made, bytes, now) };
}

/** An empty one without a lower bound is ready, as NVIDIA's is. */
const isReady = ({ numNodes }: ObservedDomain, nodes: readonly DomainNode[]): boolean =>
  nodes.length >= numNodes && nodes.every(({ status }) => status === 'Ready');

/** The index is written also where it is 0. */
const entryOf = ({ name, ipAddress, cliqueID, index, status }: DomainNode): JsonObject => ({
  name,
  ipAddress,
  cliqueID,
  index,
  status,
});

function listingOf(
  { listing }: DomainContext,
  { listed, unlisted, isMixed }: RollUp,
  bytes: number,
  now: EpochMs,
): Listing {
  const mixedSince = isMixed ? (listing.mixedSince ?? now) : undefined;
  return { listed, unlisted, mixedSince, bytes, size: sizeOf(bytes) };
}

const sizeOf = (bytes: number): Size =>
  bytes > maxBytes ? 'excessive' : bytes > largeBytes ? 'large' : 'small';

/** In content: the order says nothing, and an index that is not there is 0. */
function isSame({ status: written, nodes }: ObservedDomain, status: JsonObject): boolean {
  const { nodes: wanted, ...others } = status;
  const { nodes: there, ...before } = written;
  if (!isEqual(before, others)) return false;
  // An empty list is to go.
  if (!Array.isArray(wanted)) return there === undefined;
  const byName = new Map<unknown, DomainNode>(nodes.map((node) => [node.name, node]));
  return (
    nodes.length === wanted.length &&
    wanted.every((node) => isEqual(node, byName.get(Object(node).name)))
  );
}
