// A port of a pod through the API server, as `kubectl port-forward` has it: one WebSocket with the
// subprotocol v4.channel.k8s.io, one connection in it. Used by find.ts and inspect.ts.
import { Duplex } from 'node:stream';
import { Agent, WebSocket } from 'undici';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import { serverBase } from '#src/kube/transport/over.ts';
import { PluginError } from '../errors.ts';
import { connectMs } from './limits.ts';

export interface PodPort {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

const protocol = 'v4.channel.k8s.io';

/** Each message begins with the number of its channel: one for data, one for what went wrong. Both
 *  begin with a message that repeats the port. */
const dataChannel = 0;
const errorChannel = 1;

/** Rejects where the API server, or the kubelet behind it, does not forward. */
export async function openTunnel(connection: KubeConnection, to: PodPort): Promise<Duplex> {
  const { origin, path } = serverBase(connection.server);
  const { ca, servername, insecure } = connection.tls;
  const { headers, cert, key } = await connection.credentials.current();
  const dispatcher = new Agent({
    allowH2: false,
    connect: {
      timeout: connectMs,
      rejectUnauthorized: !insecure,
      ...(ca === undefined ? {} : { ca }),
      ...(servername === undefined ? {} : { servername }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
  });
  const namespace = encodeURIComponent(to.namespace);
  const pod = `/api/v1/namespaces/${namespace}/pods/${encodeURIComponent(to.pod)}`;
  const url = `${origin.replace(/^http/, 'ws')}${path}${pod}/portforward?ports=${to.port}`;
  const socket = new WebSocket(url, { protocols: [protocol], dispatcher, headers: { ...headers } });
  socket.binaryType = 'arraybuffer';
  const close = (): void => void dispatcher.destroy().catch(() => {});
  await opened(socket, to).catch((error: unknown) => {
    close();
    throw error;
  });
  return duplexOver(socket, to, close);
}

function opened(socket: WebSocket, { namespace, pod, port }: PodPort): Promise<void> {
  const what = `port ${port} of pod ${namespace}/${pod} cannot be forwarded`;
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(timer);
      reject(new PluginError('noController', `${what}: ${why}`));
    };
    const timer = setTimeout(() => {
      fail(`no answer within ${connectMs} ms`);
      socket.close();
    }, connectMs);
    socket.addEventListener('open', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.addEventListener('error', ({ message, error }: ErrorLike) =>
      fail(reasonOf(error) ?? message ?? 'the API server refused'),
    );
    socket.addEventListener('close', () => fail('the API server closed it'));
  });
}

interface ErrorLike {
  readonly message?: string;
  readonly error?: unknown;
}

const reasonOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  return error.cause instanceof Error ? error.cause.message : error.message;
};

/** The connection in the WebSocket. */
function duplexOver(socket: WebSocket, { port }: PodPort, close: () => void): Duplex {
  const seen = new Set<number>();
  const duplex = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _, done) => {
      socket.send(Buffer.concat([Buffer.of(dataChannel), chunk]));
      done();
    },
    final: (done) => {
      // This protocol knows no half-closed connection.
      done();
    },
    destroy: (error, done) => {
      socket.close();
      close();
      done(error);
    },
  });
  socket.addEventListener('message', ({ data }) => {
    if (!(data instanceof ArrayBuffer)) return;
    const bytes = Buffer.from(data);
    const channel = bytes[0] ?? dataChannel;
    const content = bytes.subarray(1);
    const isPort = !seen.has(channel);
    seen.add(channel);
    if (isPort && content.length >= 2 && content.readUInt16LE(0) === port) return;
    if (channel === dataChannel) duplex.push(content);
    if (channel === errorChannel) {
      duplex.destroy(new PluginError('noController', content.toString('utf8').trim()));
    }
  });
  socket.addEventListener('close', () => {
    duplex.push(null);
    duplex.destroy();
  });
  socket.addEventListener('error', () => duplex.destroy(new Error('the port-forward broke')));
  return duplex;
}
