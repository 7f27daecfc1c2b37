// HTTPS servers whose certificate can be replaced while they run: open connections go on, new ones
// get the new one. Used by the admission webhooks and by the questions about actors.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Issued } from '#src/tls/authority.ts';
import { Connections, serverOptions } from './connections.ts';
import type { ServerLimits } from './limits.ts';
import { listen, type ListenOptions } from './server.ts';

export interface SecureServer {
  readonly port: number;
  /** From now on; throws where certificate and key do not belong together. */
  present(identity: Issued): void;
  /** Answers what is under way, and frees the port. */
  close(): Promise<void>;
}

export interface SecureOptions extends ListenOptions {
  readonly identity: Issued;
  readonly limits: ServerLimits;
  readonly closeTimeoutMs: number;
}

/** Rejects with ListenError where the port cannot be had. */
export async function serveSecurely(
  { identity, limits, closeTimeoutMs, ...where }: SecureOptions,
  respond: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<SecureServer> {
  const secureOf = ({ cert, key }: Issued) => ({ cert, key, minVersion: 'TLSv1.2' }) as const;
  const server = createServer(
    {
      ...serverOptions(limits),
      ...secureOf(identity),
      handshakeTimeout: limits.handshakeMs,
    },
    (request, response) => void respond(request, response),
  );
  const connections = new Connections(server, limits);
  // Whoever speaks no TLS, or trusts another authority, is told by the handshake.
  server.on('tlsClientError', (_, socket) => socket.destroy());
  const port = await listen(server, where);
  return {
    port,
    present: (next) => server.setSecureContext(secureOf(next)),
    close: () => connections.drain(server, closeTimeoutMs),
  };
}
