// The bus section of the configuration as the options of the NATS connection. Used where the bus is
// made, in src/controller/start.ts.
import type { NatsAuth, natsOptions } from '#bus/nats/options.ts';
import type { Configuration } from './schema.ts';

/** What `natsOptions` fills up with its own defaults. */
export function natsSettings({
  servers,
  inboxPrefix,
  traceparent,
  tls,
  history,
  ...access
}: Configuration['bus']): NonNullable<Parameters<typeof natsOptions>[0]> {
  const { caFile, certFile, keyFile, handshakeFirst } = tls;
  const { storage, maxBytes, maxAgeSeconds, maxMessagesPerSubject, replicas } = history;
  return {
    servers,
    inboxPrefix,
    traceparent,
    auth: authOf(access),
    tls: tls.enabled
      ? {
          handshakeFirst,
          ...(caFile === undefined ? {} : { caFile }),
          ...(certFile === undefined ? {} : { certFile }),
          ...(keyFile === undefined ? {} : { keyFile }),
        }
      : null,
    history: history.enabled
      ? { storage, maxBytes, maxAgeMs: maxAgeSeconds * 1000, maxMessagesPerSubject, replicas }
      : null,
  };
}

/** Decoding has seen to it that there is one at most. */
function authOf({
  credentialsFile,
  nkeySeedFile,
  tokenFile,
  passwordFile,
  user,
}: Access): NatsAuth {
  if (credentialsFile !== undefined) return { type: 'creds', file: credentialsFile };
  if (nkeySeedFile !== undefined) return { type: 'nkey', file: nkeySeedFile };
  if (tokenFile !== undefined) return { type: 'token', file: tokenFile };
  const isNamed = passwordFile !== undefined && user !== undefined;
  return isNamed ? { type: 'user', user, file: passwordFile } : { type: 'none' };
}

type Access = Pick<
  Configuration['bus'],
  'credentialsFile' | 'nkeySeedFile' | 'tokenFile' | 'passwordFile' | 'user'
>;
