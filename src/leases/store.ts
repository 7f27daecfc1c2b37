// The store of the lease protocol on an API server. Every request has a time in which it must be
// answered, so that one that hangs keeps no renewal from being tried again. Made by leases.ts on a
// transport of its own: renewals stand in no queue behind other requests.
import type { Clock } from '#actors/ports.ts';
import type { LeaseStore, StoreOutcome, StoreSink } from '#actors/shards/lease/records.ts';
import { failureOf, isSuccess, unreachable } from '#src/kube/errors.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from '#src/kube/transport/transport.ts';
import { Following } from './follow.ts';
import {
  leaseBody,
  leasePatch,
  leaseSelector,
  memberLeaseName,
  nameOf,
  readLease,
} from './objects.ts';
import type { Stamp } from './objects.ts';

export interface StoreOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly namespace: string;
  readonly durationSeconds: number;
  /** A request without an answer by then is given up. */
  readonly timeoutMs: number;
}

export function leaseStore(options: StoreOptions): LeaseStore {
  const { clock, namespace, durationSeconds } = options;
  const base = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
  const pathOf = (name: string): string => `${base}/${encodeURIComponent(name)}`;
  const stamp = (): Stamp => ({ namespace, durationSeconds, now: clock.now() });
  const send = (request: KubeRequest): Promise<StoreOutcome> => write(options, request);
  return {
    create: (draft) => send({ method: 'POST', path: base, body: leaseBody(draft, stamp()) }),
    update: (draft, of) =>
      send({
        method: 'PATCH',
        path: pathOf(nameOf(draft)),
        contentType: 'application/merge-patch+json',
        body: leasePatch(draft, stamp(), of),
      }),
    readMember: (member) => send({ method: 'GET', path: pathOf(memberLeaseName(member)) }),
    remove: async (member, { uid, version }) => {
      const preconditions = { uid, ...(version === undefined ? {} : { resourceVersion: version }) };
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
      const path = pathOf(memberLeaseName(member));
      const outcome = await send({ method: 'DELETE', path, body });
      // The answer to a DELETE is a Status; what was deleted is known from the preconditions.
      const record = { member, uid, version: version ?? '', joinedAt: 0, leaving: true } as const;
      return !outcome.ok && outcome.message === noLease
        ? { ok: true, record: { type: 'member', ...record } }
        : outcome;
    },
    follow: (sink: StoreSink) =>
      new Following(`${base}?labelSelector=${encodeURIComponent(leaseSelector)}`, sink, {
        ...options,
        request: (request) => answerTo(options, request),
      }),
  };
}

const noLease = 'the answer holds no lease';

async function write(options: StoreOptions, request: KubeRequest): Promise<StoreOutcome> {
  try {
    const response = await answerTo(options, request);
    if (!isSuccess(response)) return refusal(response);
    const record = readLease(response.body);
    return record === undefined
      ? { ok: false, why: 'unknown', message: noLease }
      : { ok: true, record };
  } catch (error) {
    return { ok: false, why: 'unknown', message: unreachable(error).message };
  }
}

/** Rejects when there is no answer in time. The request may still be carried out. */
async function answerTo(
  { transport, clock, timeoutMs }: StoreOptions,
  request: KubeRequest,
): Promise<KubeResponse> {
  const abort = new AbortController();
  let cancel = (): void => undefined;
  const late = new Promise<never>((_, reject) => {
    cancel = clock.at(clock.now() + timeoutMs, () => {
      // After a blocked loop timers come first: an answer that is there already shall count.
      clock.soon(() => {
        const error = new Error(`no answer within ${timeoutMs} ms`);
        abort.abort(error);
        reject(error);
      });
    });
  });
  try {
    return await Promise.race([transport.request({ ...request, signal: abort.signal }), late]);
  } finally {
    cancel();
  }
}

/** 4xx was not carried out; of 5xx and 408 nobody knows. */
function refusal(response: KubeResponse): StoreOutcome {
  const { code, message } = failureOf(response);
  if (code === 'CONFLICT' || code === 'ALREADY_EXISTS') {
    return { ok: false, why: 'changed', message };
  }
  if (code === 'NOT_FOUND') return { ok: false, why: 'gone', message };
  return { ok: false, why: code === 'SERVER_ERROR' ? 'unknown' : 'refused', message };
}
