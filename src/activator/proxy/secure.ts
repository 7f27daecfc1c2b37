// HTTP/1.1 and HTTP/2 over TLS, with a certificate from files that somebody else writes; each
// change of them is presented to new connections, and half a change is passed over (spec activator
// 7.8, Q17). Used by start.ts.
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { readPair } from '#src/admission/certificates/bundle.ts';
import { listen } from '#src/http/server.ts';
import type { Issued } from '#src/tls/authority.ts';
import type { Servers } from './listeners.ts';
import type { SecureListening } from './options.ts';
import type { Shared } from './shared.ts';

const usualPollMs = 10_000;

export interface SecureServer {
  readonly port: number;
  close(): void;
}

/** Rejects where there is no certificate yet, or the port cannot be had. */
export async function serveSecure(
  shared: Shared,
  servers: Pick<Servers, 'accept'>,
  { host, port, folder, pollMs = usualPollMs }: SecureListening & { readonly host: string },
): Promise<SecureServer> {
  let last = await readIdentity(folder);
  const secureOf = ({ cert, key }: Issued) => ({ cert, key, minVersion: 'TLSv1.3' }) as const;
  const server = createServer({
    ...secureOf(last),
    ALPNProtocols: ['h2', 'http/1.1'],
    handshakeTimeout: shared.limits.handshakeMs,
    noDelay: true,
    keepAlive: true,
  });
  server.on('secureConnection', (socket: Socket) => servers.accept(socket));
  server.on('tlsClientError', (_, socket) => socket.destroy());
  const bound = await listen(server, { host, port, name: 'https', setting: 'listen.https' });
  const look = async (): Promise<void> => {
    try {
      const next = await readIdentity(folder);
      if (next.cert === last.cert && next.key === last.key) return;
      server.setSecureContext(secureOf(next));
      last = next;
      shared.log('info', 'presents a new certificate', { folder });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      shared.log('warn', 'the certificate cannot be read; the last one is presented', { error: why });
    }
  };
  const timer = setInterval(() => void look(), pollMs).unref();
  return {
    port: bound,
    close: () => {
      clearInterval(timer);
      server.close();
    },
  };
}

async function readIdentity(folder: string): Promise<Issued> {
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
  const [cert, key] = await Promise.all([read('tls.crt'), read('tls.key')]);
  if (readPair({ cert, key }) === undefined) {
    throw new Error(`${folder}: tls.crt and tls.key are not a certificate and its key`);
  }
  return { cert, key };
}
