// How the made-up server of the page answers: JSON, refusals and events of a stream.
import type { ServerResponse } from 'node:http';
import type { ActorId, StreamEvent } from '#src/inspector/protocol.ts';

export const pageHeaders = {
  'content-security-policy': "default-src 'self'",
  'x-content-type-options': 'nosniff',
};

export const idOf = (kind = '', namespace = '', name = ''): ActorId =>
  `${kind}/${namespace === '-' ? '' : namespace}/${name}`;

export function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export function refuse(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
): void {
  const type = { 'content-type': 'application/json' };
  response.writeHead(status, type).end(JSON.stringify({ code, message }));
}

export function write(stream: ServerResponse, { type, ...data }: StreamEvent): void {
  stream.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
}
