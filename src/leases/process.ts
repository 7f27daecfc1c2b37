// What a process needs to share its work with others, in one piece: its leases on a connection of
// their own, what `/livez` and `/readyz` ask of them, and their end. Made by the composition root
// (src/controller/start.ts) when `leases.enabled`.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock, Telemetry } from '#actors/ports.ts';
import type { LeaseKeeper } from '#actors/shards/lease/keeper.ts';
import type { Configuration } from '#src/config/schema.ts';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import { httpTransport } from '#src/kube/transport/http.ts';
import { type LeaseChecks, leaseChecks } from './checks.ts';
import { createLeases } from './leases.ts';

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
}

/** Undefined where the configuration has no leases: then this process owns everything. */
export function processLeases(options: Options): ProcessLeases | undefined {
  const { configuration, connection, clock, log, version, address } = options;
  if (!configuration.leases.enabled) return undefined;
  const timeoutMs = configuration.leases.retrySeconds * 1000;
  const transport = httpTransport(connection, {
    userAgent: `coppice-controller/${version} leases`,
    connectTimeoutMs: timeoutMs,
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
  });
  return {
    keeper,
    ...leaseChecks(() => keeper.state(), configuration.leases.durationSeconds),
    leave: async () => {
      await keeper.leave();
      await transport.close();
    },
  };
}
