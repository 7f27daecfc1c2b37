// The package `fast-proxy` with its option `undici`; it brings the release of it that it uses.
import { createServer } from 'node:http';
import fastProxy from 'fast-proxy';
import { given, inTurn } from './given.ts';

const { port, backends } = given();
const nextProxy = inTurn(
  backends.map(
    (backend) =>
      fastProxy({ base: `http://127.0.0.1:${backend}`, undici: { connections: null } }).proxy,
  ),
);
createServer((request, response) => nextProxy()(request, response, request.url ?? '/', {})).listen(
  port,
  '127.0.0.1',
);
