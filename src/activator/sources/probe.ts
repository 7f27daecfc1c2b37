// Asks pods whether they take requests, and who they are (spec activator 1.11 and 2.11): Knative's
// queue-proxy in its own words, any other server by an HTTP path, or nobody where Kubernetes alone
// is believed. Connections are those of the request path, so the first request finds one open.
import type { ActorKey } from '#machines/contract/address.ts';
import type { ValidationAnswer } from '#machines/activator/plane.ts';
import type { Probe } from '../validations.ts';
import { Places } from './places.ts';

/** How the pods of a revision are asked. */
export type PodQuestion =
  /** As Knative asks its queue-proxy. */
  | { readonly how: 'queue-proxy' }
  /** Any answer from 200 to 399 is a yes, as for the kubelet. */
  | { readonly how: 'path'; readonly path: string }
  /** Kubernetes has called it ready, which is enough. */
  | { readonly how: 'believe' };

interface PodReply {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Sends a GET over the connections of the request path. Reads the answer to its end. */
export interface PodAsker {
  probe(
    dest: string,
    request: {
      readonly path: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly signal: AbortSignal;
    },
  ): Promise<PodReply>;
}

export interface ProbeLimits {
  /** Several fit between two that the user of a pod would notice (H-53). */
  readonly timeoutMs: number;
  /** Over all revisions, which take turns. */
  readonly atOnce: number;
}

const probeLimits: ProbeLimits = { timeoutMs: 300, atOnce: 64 };

export interface ProbeOptions {
  readonly asker: PodAsker;
  readonly questionOf: (revision: ActorKey) => PodQuestion;
  /** `K-Passthrough-Lb` and a Host, as the requests have them (H-60). */
  readonly isPassthrough?: boolean;
  readonly limits?: Partial<ProbeLimits>;
}

const userAgent = 'Knative-Activator-Probe';
/** What the queue-proxy is asked for, and what it answers. */
const queue = 'queue';
/** With the UID of the pod: our own addition, for servers that know it. */
const identity = 'coppice-pod-uid';

export function podProbe({ asker, questionOf, isPassthrough, limits }: ProbeOptions): Probe {
  const { timeoutMs, atOnce } = { ...probeLimits, ...limits };
  const places = new Places(atOnce);
  return async ({ revision, dest }, signal) => {
    const question = questionOf(revision);
    if (question.how === 'believe') return { isOk: true, id: undefined };
    const leave = await places.enter(`${revision.namespace}/${revision.name}`, signal);
    try {
      const headers = {
        'user-agent': userAgent,
        ...(question.how === 'path' ? {} : { 'k-network-probe': queue }),
        ...(isPassthrough === true ? passedThrough(revision) : {}),
      };
      const path = question.how === 'path' ? question.path : '/healthz';
      const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      return judged(question, await asker.probe(dest, { path, headers, signal: until }));
    } finally {
      leave();
    }
  };
}

/** Only the sidecar may answer for a pod of Knative: not another activator, nor a mesh (H-63). */
function judged({ how }: PodQuestion, { status, body, headers }: PodReply): ValidationAnswer {
  const isOk = how === 'path' ? status >= 200 && status < 400 : status === 200 && body === queue;
  const said = headers[identity];
  return { isOk, id: typeof said === 'string' && said !== '' ? said : undefined };
}

const passedThrough = ({ namespace, name }: ActorKey) => ({
  host: `${name}-private.${namespace}`,
  'k-passthrough-lb': 'true',
});
