// The leases of one process, put together from the configuration: a transport of their own, the
// store on it and the keeper of the protocol; what `/livez` and `/readyz` ask of them, and their
// end. Made by the composition root (src/controller/start.ts) when `leases.enabled`.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock, Telemetry } from '#actors/ports.ts';
import { LeaseKeeper, type KeeperState } from '#actors/shards/lease/keeper.ts';
import { termsOf } from '#actors/shards/lease/terms.ts';
import type { Configuration } from '#src/config/schema.ts';
import type { Check } from '#src/http/probes.ts';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import { httpTransport } from '#src/kube/transport/http.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { leaseStore } from './store.ts';

export interface ProcessLeases extends LeaseChecks {
  readonly keeper: LeaseKeeper;
  /** Hands the shards over, bounded in time, and closes the connection. */
  leave(): Promise<void>;
}

interface Options {
  readonly configuration: Configuration;
  readonly connection: KubeConnection;
  readonly clock: Clock;
  readonly log: { readonly line: Telemetry['log'] };
  readonly version: string;
  /** Where this process answers questions of others, as soon as it does. */
  readonly address: () => string | undefined;
  /** As of KeeperPorts. */
  readonly lost: () => void;
}

/** Undefined where the configuration has no leases: then this process owns everything. */
export function processLeases(options: Options): ProcessLeases | undefined {
  const { configuration, connection, clock, log, version, address, lost } = options;
  if (!configuration.leases.enabled) return undefined;
  const { leases, shards } = configuration;
  const transport = httpTransport(connection, {
    userAgent: `coppice-controller/${version} leases`,
    connectTimeoutMs: termsOf(leases, shards).retryMs,
    sockets: 4,
  });
  const keeper = createLeases({
    configuration,
    namespace: connection.namespace,
    transport,
    clock,
    log: log.line,
    host: hostname(),
    unique: () => randomBytes(4).toString('hex'),
    address,
    lost,
  });
  return {
    keeper,
    ...leaseChecks(() => keeper.state(), leases.durationSeconds),
    leave: async () => {
      await keeper.leave();
      await transport.close();
    },
  };
}

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
  /** As of KeeperPorts. */
  readonly lost?: () => void;
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
    lost: options.lost,
  });
}

/** Host names may hold what names of objects may not, and be longer. */
const leaseNamePart = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 200) || 'process';

export interface LeaseChecks {
  /** Fails when renewals are not even tried any more. */
  readonly live: Check;
  /** Passes while this process is a member, as far as it can know: one that could not renew for as
   *  long as a lease lasts may be taken for dead. */
  readonly ready: Check;
}

/** An API server that is away is no reason to restart a process: it would find the same server
 *  away. */
export function leaseChecks(
  state: () => Pick<KeeperState, 'isMember' | 'problem' | 'sinceAttemptMs' | 'sinceRenewalMs'>,
  durationSeconds: number,
): LeaseChecks {
  return {
    live: {
      name: 'leases',
      run: () => {
        const { sinceAttemptMs = 0 } = state();
        if (sinceAttemptMs < durationSeconds * 1000) return undefined;
        return `no renewal was tried for ${Math.round(sinceAttemptMs / 1000)} s`;
      },
    },
    ready: {
      name: 'leases',
      run: () => {
        const { isMember, problem, sinceRenewalMs = 0 } = state();
        const why = problem === '' ? '' : `: ${problem}`;
        if (!isMember) return `is no member yet${why}`;
        if (sinceRenewalMs < durationSeconds * 1000) return undefined;
        return `could not renew its lease for ${Math.round(sinceRenewalMs / 1000)} s${why}`;
      },
    },
  };
}
