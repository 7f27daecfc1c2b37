// The package `@fastify/http-proxy`, which is `@fastify/reply-from` at a prefix.
import proxy from '@fastify/http-proxy';
import fastify from 'fastify';
import { given, inTurn } from './given.ts';

const { port, backends } = given();
const nextUpstream = inTurn(backends.map((backend) => `http://127.0.0.1:${backend}`));
const server = fastify();
await server.register(proxy, {
  upstream: '',
  replyOptions: { getUpstream: () => nextUpstream() },
});
await server.listen({ port, host: '127.0.0.1' });
