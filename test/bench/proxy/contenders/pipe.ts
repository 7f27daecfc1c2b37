// The least that a reverse proxy of node:http and undici can be: the floor for any that is built on
// them. It streams both ways with backpressure, drops what belongs to a connection, answers 502
// where a backend fails, and gives up the call of a client that is gone; no more.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import { endToEnd } from './end-to-end.ts';
import { given, inTurn } from './given.ts';

const { port, backends } = given();
const nextPool = inTurn(backends.map((backend) => new Pool(`http://127.0.0.1:${backend}`)));
const handler = (response: ServerResponse): Dispatcher.DispatchHandler => ({
  onRequestStart(controller) {
    response.on('close', () => {
      if (!response.writableFinished) controller.abort(new Error('the client is gone'));
    });
  },
  onResponseStart({ rawHeaders }, status) {
    response.writeHead(status, endToEnd(Array.isArray(rawHeaders) ? rawHeaders : []));
  },
  onResponseData(controller, chunk) {
    if (response.write(chunk)) return;
    controller.pause();
    response.once('drain', () => controller.resume());
  },
  onResponseEnd() {
    response.end();
  },
  onResponseError() {
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end();
  },
});

function pass(request: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers, rawHeaders } = request;
  const hasBody = 'content-length' in headers || 'transfer-encoding' in headers;
  nextPool().dispatch(
    {
      path: url ?? '/',
      method: method ?? 'GET',
      headers: endToEnd(rawHeaders),
      body: hasBody ? request : null,
    },
    handler(response),
  );
}

createServer(pass).listen(port, '127.0.0.1');
