// What admission looks up in the cluster, read by name at the moment it is needed: a cache could
// be older than the binding or queue that was created a moment ago. Every lookup is bounded in
// time, and a failure is a value.
import type { Clock } from '#actors/ports.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { failureOf, isSuccess, unreachable } from '#src/kube/errors.ts';
import type { KubeResponse, KubeTransport } from '#src/kube/transport/transport.ts';
import type { FoundSet } from './authorize.ts';
import { volcanoQueueOf } from './backend/volcano.ts';
import type { Found, FoundBinding, FoundQueue, Looked } from './situation.ts';
import { lookupMs } from './limits.ts';
import { resolve } from './topology/constraint.ts';
import { isRepair } from './topology/update.ts';
import type { SetSubject } from './view.ts';

export interface Lookups {
  binding(name: string): Promise<FoundBinding>;
  queue(name: string): Promise<FoundQueue>;
  set(namespace: string, name: string): Promise<FoundSet>;
}

export function clusterLookups(transport: KubeTransport, clock: Clock): Lookups {
  const get = <There>(path: string, read: (body: unknown) => There) =>
    look(() => bounded(transport, clock, path), read);
  return {
    binding: (name) =>
      get(
        `/apis/grove.io/v1alpha1/clustertopologybindings/${encodeURIComponent(name)}`,
        (body) => ({
          domains: list(at(body, 'spec', 'levels')).map((level) => text(at(level, 'domain'))),
        }),
      ),
    queue: (name) =>
      get(`/apis/scheduling.volcano.sh/v1beta1/queues/${encodeURIComponent(name)}`, (body) => ({
        state: text(at(body, 'status', 'state')),
      })),
    set: (namespace, name) =>
      get(
        `/apis/grove.io/v1alpha1/namespaces/${encodeURIComponent(namespace)}` +
          `/podcliquesets/${encodeURIComponent(name)}`,
        (body) => ({ annotations: at(body, 'metadata', 'annotations') }),
      ),
  };
}

async function look<There>(
  ask: () => Promise<KubeResponse>,
  read: (body: unknown) => There,
): Promise<Looked<There>> {
  try {
    const response = await ask();
    if (isSuccess(response)) return { is: 'there', ...read(response.body) };
    if (response.status === 404) return { is: 'missing' };
    return { is: 'unknown', why: failureOf(response).message };
  } catch (error) {
    return { is: 'unknown', why: unreachable(error).message };
  }
}

async function bounded(
  transport: KubeTransport,
  clock: Clock,
  path: string,
): Promise<KubeResponse> {
  const abort = new AbortController();
  const cancel = clock.at(clock.now() + lookupMs, () =>
    abort.abort(new Error(`no answer within ${lookupMs} ms`)),
  );
  try {
    return await transport.request({ method: 'GET', path, signal: abort.signal });
  } finally {
    cancel();
  }
}

/** Everything that the rules of a set will ask for. */
export async function gather(subject: Omit<SetSubject, 'found'>, lookups: Lookups): Promise<Found> {
  const topology = topologyToFind(subject);
  const queue = volcanoQueueOf(subject);
  const [binding, found] = await Promise.all([
    topology === undefined ? undefined : lookups.binding(topology),
    queue === undefined ? undefined : lookups.queue(queue),
  ]);
  return {
    ...(topology === undefined || binding === undefined
      ? {}
      : { bindings: { [topology]: binding } }),
    ...(queue === undefined || found === undefined ? {} : { queues: { [queue]: found } }),
  };
}

/** Domains are judged at creation, and at the repair of an old set. */
function topologyToFind({ set, old, settings }: Omit<SetSubject, 'found'>): string | undefined {
  const isNew = old === undefined || isRepair({ set, old });
  return settings.topologyAware && isNew ? resolve(set).topology : undefined;
}
