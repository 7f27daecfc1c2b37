// What a check of the conformance suite works with: a server behind a transport, a namespace of its
// own, and requests whose answers it can expect things of. Nothing here knows which server it is.
import { expect } from 'vitest';
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { systemClock } from '#src/time/clock.ts';

/** A server under test: the embedded cluster or a real control plane. */
export interface ConformanceServer {
  readonly transport: KubeTransport;
  /** A transport with this bearer token instead of the admin's credentials. */
  readonly withToken: (token: string) => KubeTransport;
  /** Forgets old versions, so that what was read before is too old; absent: it cannot. */
  readonly compact?: () => Promise<void>;
}

/** Thrown by a check that the server gives no means for; the check is skipped with the reason. */
export class CannotCheck extends Error {}

/** The name of a check is its sentence; a failure throws. */
export type Check = (session: Session) => Promise<void>;
export type Suite = Readonly<Record<string, Check>>;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** Where the objects of the suite's own CRD live. */
export const widgetGroup = 'conformance.coppice.dev';

const bases: Readonly<Record<string, string>> = {
  widgets: `/apis/${widgetGroup}/v1`,
  roles: '/apis/rbac.authorization.k8s.io/v1',
  rolebindings: '/apis/rbac.authorization.k8s.io/v1',
  resourceclaims: '/apis/resource.k8s.io/v1',
  resourceclaimtemplates: '/apis/resource.k8s.io/v1',
  networkpolicies: '/apis/networking.k8s.io/v1',
  leases: '/apis/coordination.k8s.io/v1',
  deployments: '/apis/apps/v1',
  daemonsets: '/apis/apps/v1',
  horizontalpodautoscalers: '/apis/autoscaling/v2',
};

const waitMs = 60_000;
const lookEveryMs = 20;

export class Session {
  readonly server: ConformanceServer;
  readonly namespace: string;

  constructor(server: ConformanceServer, namespace: string) {
    this.server = server;
    this.namespace = namespace;
  }

  /** Of Kubernetes 1.n, the n. */
  async minor(): Promise<number> {
    return Number(textAt(await this.get('/version'), 'minor'));
  }

  /** What the server says of a spec whose rule does not hold: up to 1.34 with its type. */
  async inItsWords(says: string): Promise<string> {
    const typed = 'spec: Invalid value: "object": ';
    return (await this.minor()) < 35 ? says.replace(/^spec: Invalid value: /, typed) : says;
  }

  /** The path of a kind in the namespace, or of one of its objects, or of a subresource. */
  path(plural: string, ...more: string[]): string {
    const base = bases[plural] ?? '/api/v1';
    return [`${base}/namespaces/${this.namespace}/${plural}`, ...more].join('/');
  }

  async send(
    method: Method,
    path: string,
    body?: unknown,
    more: { readonly contentType?: string; readonly accept?: string } = {},
  ): Promise<Answer> {
    const request = { method, path, ...more, ...(body === undefined ? {} : { body }) };
    const response = await this.server.transport.request(request);
    return { status: response.status, headers: response.headers, body: objectOf(response.body) };
  }

  /** Sends and expects success; the object in the answer. */
  async done(method: Method, path: string, body?: unknown, contentType?: string) {
    const more = contentType === undefined ? {} : { contentType };
    const answer = await this.send(method, path, body, more);
    if (answer.status >= 300) {
      throw new Error(`${method} ${path}: ${answer.status} ${textAt(answer.body, 'message')}`);
    }
    return answer.body;
  }

  get(path: string): Promise<JsonObject> {
    return this.done('GET', path);
  }

  create(path: string, body: JsonObject): Promise<JsonObject> {
    return this.done('POST', path, body);
  }

  patch(path: string, type: keyof typeof patchTypes, body: unknown): Promise<JsonObject> {
    return this.done('PATCH', path, body, patchTypes[type]);
  }

  tryPatch(path: string, type: keyof typeof patchTypes, body: unknown): Promise<Answer> {
    return this.send('PATCH', path, body, { contentType: patchTypes[type] });
  }

  configMap(name: string, more: JsonObject = {}, metadata: JsonObject = {}): Promise<JsonObject> {
    return this.create(this.path('configmaps'), configMap(name, more, metadata));
  }

  /** A pod that no scheduler takes, unless `spec` says otherwise. */
  pod(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): Promise<JsonObject> {
    return this.create(this.path('pods'), pod(name, spec, metadata));
  }

  widget(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): Promise<JsonObject> {
    return this.create(this.path('widgets'), widget(name, spec, metadata));
  }

  async exists(path: string): Promise<boolean> {
    return (await this.send('GET', path)).status === 200;
  }

  async list(path: string): Promise<JsonObject[]> {
    return objectsAt(await this.get(path), 'items');
  }

  /** Makes what was read before too old. Throws CannotCheck where the server cannot be told to. */
  async compact(): Promise<void> {
    if (this.server.compact === undefined) throw new CannotCheck('it forgets in its own time');
    await this.server.compact();
  }

  /** Asks again and again; fails with the words after 15 seconds. */
  async eventually(what: string, claim: () => Promise<boolean>): Promise<void> {
    for (let waited = 0; waited < waitMs; waited += lookEveryMs) {
      if (await claim()) return;
      const at = systemClock.now() + lookEveryMs;
      await new Promise<void>((resolve) => systemClock.at(at, resolve));
    }
    throw new Error(`not after ${waitMs} ms: ${what}`);
  }

  eventuallyGone(path: string): Promise<void> {
    return this.eventually(`${path} is gone`, async () => !(await this.exists(path)));
  }
}

/** Some documents are JSON that does not say so. */
function objectOf(body: unknown): JsonObject {
  const value: unknown = typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : body;
  return isObject(value) ? value : { text: String(body) };
}

/** Expects a refusal: code, reason, and a part of the message. */
export function expectRefusal(
  answer: Answer,
  code: number,
  reason: string,
  message: string | RegExp = '',
): void {
  expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', code });
  expect([answer.status, textAt(answer.body, 'reason')]).toEqual([code, reason]);
  expect(textAt(answer.body, 'message')).toMatch(message);
}

export const configMap = (
  name: string,
  more: JsonObject = {},
  metadata: JsonObject = {},
): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  ...more,
});

export const pod = (
  name: string,
  spec: JsonObject = {},
  metadata: JsonObject = {},
): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: {
    containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }],
    schedulerName: 'nobody',
    ...spec,
  },
});

export const widget = (
  name: string,
  spec: JsonObject = {},
  metadata: JsonObject = {},
): JsonObject => ({
  apiVersion: `${widgetGroup}/v1`,
  kind: 'Widget',
  metadata: { name, ...metadata },
  spec: { size: 1, ...spec },
});

export const metaOf = (object: JsonObject): JsonObject => objectAt(object, 'metadata') ?? {};
export const versionOf = (object: JsonObject): string => textAt(metaOf(object), 'resourceVersion');
export const uidOf = (object: JsonObject): string => textAt(metaOf(object), 'uid');
export const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};
export const namesOf = (objects: readonly JsonObject[]): string[] =>
  objects.map((object) => textAt(metaOf(object), 'name')).toSorted();
