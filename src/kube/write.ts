// The only place from which the API server is written to: one HTTP request per write, the answer as
// a value. The effect runner (actors/effects/runner.ts) calls it, and actors/effects/ decides
// about another attempt.
import type { ClusterEvent, ClusterPort, Write, WriteOutcome } from '#actors/ports.ts';
import { apiKind, kindRow, type Kind } from '#machines/kinds.ts';
import { list, numberOf, object } from '#machines/kubernetes/json.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import { failureOf, isSuccess, notAnswered, type Failure } from './errors.ts';
import { maxEventNoteLength } from './limits.ts';
import { collectionPath, eventPath, objectPath, statusPath } from './paths.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from './transport/transport.ts';
import { prune } from './watch/prune.ts';

const mergePatch = 'application/merge-patch+json';

/** Writes and reads through the transport; see ClusterPort for the promises. */
export function clusterPort(transport: KubeTransport): ClusterPort {
  const send = async (
    request: KubeRequest,
    accept: (response: KubeResponse) => WriteOutcome,
  ): Promise<WriteOutcome> => {
    try {
      const response = await transport.request(request);
      return isSuccess(response) ? accept(response) : failureOf(response);
    } catch (error) {
      return notAnswered(error);
    }
  };
  return {
    write: (write, isWanted) =>
      send({ ...requestOf(write), ...(isWanted === undefined ? {} : { isWanted }) }, (response) =>
        outcomeOf(write, response),
      ),
    read: (ref) =>
      send({ method: 'GET', path: objectPath(ref) }, (response) =>
        objectOutcome(ref.kind, response),
      ),
    event: (event) => writeEvent((request) => send(request, () => ({ ok: true })), event),
  };
}

/** The one request that a write is. */
export function requestOf(write: Write): KubeRequest {
  const { ref } = write;
  switch (write.op) {
    case 'create':
      return { method: 'POST', path: collectionPath(ref.kind, ref.namespace), body: write.body };
    case 'patch':
      return { method: 'PATCH', path: objectPath(ref), contentType: mergePatch, body: write.patch };
    case 'status':
      return { method: 'PUT', path: statusPath(ref), body: write.body };
    case 'delete':
      return { method: 'DELETE', path: objectPath(ref), body: deleteOptions(write) };
  }
}

function deleteOptions(write: Extract<Write, { op: 'delete' }>): Record<string, unknown> {
  const { uid, resourceVersion, propagation, gracePeriodSeconds } = write;
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: propagation ?? 'Background',
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    preconditions: { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  };
}

function outcomeOf({ op, ref }: Write, response: KubeResponse): WriteOutcome {
  if (op === 'delete') return deletedOutcome(ref.kind, response);
  const isOver = op === 'patch' && isLeaving(response) && !isHeld(response);
  return isOver ? { ok: true, gone: true } : objectOutcome(ref.kind, response);
}

function objectOutcome(kind: Kind, response: KubeResponse): WriteOutcome {
  const object = prune(kind, response.body);
  return object === undefined ? noObject(kind, response) : { ok: true, object };
}

/** Success without an object is a proxy in between or a server that is none. */
const noObject = (kind: Kind, response: KubeResponse): Failure => ({
  ok: false,
  code: 'SERVER_ERROR',
  message: `the answer (${response.status}) to a request for a ${kind} held no object`,
});

/**
 * A DELETE is answered with a Status, or with the object: as it was before it went, or as it is
 * while it terminates.
 */
function deletedOutcome(kind: Kind, response: KubeResponse): WriteOutcome {
  if (object(response.body)['kind'] === 'Status') return { ok: true, gone: true };
  return isLeaving(response) && isHeld(response)
    ? objectOutcome(kind, response)
    : { ok: true, gone: true };
}

const metadataOf = (response: KubeResponse): Record<string, unknown> =>
  object(object(response.body)['metadata']);

const isLeaving = (response: KubeResponse): boolean =>
  metadataOf(response)['deletionTimestamp'] !== undefined;

/**
 * An object that is being deleted exists only while something holds it: a finalizer, a grace
 * period. A patch that takes the last finalizer off is answered with the object as it would have
 * been, under the version that it had before: nobody could tell by the version that it is over.
 */
function isHeld(response: KubeResponse): boolean {
  const { finalizers, deletionGracePeriodSeconds } = metadataOf(response);
  return list(finalizers).length > 0 || (numberOf(deletionGracePeriodSeconds) ?? 0) > 0;
}

/**
 * The first time an Event is created, later its count grows. When the two got out of step (the
 * Event expired after its hour, or an earlier process made it), the other request follows: the one
 * case of two requests.
 */
async function writeEvent(
  send: (request: KubeRequest) => Promise<WriteOutcome>,
  event: ClusterEvent,
): Promise<WriteOutcome> {
  const create = createEvent(event);
  const repeat = repeatEvent(event);
  const [first, second] = event.isWritten ? [repeat, create] : [create, repeat];
  const outcome = await send(first);
  if (outcome.ok) return outcome;
  const isOutOfStep = outcome.code === (first === create ? 'ALREADY_EXISTS' : 'NOT_FOUND');
  return isOutOfStep ? send(second) : outcome;
}

function createEvent(event: ClusterEvent): KubeRequest {
  const { regarding } = event;
  const { name, uid } = regarding;
  const apiVersion = regarding.apiVersion || kindRow(regarding.kind).apiVersion;
  const namespace = namespaceOf(event);
  const place = regarding.namespace === '' ? {} : { namespace };
  const involved = { apiVersion, kind: apiKind(regarding.kind), ...place, name, uid };
  return newEvent(namespace, involved, event);
}

/** The request for an Event about what is involved, which need not be of a kind of ours. */
export const newEvent = (
  namespace: string,
  involvedObject: Readonly<Record<string, unknown>>,
  event: Omit<ClusterEvent, 'regarding' | 'isWritten'>,
): KubeRequest => ({
  method: 'POST',
  path: eventPath(namespace),
  body: {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: event.name, namespace },
    involvedObject,
    type: event.severity,
    reason: event.reason,
    message: noteOf(event),
    source: { component: event.controller },
    reportingComponent: event.controller,
    reportingInstance: event.controller,
    count: event.count,
    firstTimestamp: rfc3339(event.firstAt),
    lastTimestamp: rfc3339(event.lastAt),
  },
});

const repeatEvent = (event: ClusterEvent): KubeRequest => ({
  method: 'PATCH',
  path: eventPath(namespaceOf(event), event.name),
  contentType: mergePatch,
  body: { count: event.count, lastTimestamp: rfc3339(event.lastAt), message: noteOf(event) },
});

/** The server takes Events about objects without a namespace in `default` alone. */
const namespaceOf = ({ regarding }: ClusterEvent): string => regarding.namespace || 'default';

const noteOf = (event: Pick<ClusterEvent, 'note'>): string =>
  event.note.length <= maxEventNoteLength
    ? event.note
    : `${event.note.slice(0, maxEventNoteLength - 1)}…`;
