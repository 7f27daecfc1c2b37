// The package `fast-proxy`, by the client of Node, as it is without options.
import { createServer } from 'node:http';
import fastProxy from 'fast-proxy';
import { given, inTurn } from './given.ts';

const { port, backends } = given();
const nextProxy = inTurn(
  backends.map((backend) => fastProxy({ base: `http://127.0.0.1:${backend}` }).proxy),
);
createServer((request, response) => nextProxy()(request, response, request.url ?? '/', {})).listen(
  port,
  '127.0.0.1',
);
