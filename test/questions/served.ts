// Question servers on free ports, as two processes have them: each with an API server of its own
// that knows tokens and permissions, and each handing questions on to the other. For the tests of
// handing on, and with `askOver` for those of whole processes.
import { Agent, request } from 'undici';
import type { Answer, Ask, HandOn } from '#actors/ports.ts';
import { at, text } from '#machines/kubernetes/json.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { handingOn } from '#src/questions/handing-on.ts';
import { peerRequest } from '#src/questions/peer.ts';
import type { Level } from '#src/log/shares.ts';
import { reviewer } from '#src/questions/review.ts';
import type { SecureServer } from '#src/http/secure.ts';
import { serveQuestions } from '#src/questions/server.ts';
import { systemClock } from '#src/time/clock.ts';
import type { Authority } from '#src/tls/authority.ts';

export const servername = 'coppice.default.svc';

interface Asked {
  readonly origin: string;
  /** PEM of the authority that is trusted. */
  readonly ca: string;
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'PUT';
  /** Absent: none is sent. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** As people ask: status and body. */
export async function askOver({ origin, ca, path, method = 'GET', token, headers = {} }: Asked) {
  const dispatcher = new Agent({ connect: { ca } });
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  try {
    const options = { dispatcher, method, headers: { ...headers, ...authorization } };
    const reply = await request(`${origin}${path}`, options);
    return { status: reply.statusCode, headers: reply.headers, body: await reply.body.json() };
  } finally {
    await dispatcher.destroy();
  }
}

/** An API server that knows tokens by `token of <user>`; `may` says what is allowed. */
export interface Reviews {
  readonly transport: KubeTransport;
  /** Tokens that were asked about, in order. */
  readonly tokens: string[];
  /** `alice get podcliques default/one` */
  readonly accesses: string[];
}

export function reviews(
  may: (user: string, verb: string, namespace: string, resource: string) => boolean,
): Reviews {
  const tokens: string[] = [];
  const accesses: string[] = [];
  const statusOf = (body: unknown): object => {
    const token = text(at(body, 'spec', 'token'));
    if (at(body, 'kind') === 'TokenReview') {
      tokens.push(token);
      const [, username] = /^token-of-(\w+)$/.exec(token) ?? [];
      return username === undefined
        ? { user: {}, error: 'invalid bearer token' }
        : { authenticated: true, user: { username, groups: ['people'] } };
    }
    const user = text(at(body, 'spec', 'user'));
    const path = text(at(body, 'spec', 'nonResourceAttributes', 'path'));
    const about = path === '' ? 'resourceAttributes' : 'nonResourceAttributes';
    const attribute = (name: string) => text(at(body, 'spec', about, name));
    const [verb, resource, namespace, name] = ['verb', 'resource', 'namespace', 'name'].map(
      attribute,
    );
    accesses.push(
      path === '' ? `${user} ${verb} ${resource} ${namespace}/${name}` : `${user} ${verb} ${path}`,
    );
    return may(user, verb ?? '', namespace ?? '', path === '' ? (resource ?? '') : path)
      ? { allowed: true }
      : { allowed: false, reason: 'no role' };
  };
  return {
    tokens,
    accesses,
    transport: {
      request: ({ body }) =>
        Promise.resolve({ status: 201, headers: {}, body: { status: statusOf(body) } }),
      watch: () => () => {},
    },
  };
}

interface ReplicaOptions {
  readonly name: string;
  readonly authority: Authority;
  /** That of its own certificate. */
  readonly signedBy?: Authority;
  readonly names?: readonly string[];
  readonly transport: KubeTransport;
  readonly timeoutMs?: number;
}

export interface Replica {
  readonly server: SecureServer;
  readonly origin: string;
  /** What this process was asked to answer or to hand on. */
  readonly asks: Ask[];
  readonly commands: object[];
  readonly level: Level;
  /** Of the log level. */
  readonly changes: { readonly level: Level; readonly by: string }[];
  /** Who owns all actors; undefined: this process. */
  owner: { readonly holder: string; readonly address: string } | undefined;
}

/** Behaves as `actors/questions/asking.ts` without a bus. */
export async function replica(options: ReplicaOptions): Promise<Replica> {
  const { name, authority, signedBy = authority, names = [servername], transport } = options;
  const asks: Ask[] = [];
  const commands: object[] = [];
  const changes: Replica['changes'] = [];
  const answer = (ask: Ask, handOn?: HandOn): Promise<Answer> => {
    asks.push(ask);
    const { owner } = self;
    if (owner === undefined) return Promise.resolve({ ok: true, data: { answeredBy: name } });
    if (ask.handedOn === true || handOn === undefined) {
      const message = `${name} is not the owner`;
      return Promise.resolve({ ok: false, code: 'NOT_OWNER', message });
    }
    return handOn(owner, ask, options.timeoutMs ?? 5_000);
  };
  const server = await serveQuestions({
    host: '127.0.0.1',
    port: 0,
    identity: await signedBy.server(names, ['127.0.0.1']),
    review: reviewer(transport, systemClock),
    questions: ['lend'],
    ask: answer,
    metrics: () => ({ status: 200, type: 'text/plain', body: `metrics_of{name="${name}"} 1\n` }),
    log: { level: () => self.level, setLevel: (level, by) => void changes.push({ level, by }) },
    handOn: handingOn(peerRequest({ authorities: () => authority.cert, servername })),
    onCommand: (event) => commands.push(event),
    onError: (error) => {
      throw error;
    },
  });
  const origin = `https://127.0.0.1:${server.port}`;
  const level: Level = 'info';
  const self: Replica = { server, origin, asks, commands, level, changes, owner: undefined };
  return self;
}
