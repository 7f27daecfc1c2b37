// The backends of `npm run bench -- activator-proxy`, all in one process:
// `node backend.ts COUNT BYTES WORK-MS`. Each listens on a port of its own and answers requests
// without body, with BYTES after WORK-MS. It speaks as little HTTP as that takes, so that it is not
// what is measured. It tells its parent the ports, and answers each message with what it saw.
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** What the backends saw since they were asked last. */
export interface Seen {
  readonly requests: number;
  /** Most requests that one backend had at once. */
  readonly most: number;
}

const [count = 1, bytes = 1024, workMs = 0] = process.argv.slice(2).map(Number);
const answer = Buffer.concat([
  Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\ncontent-length: ${bytes}\r\n\r\n`,
  ),
  Buffer.alloc(bytes, 'x'),
]);
const headerEnd = Buffer.from('\r\n\r\n');

let requests = 0;
let most = 0;

function serve(socket: Socket, load: { running: number }): void {
  let rest: Buffer = Buffer.alloc(0);
  let owed = 0;
  const reply = (): void => {
    load.running -= 1;
    owed -= 1;
    if (!socket.destroyed) socket.write(answer);
  };
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    // Answers that are under way are still counted: work goes on when its client is gone.
    if (workMs === 0) load.running -= owed;
  });
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(headerEnd); end >= 0; end = rest.indexOf(headerEnd)) {
      rest = rest.subarray(end + headerEnd.length);
      requests += 1;
      owed += 1;
      load.running += 1;
      most = Math.max(most, load.running);
      if (workMs === 0) reply();
      else setTimeout(reply, workMs);
    }
  });
}

const listening = (): Promise<Server> =>
  new Promise((resolve, reject) => {
    const load = { running: 0 };
    const server = createServer((socket) => serve(socket, load));
    server.once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => resolve(server));
  });

const servers = await Promise.all(Array.from({ length: count }, listening));
process.send?.(servers.map((server) => (server.address() as AddressInfo).port));
process.on('message', () => {
  const seen: Seen = { requests, most };
  requests = 0;
  most = 0;
  process.send?.(seen);
});
process.on('disconnect', () => process.exit());
