// A collector of traces on this machine: takes OTLP over HTTP, as protobuf and as JSON, and over
// gRPC, and keeps what it was sent. Tests send to it; so does the benchmark of traces.
import { createServer } from 'node:http';
import { createServer as createServer2, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import type { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { type ReceivedSpan, spansOfJson, spansOfProtobuf } from './spans.ts';

interface ReceivedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface Collector {
  /** `http://127.0.0.1:40123` */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly requests: readonly ReceivedRequest[];
  /** What the next requests are answered with; 200 over HTTP and 0 over gRPC are a yes. `never`:
   *  with nothing at all. */
  answer: number | 'never';
  /** Of gRPC, beside the status, as it goes over the wire. */
  message: string;
  close(): Promise<void>;
}

type Kept = { -readonly [K in keyof Pick<Collector, 'answer' | 'message'>]: Collector[K] } & {
  readonly spans: ReceivedSpan[];
  readonly requests: ReceivedRequest[];
};

export async function startCollector(protocol: 'http' | 'grpc', port = 0): Promise<Collector> {
  const kept: Kept = {
    answer: protocol === 'http' ? 200 : 0,
    message: 'as%20the test wants',
    spans: [],
    requests: [],
  };
  const open = new Set<{ destroy(): unknown }>();
  const server = protocol === 'http' ? httpServer(kept) : grpcServer(kept);
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return Object.assign(kept, {
    url: `http://127.0.0.1:${taken}`,
    close: async () => {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      for (const socket of open) socket.destroy();
      await closed;
    },
  });
}

async function read(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

const httpServer = (kept: Kept): Server =>
  createServer((request, response) => {
    const { headers, url: path = '' } = request;
    void read(request).then((body) => {
      kept.requests.push({ path, headers });
      if (kept.answer === 'never') return;
      response.writeHead(kept.answer, { 'content-type': headers['content-type'] });
      if (kept.answer !== 200) return response.end();
      const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      const isJson = headers['content-type']?.startsWith('application/json') === true;
      kept.spans.push(...(isJson ? spansOfJson(plain.toString()) : spansOfProtobuf(plain)));
      return response.end(isJson ? '{}' : '');
    });
  });

function grpcServer(kept: Kept): Server {
  const server = createServer2();
  server.on('stream', (stream, headers) => {
    void read(stream).then((body) => {
      kept.requests.push({ path: String(headers[':path']), headers });
      if (kept.answer === 'never') return;
      if (kept.answer === 0) {
        const message = body.subarray(5, 5 + body.readUInt32BE(1));
        kept.spans.push(...spansOfProtobuf(body[0] === 1 ? gunzipSync(message) : message));
      }
      answer(stream, kept.answer, kept.message);
    });
  });
  return server;
}

/** An empty message, and the status after it. */
function answer(stream: ServerHttp2Stream, status: number, message: string): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => {
    stream.sendTrailers({ 'grpc-status': String(status), 'grpc-message': message });
  });
  stream.end(Buffer.alloc(5));
}
