// The simulated controllers' way to the API server: requests with answers as values, so that each
// loop can decide by status what happens next. Used by every controller of this folder.
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest, KubeTransport } from '#src/kube/transport/transport.ts';

export interface Answer {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly body: JsonObject;
}

export const isOk = (answer: Answer): boolean => answer.status >= 200 && answer.status < 300;

/** An answer that another attempt cannot change: the object is gone, changed or refused. */
export const isFinal = (answer: Answer): boolean =>
  answer.status >= 400 && answer.status < 500 && answer.status !== 429;

/** Thrown to have a work queue try again later. */
export class RetryLater extends Error {
  constructor(what: string, answer: Answer) {
    super(`${what}: ${answer.status} ${textAt(answer.body, 'message')}`);
    this.name = 'RetryLater';
  }
}

/** Throws RetryLater unless the answer is good or final. */
export function orRetryLater(what: string, answer: Answer): Answer {
  if (isOk(answer) || isFinal(answer)) return answer;
  throw new RetryLater(what, answer);
}

/** Throws RetryLater unless the answer is good or there is nothing to be written to. */
export function okOrGone(what: string, answer: Answer): Answer {
  if (isOk(answer) || answer.status === 404) return answer;
  throw new RetryLater(what, answer);
}

export class KubeClient {
  readonly transport: KubeTransport;
  #inFlight = 0;

  constructor(transport: KubeTransport) {
    this.transport = transport;
  }

  /** Requests that have no answer yet. */
  get inFlight(): number {
    return this.#inFlight;
  }

  async send(request: KubeRequest): Promise<Answer> {
    this.#inFlight++;
    try {
      const { status, body } = await this.transport.request(request);
      return { status, body: isObject(body) ? body : {} };
    } catch (error) {
      return { status: 0, body: { message: String(error) } };
    } finally {
      this.#inFlight--;
    }
  }

  get(path: string): Promise<Answer> {
    return this.send({ method: 'GET', path });
  }

  create(path: string, body: JsonObject): Promise<Answer> {
    return this.send({ method: 'POST', path, body });
  }

  replace(path: string, body: JsonObject): Promise<Answer> {
    return this.send({ method: 'PUT', path, body });
  }

  mergePatch(path: string, body: JsonObject): Promise<Answer> {
    return this.send({
      method: 'PATCH',
      path,
      contentType: 'application/merge-patch+json',
      body,
    });
  }

  /** Merges lists by their keys: conditions by type, ports by number. Built-in kinds only. */
  strategicPatch(path: string, body: JsonObject): Promise<Answer> {
    return this.send({
      method: 'PATCH',
      path,
      contentType: 'application/strategic-merge-patch+json',
      body,
    });
  }

  /** DELETE with the UID as precondition, so that a namesake is never hit. */
  remove(path: string, uid: string, options: JsonObject = {}): Promise<Answer> {
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid }, ...options };
    return this.send({ method: 'DELETE', path, body });
  }
}

/** Narrows an object as it came over the wire; undefined where it has no metadata. */
export function asStored(value: unknown): Stored | undefined {
  if (!isObject(value) || !isObject(value['metadata'])) return undefined;
  return { ...value, metadata: value['metadata'] };
}

export const nameOf = (object: Stored): string => textAt(object.metadata, 'name');
export const namespaceOf = (object: Stored): string => textAt(object.metadata, 'namespace');
export const uidOf = (object: Stored): string => textAt(object.metadata, 'uid');
export const isTerminating = (object: Stored): boolean =>
  textAt(object.metadata, 'deletionTimestamp') !== '';

/** The node of a pod; empty where it is not bound. */
export const nodeOf = (pod: Stored): string => textAt(objectAt(pod, 'spec'), 'nodeName');

/** `namespace/name`. */
export const keyOf = (object: Stored): string => `${namespaceOf(object)}/${nameOf(object)}`;
