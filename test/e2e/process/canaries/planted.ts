// The secrets that are planted, one for each place where Coppice meets one, and how long a process
// may have each in its heap.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { setBody } from '#test/support/workload.ts';

/** `never`: after the request in which it came. `object`: it is in the spec of an object that the
 *  process works on, and goes with it. `process`: the process proves itself by it, or serves with
 *  it, and cannot work without. */
type HeldFor = 'never' | 'object' | 'process';

export interface Canary {
  /** Where it was planted. */
  readonly place: string;
  readonly text: string;
  readonly heldFor: HeldFor;
}

const own = (place: string): string => `hunter2-${place.replaceAll(/\W/g, '-')}-c4n4ry`;

/** In objects of users, known before anything runs. */
export const texts = {
  environment: own('environment'),
  argument: own('argument'),
  annotation: own('annotation'),
  lastApplied: own('last-applied'),
  secret: own('secret'),
  refusal: own('refusal'),
  review: own('review'),
  stranger: own('stranger'),
  reason: own('reason'),
  nats: own('nats'),
} as const;

export const canary = (place: string, text: string, heldFor: HeldFor): Canary => ({
  place,
  text,
  heldFor,
});

export const planted: readonly Canary[] = [
  canary('an environment variable of a pod', texts.environment, 'object'),
  canary('an argument of a container', texts.argument, 'object'),
  canary('an annotation', texts.annotation, 'object'),
  canary('the annotation of kubectl apply', texts.lastApplied, 'never'),
  canary('a Secret of the namespace', texts.secret, 'never'),
  canary('an answer of the API server', texts.refusal, 'object'),
  canary('a review of a webhook', texts.review, 'never'),
  canary('a reason that somebody gave', texts.reason, 'never'),
  canary('a token that is not valid', texts.stranger, 'never'),
  canary('the token of NATS', texts.nats, 'process'),
];

/** As they are, and as Secrets hold them. */
export const formsOf = ({ text }: Canary): readonly string[] => [
  text,
  Buffer.from(text).toString('base64'),
];

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Has pods that come up, and everything in which users keep secrets. */
export function openSet(): JsonObject {
  const env = [{ name: 'HF_TOKEN', value: texts.environment }];
  const args = [`--password=${texts.argument}`];
  const podSpec = { containers: [{ name: 'main', image: 'busybox:1', env, args }] };
  const set = setBody({ name: 'open', replicas: 1, cliques: [{ name: 'worker', podSpec }] });
  const applied = { metadata: { annotations: { token: texts.lastApplied } } };
  const annotations = {
    'example.com/api-token': texts.annotation,
    [lastApplied]: JSON.stringify(applied),
  };
  return { ...set, metadata: { name: 'open', annotations } };
}

const refusedAs = (name: string, restartPolicy: string): JsonObject => {
  const containers = [{ name: 'main', image: 'busybox:1' }];
  const podSpec = { restartPolicy, containers };
  return setBody({ name, replicas: 1, cliques: [{ name: 'worker', podSpec }] });
};

/** Its pods are refused, and the refusal quotes them. */
export const refusedSet = (): JsonObject => refusedAs('refused', `token=${texts.refusal}`);

/** Without a secret: charts remember the last object that they have judged, and then it is one of
 *  these. */
export const plainSets = (): readonly JsonObject[] => [
  refusedAs('plain-refused', 'Sometimes'),
  setBody({ name: 'plain', replicas: 1 }),
];

/** The webhook refuses it. */
export function invalidSet(): JsonObject {
  const env = [{ name: 'PASSWORD', value: texts.review }];
  const podSpec = { nodeName: 'n', containers: [{ name: 'main', image: 'busybox:1', env }] };
  return setBody({ name: 'invalid', replicas: 1, cliques: [{ name: 'worker', podSpec }] });
}

export const userSecret: JsonObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'of-a-user' },
  stringData: { password: texts.secret },
};
