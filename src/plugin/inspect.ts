// `kubectl coppice inspect`: the controller's page in a browser. A server on loopback hands the
// browser's requests on to the controller, through a port-forward, with the user's token in the
// place of its own: the browser never sees one of the cluster.
import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { object } from '#machines/kubernetes/json.ts';
import { LocalAccess } from '#src/inspector/server/local.ts';
import { foreign, isCrossSite } from '#src/inspector/server/origin.ts';
import { bearerOf } from '#src/questions/question.ts';
import { PluginError } from './errors.ts';
import { timeoutIn } from './format.ts';
import type { FlagsOf } from './parse.ts';
import { type Controller, reachController } from './reach/controller.ts';
import { identityOf } from './reach/identity.ts';
import { tokenSeconds } from './reach/limits.ts';
import type { Session } from './session.ts';

const tradePath = '/api/v1/session';

/** Returns after Ctrl-C. */
export async function inspect(session: Session, flags: FlagsOf<'inspect'>): Promise<void> {
  const controller = await reachController(session, flags, timeoutIn(flags.timeout));
  const access = new LocalAccess();
  const token = renewed(session, flags, controller);
  const server = createServer((request, response) => {
    void handOn({ controller, access, token }, request, response).catch(() => response.destroy());
  });
  try {
    if ((await controller.get(tradePath)) === undefined) {
      const what = `${controller.found.name} serves no inspector`;
      throw new PluginError('refused', `${what}: set inspector.enabled in its configuration`);
    }
    const port = await listening(server, flags.port);
    const link = `http://127.0.0.1:${port}/ui/#token=${access.oneTimeToken}`;
    session.output.note(`${controller.found.name}; the link works once, until Ctrl-C:`);
    session.output.line(link);
    if (!flags['no-browser']) openBrowser(link);
    await ended(session.signal);
  } finally {
    server.close();
    server.closeAllConnections();
    await controller.close();
  }
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

const listening = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const problem = `--port: ${port} cannot be had: ${cause.message}`;
      reject(new PluginError('usage', problem, { cause }));
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });

/** The user's token as it is now: that of a kubeconfig may be renewed, a borrowed one ends. */
function renewed(
  session: Session,
  flags: FlagsOf<'inspect'>,
  { identity, found }: Controller,
): () => Promise<string> {
  let last = { token: identity.token, at: session.clock.now() };
  return async () => {
    const { token: given } = flags;
    const isOld = session.clock.now() - last.at > (tokenSeconds * 1000) / 2;
    if (identity.isBorrowed && !isOld) return last.token;
    const { token } = await identityOf(session, given, found.account);
    last = { token, at: session.clock.now() };
    return token;
  };
}

interface Handing {
  readonly controller: Controller;
  readonly access: LocalAccess;
  readonly token: () => Promise<string>;
}

async function handOn(
  { controller, access, token }: Handing,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers, method = 'GET', url = '/' } = request;
  const why = foreign({ headers, isSecure: false, hosts: [], byAddress: false });
  if (why !== undefined) return refuse(response, 403, 'FORBIDDEN', why);
  const isApi = url.startsWith('/api/');
  if (isApi && isCrossSite(headers)) {
    return refuse(response, 403, 'FORBIDDEN', 'pages of other sites may not use this server');
  }
  const given = bearerOf(headers) ?? '';
  if (method === 'POST' && url === tradePath) {
    const traded = access.trade(given);
    if (traded === undefined) return refuse(response, 401, 'UNAUTHORIZED', spent);
    return send(response, 200, { token: traded });
  }
  if (isApi && !access.isSession(given)) {
    return refuse(response, 401, 'UNAUTHORIZED', spent);
  }
  const abort = new AbortController();
  response.once('close', () => abort.abort());
  const answer = await controller.line.client.request({
    method: method === 'POST' ? 'POST' : 'GET',
    path: url,
    headers: {
      ...passedOn(headers),
      ...(isApi ? { authorization: `Bearer ${await token()}` } : {}),
    },
    ...(method === 'POST' ? { body: request } : {}),
    signal: abort.signal,
  });
  response.writeHead(answer.statusCode, returned(answer.headers));
  response.flushHeaders();
  await pipeline(answer.body, response);
}

const spent = 'the link lets one browser in, once: run kubectl coppice inspect again for another';

const refuse = (response: ServerResponse, status: number, code: string, message: string): void =>
  send(response, status, { code, message });

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(text);
}

const passed = ['accept', 'accept-encoding', 'content-type', 'content-length', 'if-none-match'];

const passedOn = (headers: IncomingMessage['headers']): Record<string, string> =>
  Object.fromEntries(
    passed.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );

/** All but what is about the connection. */
const returned = (headers: object): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(object(headers)).flatMap(([name, value]) =>
      ['connection', 'keep-alive', 'transfer-encoding'].includes(name) ||
      (typeof value !== 'string' && !Array.isArray(value))
        ? []
        : [[name, typeof value === 'string' ? value : value.map(String)]],
    ),
  );

/** Where there is none, the link is printed all the same. */
function openBrowser(link: string): void {
  const command = openers[process.platform] ?? 'xdg-open';
  const isDesktop = process.platform !== 'linux' || hasDisplay(process.env);
  if (!isDesktop) return;
  const child = spawn(command, [link], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}

const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer' };

const hasDisplay = ({ DISPLAY, WAYLAND_DISPLAY }: NodeJS.ProcessEnv): boolean =>
  (DISPLAY ?? WAYLAND_DISPLAY ?? '') !== '';
