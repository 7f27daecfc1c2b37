// One request to the inspector, from the socket to the answer: where it comes from, who asks, how
// often, and which route it is for. The same on the inspector's own listener and on the server of
// the questions, where other processes come too. Made by start.ts.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { refusal, type RefusedAnswer } from '#bus/answers.ts';
import type { Clock } from '#actors/ports.ts';
import { handedOnHeader } from '#src/questions/peer.ts';
import { bearerOf, noToken } from '#src/questions/question.ts';
import type { Access } from './access.ts';
import {
  maxBodyBytes,
  maxQueryLength,
  requestBurst,
  requestRefillMs,
  requestsAtOnce,
} from './limits.ts';
import { foreign, isCrossSite, type Reached } from './origin.ts';
import type { Page } from './page.ts';
import { isOfPage } from './paths.ts';
import { malformed } from './query.ts';
import { Rates } from './rates.ts';
import { type Reply, sendReply } from './replies.ts';
import { namesIn, type Route, tradePath } from './routes.ts';

export interface RespondOptions {
  readonly routes: readonly Route[];
  readonly access: Access;
  readonly page: Page;
  readonly clock: Clock;
  /** A bug. The client gets a 500 without details. */
  readonly onError: (error: unknown, path: string) => void;
}

/** By which server it came. */
export type Entrance = Omit<Reached, 'headers'>;

export type Respond = (
  entrance: Entrance,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>;

interface Serving extends RespondOptions {
  readonly rates: Rates;
  underWay: number;
}

/** Never rejects. */
export function responder(options: RespondOptions): Respond {
  const rates = new Rates(options.clock, requestBurst, requestRefillMs);
  const serving: Serving = { ...options, rates, underWay: 0 };
  return async (entrance, request, response) => {
    try {
      await respond(serving, entrance, request, response);
    } catch (error) {
      options.onError(error, request.url ?? '');
      if (response.headersSent) response.destroy();
      else await sendReply(request, response, refusal('ASSERTION', 'internal error, see the log'));
    }
  };
}

async function respond(
  serving: Serving,
  entrance: Entrance,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = bodyOf(request);
  const why = foreign({ ...entrance, headers: request.headers });
  if (why !== undefined) return sendReply(request, response, refusal('FORBIDDEN', why));
  const url = request.url ?? '/';
  if (url.length > maxQueryLength) {
    const message = `an address has at most ${maxQueryLength} characters`;
    return sendReply(request, response, refusal('TOO_LARGE', message));
  }
  const target = URL.parse(url, 'http://server');
  if (target === null || !url.startsWith('/')) {
    return sendReply(request, response, malformed('the address is not valid'));
  }
  const { pathname } = target;
  if (isOfPage(pathname)) return serving.page.send(pathname, request, response);
  if (serving.underWay >= requestsAtOnce) {
    const message = `${requestsAtOnce} requests are being answered already`;
    return sendReply(request, response, refusal('THROTTLED', message));
  }
  serving.underWay++;
  try {
    const { reply, ...more } = await answer(serving, target, { request, response, body });
    if ('taken' in reply) return;
    await sendReply(request, response, reply, more);
  } finally {
    serving.underWay--;
  }
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Promise<string | RefusedAnswer>;
}

interface Answered {
  readonly reply: Reply;
  readonly status?: number;
  readonly headers?: { readonly allow: string };
}

async function answer(
  serving: Serving,
  target: URL,
  { request, response, body: reading }: Asked,
): Promise<Answered> {
  const { access, rates } = serving;
  const { pathname, search, searchParams } = target;
  const { headers, method } = request;
  if (isCrossSite(headers)) {
    return { reply: refusal('FORBIDDEN', 'pages of other sites may not use this server') };
  }
  const token = bearerOf(headers);
  if (token === undefined) return { reply: noToken };
  const body = await reading;
  if (typeof body !== 'string') return { reply: body };
  if (pathname === tradePath && method === 'POST') return { reply: await access.trade(token) };
  const entered = await access.enter(token);
  if (!entered.ok) return { reply: entered.answer };
  const { viewer } = entered;
  if (!rates.take(viewer.user)) {
    return { reply: refusal('THROTTLED', 'you ask too often') };
  }
  const found = find(serving.routes, pathname, method ?? 'GET');
  if ('reply' in found) return found;
  const reply = await found.route.handle({
    viewer,
    query: searchParams,
    path: `${pathname}${search}`,
    named: found.named,
    isHandedOn: headers[handedOnHeader] !== undefined,
    body,
    request,
    response,
  });
  return { reply };
}

function find(
  routes: readonly Route[],
  path: string,
  method: string,
): { readonly route: Route; readonly named: readonly string[] } | Answered {
  const fitting = routes.flatMap((route) => {
    const named = namesIn(route, path);
    return named === undefined ? [] : [{ route, named }];
  });
  const found = fitting.find(({ route }) => route.method === method);
  if (found !== undefined) return found;
  if (fitting.length === 0) {
    const there = routes.map((route) => route.path).join(' ');
    return { reply: refusal('NOT_FOUND', `nothing at ${path}; there is ${there}`) };
  }
  const allow = fitting.map(({ route }) => route.method).join(', ');
  const reply = malformed(`${method} is not allowed here, only ${allow}`);
  return { reply, status: 405, headers: { allow } };
}

/** Read in any case, or the connection could not go on. Never rejects. */
async function bodyOf(request: IncomingMessage): Promise<string | RefusedAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length <= maxBodyBytes) chunks.push(chunk);
    }
  } catch {
    return malformed('the request was not sent to its end');
  }
  if (length > maxBodyBytes) {
    return refusal('TOO_LARGE', `a body has at most ${maxBodyBytes} bytes`);
  }
  const type = request.headers['content-type'] ?? '';
  if (length > 0 && !/^application\/json(?:\s*;|$)/i.test(type)) {
    return malformed(`the body is "${type.slice(0, 50)}"; it must be application/json`);
  }
  return Buffer.concat(chunks).toString('utf8');
}
