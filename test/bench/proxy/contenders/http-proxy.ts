// The package `http-proxy`, with connections that are kept.
import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { given, inTurn } from './given.ts';

/** What is used of it: it brings no types. */
interface HttpProxy {
  web(request: IncomingMessage, response: ServerResponse, options: { target: string }): void;
  on(
    event: 'error',
    listener: (error: Error, request: IncomingMessage, response: ServerResponse | Socket) => void,
  ): void;
}
const { createProxyServer } = createRequire(import.meta.url)('http-proxy') as {
  createProxyServer: (options: { agent: Agent }) => HttpProxy;
};

const { port, backends } = given();
const proxy = createProxyServer({ agent: new Agent({ keepAlive: true }) });
proxy.on('error', (_error, _request, response) => {
  if ('writeHead' in response) response.writeHead(502);
  response.end();
});
const nextTarget = inTurn(backends.map((backend) => `http://127.0.0.1:${backend}`));
createServer((request, response) => proxy.web(request, response, { target: nextTarget() })).listen(
  port,
  '127.0.0.1',
);
