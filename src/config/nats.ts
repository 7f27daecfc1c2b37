// The bus section of the configuration as the options of the NATS connection. Used where the bus is
// made, in src/controller/start.ts.
import type { natsOptions } from '#bus/nats/options.ts';
import type { Configuration } from './schema.ts';

/** What `natsOptions` fills up with its own defaults. */
export function natsSettings({
  servers,
  credentialsFile,
  tls,
  history,
}: Configuration['bus']): NonNullable<Parameters<typeof natsOptions>[0]> {
  const { caFile, certFile, keyFile, handshakeFirst } = tls;
  const { storage, maxBytes, maxAgeSeconds, replicas } = history;
  return {
    servers,
    auth:
      credentialsFile === undefined ? { type: 'none' } : { type: 'creds', file: credentialsFile },
    tls: tls.enabled
      ? {
          handshakeFirst,
          ...(caFile === undefined ? {} : { caFile }),
          ...(certFile === undefined ? {} : { certFile }),
          ...(keyFile === undefined ? {} : { keyFile }),
        }
      : null,
    history: history.enabled
      ? { storage, maxBytes, maxAgeMs: maxAgeSeconds * 1000, replicas }
      : null,
  };
}
