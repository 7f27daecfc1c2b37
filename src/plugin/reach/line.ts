// HTTPS to one controller: directly, or through a port-forward. Made by find.ts; controller.ts asks
// through it, and inspect.ts hands a browser's requests on.
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import { connectMs } from './limits.ts';

/** Where a controller answers. */
export interface Place {
  /** For people: a URL or a pod. */
  readonly name: string;
  readonly origin: string;
  /** PEM; absent: the roots that Node trusts. */
  readonly ca?: string;
  /** Opens the connection that TLS runs in; absent: TCP to the origin. */
  readonly open?: () => Promise<Duplex>;
}

export interface Line {
  readonly place: Place;
  readonly client: Client;
  close(): Promise<void>;
}

/**
 * Through a port-forward the certificate is not checked: the API server vouches for the pod, and
 * who could put another pod into its place could mount the certificate's Secret as well
 * (docs/decisions/0037-the-plugin-forwards-a-port.md).
 */
export function openLine(place: Place): Line {
  const { origin, ca, open } = place;
  const client = new Client(origin, {
    allowH2: false,
    connect:
      open === undefined
        ? { timeout: connectMs, ...(ca === undefined ? {} : { ca }) }
        : (_, callback) => {
            open().then(
              (tunnel) => encrypted(tunnel, callback),
              (error: unknown) => callback(asError(error), null),
            );
          },
  });
  return { place, client, close: () => client.destroy() };
}

function encrypted(tunnel: Duplex, callback: buildConnector.Callback): void {
  const socket = connectTls({ socket: tunnel, rejectUnauthorized: false });
  socket.setTimeout(connectMs, () => socket.destroy(new Error('no TLS in time')));
  socket.once('secureConnect', () => {
    socket.setTimeout(0);
    socket.removeAllListeners('error');
    callback(null, socket);
  });
  socket.once('error', (error) => {
    tunnel.destroy();
    callback(error, null);
  });
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

export type Response = Dispatcher.ResponseData;
