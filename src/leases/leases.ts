// The leases of one process, put together from the configuration: a transport of their own, the
// store on it and the keeper of the protocol. Made by the composition root
// (src/controller/start.ts).
import type { Clock, Telemetry } from '#actors/ports.ts';
import { LeaseKeeper } from '#actors/shards/lease/keeper.ts';
import { termsOf } from '#actors/shards/lease/terms.ts';
import type { Configuration } from '#src/config/schema.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { leaseStore } from './store.ts';

export interface LeasesOptions {
  readonly configuration: Pick<Configuration, 'leases' | 'shards'>;
  /** Where the configuration names none. */
  readonly namespace: string;
  /** Used for nothing else. */
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly log: Telemetry['log'];
  /** Name of the host or pod, where the configuration names no identity. */
  readonly host: string;
  /** A few letters and digits that no process had before. */
  readonly unique: () => string;
  /** Where this process answers questions of others; absent or undefined: nowhere. */
  readonly address?: () => string | undefined;
}

/** Does nothing before `start`. */
export function createLeases(options: LeasesOptions): LeaseKeeper {
  const { configuration, transport, clock, log } = options;
  const { leases, shards } = configuration;
  const { namespace = options.namespace, identity, durationSeconds } = leases;
  const terms = termsOf(leases, shards);
  const timeoutMs = terms.retryMs;
  const name = leaseNamePart(identity ?? options.host);
  return new LeaseKeeper(terms, {
    store: leaseStore({ transport, clock, namespace, durationSeconds, timeoutMs }),
    clock,
    log,
    newMember: () => `${name}-${options.unique()}`,
    address: options.address,
  });
}

/** Host names may hold what names of objects may not, and be longer. */
const leaseNamePart = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 200) || 'process';
