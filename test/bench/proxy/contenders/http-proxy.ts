// The package `http-proxy`, with connections that are kept.
import { Agent, createServer } from 'node:http';
import proxies from 'http-proxy';
import { given, inTurn } from './given.ts';

const { port, backends } = given();
const proxy = proxies.createProxyServer({ agent: new Agent({ keepAlive: true }) });
proxy.on('error', (_error, _request, response) => {
  if ('writeHead' in response) response.writeHead(502);
  response.end();
});
const nextTarget = inTurn(backends.map((backend) => `http://127.0.0.1:${backend}`));
createServer((request, response) => proxy.web(request, response, { target: nextTarget() })).listen(
  port,
  '127.0.0.1',
);
