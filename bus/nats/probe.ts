// A look at a server before the client library connects to it. The library keeps the socket of an
// attempt that got no greeting, so a server that accepts and says nothing would cost a file
// descriptor per attempt, for ever; and it does not say what was wrong as plainly.
import { connect } from 'node:net';
import type { Clock } from '#actors/ports.ts';
import { decoded, describe, notDecoded, type Decoded } from '#bus/decoded.ts';
import { decodeObject } from '#bus/wire.ts';
import type { Address, NatsOptions } from './options.ts';

const defaultPort = 4222;
/** A greeting is some hundred bytes; with the addresses of a large cluster, some thousand. */
const maxGreeting = 64 * 1024;

/** `host`, `host:port`, `nats://host:port`, `tls://host:port`, `[::1]:4222`. */
export function parseServer(text: string): Decoded<Address> {
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `nats://${text}`);
  if (url === null || url.hostname === '' || !['nats:', 'tls:'].includes(url.protocol)) {
    return notDecoded('servers', `must be host:port or nats://host:port, ${describe(text)}`);
  }
  if (url.username !== '' || url.password !== '') {
    return notDecoded('servers', 'must not hold credentials: set auth');
  }
  const port = url.port === '' ? defaultPort : Number(url.port);
  return decoded({ host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port });
}

/** What speaks against connecting; null: nothing. The socket is gone when the promise resolves. */
export function probe(
  address: Address,
  { tls, connectTimeoutMs }: Pick<NatsOptions, 'tls' | 'connectTimeoutMs'>,
  clock: Clock,
): Promise<string | null> {
  const { host, port } = address;
  return new Promise((resolve) => {
    const socket = connect({ host, port, autoSelectFamily: true });
    let greeting = '';
    const finish = (problem: string | null): void => {
      cancel();
      socket.destroy();
      resolve(problem === null ? null : `${host}:${port}: ${problem}`);
    };
    const cancel = clock.at(clock.now() + connectTimeoutMs, () =>
      finish(`no greeting within ${connectTimeoutMs} ms`),
    );
    socket.on('error', (error: NodeJS.ErrnoException) =>
      // Empty where several addresses were tried.
      finish(error.message === '' ? (error.code ?? 'cannot connect') : error.message),
    );
    socket.on('close', () => finish('closed the connection without a greeting'));
    socket.on('connect', () => {
      // The server waits for our TLS handshake before it greets, so its accepting must do.
      if (tls?.handshakeFirst === true) finish(null);
    });
    socket.on('data', (chunk) => {
      greeting += chunk.toString('latin1');
      if (greeting.includes('\r\n') || greeting.length > maxGreeting) {
        finish(judge(greeting, tls !== null));
      }
    });
  });
}

function judge(greeting: string, tls: boolean): string | null {
  const [line = ''] = greeting.split('\r\n', 1);
  const info = /^INFO\s+(\{.*\})\s*$/i.exec(line)?.[1];
  if (info === undefined) return `is no NATS server: says ${JSON.stringify(line.slice(0, 60))}`;
  const offered = decodeObject(new TextEncoder().encode(info));
  if (!offered.ok) return 'is no NATS server: its greeting is not JSON';
  const { tls_required: isRequired, tls_available: isAvailable } = offered.value;
  if (isRequired === true && !tls) return 'demands TLS: set tls';
  const offersTls = isRequired === true || isAvailable === true;
  return tls && !offersTls ? 'offers no TLS' : null;
}
