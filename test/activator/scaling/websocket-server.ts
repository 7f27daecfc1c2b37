// A WebSocket server as far as a test of a client needs one: it takes binary messages, answers
// pings where it is told to, and hangs up.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';

const magic = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const binary = 2;
const pingCode = 9;
const pongCode = 10;

export async function webSocketServer(port = 0) {
  const messages: Buffer[] = [];
  const sockets = new Set<Duplex>();
  const state = { connections: 0, pings: 0, answersPings: true };
  const server = createServer();
  server.on('upgrade', (request, socket) => {
    state.connections += 1;
    sockets.add(socket);
    const key = request.headers['sec-websocket-key'] ?? '';
    const accept = createHash('sha1').update(`${key}${magic}`).digest('base64');
    const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
    socket.write([...head, `Sec-WebSocket-Accept: ${accept}`, '', ''].join('\r\n'));
    let left = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      left = Buffer.concat([left, chunk]);
      for (let frame = readFrame(left); frame !== undefined; frame = readFrame(left)) {
        left = left.subarray(frame.size);
        if (frame.code === binary) messages.push(frame.payload);
        if (frame.code !== pingCode) continue;
        state.pings += 1;
        if (state.answersPings) socket.write(Buffer.from([0x80 | pongCode, 0]));
      }
    });
  });
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  const hangUp = (): void => sockets.forEach((socket) => void socket.destroy());
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      hangUp();
    });
  onTestFinished(close);
  // A server that listens on a port has an address of this shape.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { port: taken } = server.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${taken}`, port: taken, messages, state, hangUp, close };
}

/** One masked frame of up to 64 KiB; undefined: there is more to come. */
function readFrame(data: Buffer) {
  if (data.length < 2) return undefined;
  const code = data.readUInt8(0) & 0xf;
  const short = data.readUInt8(1) & 0x7f;
  const at = short === 126 ? 4 : 2;
  if (data.length < at) return undefined;
  const length = short === 126 ? data.readUInt16BE(2) : short;
  const size = at + 4 + length;
  if (data.length < size) return undefined;
  const mask = data.subarray(at, at + 4);
  const payload = Buffer.from(
    data.subarray(at + 4, size).map((byte, index) => byte ^ (mask[index % 4] ?? 0)),
  );
  return { code, size, payload };
}
