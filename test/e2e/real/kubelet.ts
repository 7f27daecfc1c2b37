// The part of a kubelet that a port-forward needs: it takes the WebSocket that the API server hands
// on (v4.channel.k8s.io) and connects to a port of this machine. KWOK's nodes have none.
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createAuthority } from '#src/tls/authority.ts';

const magic = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const protocol = 'v4.channel.k8s.io';

export interface Kubelet {
  readonly port: number;
  /** Paths that were asked for. */
  readonly asked: readonly string[];
  stop(): void;
}

export async function startKubelet(): Promise<Kubelet> {
  const authority = await createAuthority('kubelet', Date.now());
  const identity = await authority.server(['localhost'], ['127.0.0.1']);
  const asked: string[] = [];
  const open = new Set<Duplex>();
  const server: Server = createServer({ ...identity }, (_, response) =>
    response.writeHead(404).end(),
  );
  server.on('upgrade', (request, socket) => {
    asked.push(request.url ?? '');
    open.add(socket);
    const key = request.headers['sec-websocket-key'] ?? '';
    const accept = createHash('sha1')
      .update(key + magic)
      .digest('base64');
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        `Sec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
    );
    const port = Number(URL.parse(request.url ?? '', 'https://kubelet')?.searchParams.get('port'));
    forward(socket, port);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    asked,
    stop: () => {
      open.forEach((socket) => socket.destroy());
      server.close();
    },
  };
}

function forward(socket: Duplex, port: number): void {
  const number = Buffer.alloc(2);
  number.writeUInt16LE(port);
  send(socket, 0, number);
  send(socket, 1, number);
  const target: Socket = connect(port, '127.0.0.1');
  target.on('data', (data) => send(socket, 0, data));
  target.on('error', (error) =>
    send(socket, 1, Buffer.from(`connection failed: ${error.message}`)),
  );
  target.on('close', () => socket.end());
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let frame = frameIn(rest); frame !== undefined; frame = frameIn(rest)) {
      rest = rest.subarray(frame.length);
      if (frame.opcode === 8) return void socket.end();
      if (frame.opcode <= 2 && frame.payload[0] === 0) target.write(frame.payload.subarray(1));
    }
  });
  socket.on('close', () => target.destroy());
  socket.on('error', () => target.destroy());
}

function send(socket: Duplex, channel: number, data: Uint8Array): void {
  const length = data.length + 1;
  const head =
    length < 126
      ? Buffer.of(0x82, length)
      : length < 65_536
        ? Buffer.of(0x82, 126, length >> 8, length & 255)
        : Buffer.concat([Buffer.of(0x82, 127, 0, 0, 0, 0), uint32(length)]);
  if (!socket.destroyed) socket.write(Buffer.concat([head, Buffer.of(channel), data]));
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
  /** On the wire. */
  readonly length: number;
}

/** A frame of a client, which masks; undefined: it is not whole yet. */
function frameIn(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] ?? 0) & 127;
  const extended = short === 126 ? 2 : short === 127 ? 8 : 0;
  const start = 2 + extended + 4;
  if (bytes.length < start) return undefined;
  const length =
    extended === 0 ? short : extended === 2 ? bytes.readUInt16BE(2) : bytes.readUInt32BE(6);
  if (bytes.length < start + length) return undefined;
  const mask = bytes.subarray(start - 4, start);
  const payload = Buffer.from(bytes.subarray(start, start + length));
  payload.forEach((byte, index) => (payload[index] = byte ^ (mask[index % 4] ?? 0)));
  return { opcode: (bytes[0] ?? 0) & 15, payload, length: start + length };
}
