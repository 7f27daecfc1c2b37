// Do processes renew their leases, does every shard have an owner among them, do all agree on the
// number of shards, and do their clocks agree with the API server's?
import { at, list, object, text } from '#machines/kubernetes/json.ts';
import { epoch } from '#machines/kubernetes/time.ts';
import { failureOf, isSuccess } from '#src/kube/errors.ts';
import { leaseSelector, readLease } from '#src/leases/objects.ts';
import { type Check, fine, type Finding, found, notLooked, read } from './finding.ts';

/** Clocks that differ by more spoil ages, deadlines and certificates. */
export const mostSkewMs = 5_000;

export const leasesCheck: Check = {
  title: 'leases and shards',
  run: async (installation) => {
    const { transport, configured, namespace: own } = installation;
    const { leases, shards } = configured.configuration;
    if (!leases.enabled) return fine;
    const namespace = leases.namespace ?? own;
    const path = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
    const query = new URLSearchParams({ labelSelector: leaseSelector }).toString();
    const response = await read(transport, `${path}?${query}`);
    if (!isSuccess(response)) return notLooked(`leases: ${failureOf(response).message}`);
    const now = Date.parse(response.headers['date'] ?? '') || installation.clock.now();
    return found(...judge(list(at(response.body, 'items')), { ...leases, now, shards, namespace }));
  },
};

interface Terms {
  /** Of the API server. */
  readonly now: number;
  readonly shards: number;
  readonly namespace: string;
  readonly durationSeconds: number;
}

function judge(items: readonly unknown[], terms: Terms): readonly Finding[] {
  const { now, durationSeconds, namespace, shards } = terms;
  const members = items.filter((item) => readLease(item)?.type === 'member');
  const ages = members.map((item) => ({
    name: text(at(item, 'spec', 'holderIdentity')),
    ageMs: now - (epoch(at(item, 'spec', 'renewTime')) ?? 0),
  }));
  const ahead = ages.find(({ ageMs }) => -ageMs > mostSkewMs);
  const alive = ages.filter(({ ageMs }) => ageMs <= durationSeconds * 1000);
  const skew = ahead === undefined ? [] : [skewed(ahead.name, -ahead.ageMs)];
  const [last] = ages.toSorted((a, b) => a.ageMs - b.ageMs);
  if (last === undefined || alive.length === 0) return [...skew, ended(last, namespace)];
  const owned = items.flatMap((item) => {
    const lease = readLease(item);
    return lease?.type === 'shard' ? [lease] : [];
  });
  const names = new Set(alive.map(({ name }) => name));
  const without = Array.from({ length: shards }, (_, shard) => shard).filter(
    (shard) => !owned.some((one) => one.shard === shard && names.has(one.holder)),
  );
  const beyond = owned.filter(({ shard, holder }) => shard >= shards && names.has(holder));
  return [
    ...skew,
    ...(without.length === 0 ? [] : [unowned(without)]),
    ...(beyond.length === 0
      ? []
      : [
          differing(
            beyond.map(({ shard }) => shard),
            shards,
          ),
        ]),
  ];
}

const ended = (
  last: { readonly name: string; readonly ageMs: number } | undefined,
  namespace: string,
): Finding => ({
  code: 'lease-expired',
  what:
    last === undefined
      ? `no process has a lease in namespace ${namespace}, so nobody works`
      : `no lease in namespace ${namespace} is renewed any more; the last was that of ${last.name}, ` +
        `${Math.round(last.ageMs / 1000)} s ago`,
  hint: 'look at the log of the controller: it may not reach the API server, or not write leases',
});

const skewed = (name: string, ms: number): Finding => ({
  code: 'clock-skew',
  what: `the clock of ${name} is ${Math.round(ms / 1000)} s ahead of the API server's`,
  hint: 'let both nodes follow the same time server (chrony, systemd-timesyncd)',
});

const unowned = (shards: readonly number[]): Finding => ({
  code: 'shard-unowned',
  what: `nobody who lives owns ${shards.length === 1 ? 'shard' : 'shards'} ${shards.join(', ')}`,
  hint: 'a take-over takes up to leases.durationSeconds; if it stays so, restart the controller',
});

const differing = (shards: readonly number[], wanted: number): Finding => ({
  code: 'shards-differ',
  what: `shard ${shards.join(', ')} is owned, but the configuration says ${wanted} shards`,
  hint: 'all replicas need the same number: end those of the other configuration, then start anew',
});

export const clocksCheck: Check = {
  title: 'clocks',
  run: async ({ transport, clock }) => {
    const begun = clock.now();
    const response = await read(transport, '/version');
    const server = Date.parse(object(response.headers)['date']?.toString() ?? '');
    if (Number.isNaN(server)) return notLooked('the API server does not say what time it is');
    // The header has whole seconds, and the answer took its time.
    const [least, most] = [begun - server - 1000, clock.now() - server];
    const skew = least > 0 ? least : most < 0 ? -most : 0;
    if (skew <= mostSkewMs) return fine;
    const direction = least > 0 ? 'ahead of' : 'behind';
    return found({
      code: 'clock-skew',
      what: `the clock of this machine is ${Math.round(skew / 1000)} s ${direction} the API server's`,
      hint: 'let it follow a time server: ages, deadlines and certificates are judged by it',
    });
  },
};
