// Who is let in: credentials, TLS, and things on the port that are no NATS server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, nkeys } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commonQuestions, type Question } from '#machines/contract/question.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { systemClock } from '#src/time/clock.ts';
import { createAuthority, type Issued } from '#src/tls/authority.ts';
import { factOf, key } from '#test/support/bus/samples.ts';
import { natsSkip } from '#test/support/nats.ts';
import { eventually, Stage, until } from './stage.ts';

describe.skipIf(natsSkip !== '')(`access to NATS${natsSkip}`, () => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });
  afterEach(() => stage.clear());
  const file = (name: string, text: string): string => {
    const path = join(stage.folder, name);
    writeFileSync(path, text);
    return path;
  };

  it('says why it cannot connect, once, and connects when it is let in', async () => {
    const authorization = { user: 'coppice', password: 'secret' };
    const first = await stage.start({ settings: { authorization } });
    const lines: string[] = [];
    const wrongFile = file('wrong', 'wrong');
    const wrong = stage.join(
      { servers: [first.url], auth: { type: 'user', user: 'coppice', file: wrongFile } },
      (_, message, fields) => lines.push(`${message} ${JSON.stringify(fields)}`),
    );
    const missing = stage.join({
      servers: [first.url],
      auth: { type: 'creds', file: '/no/such.creds' },
    });
    await until(() => wrong.state().problem !== null && missing.state().problem !== null);
    expect(wrong.state().problem).toContain('Authorization Violation');
    expect(missing.state().problem).toContain('/no/such.creds');
    const right = await stage.joined({
      servers: [first.url],
      auth: { type: 'user', user: 'coppice', file: file('password', 'secret\n') },
    });
    expect(right.state().connected).toBe(true);
    expect(lines.filter((line) => line.includes('Authorization'))).toHaveLength(1);
    await stage.dies(first);
    await stage.start({ port: first.port, settings: { authorization: { token: 't' } } });
    const auth = { type: 'token', file: file('token', 't\n') } as const;
    const token = await stage.joined({ servers: [first.url], auth });
    expect(token.state().connected).toBe(true);
  });

  it('is not harmed by something else that listens on the port', async () => {
    const servers = [(await stage.start()).monitorUrl.replace('http', 'nats')];
    const bus = stage.join({ servers, connectTimeoutMs: 100 });
    bus.fact(factOf(key('a')));
    await until(() => bus.state().problem !== null);
    expect(bus.state()).toMatchObject({ connected: false, waiting: 1 });
    expect(bus.state().problem).toContain('no greeting within 100 ms');
  });

  it('is encrypted, with authorities of our own and a certificate of the client', async () => {
    const now = systemClock.now();
    const authority = await createAuthority('Test', now);
    const other = await createAuthority('Other', now);
    const issued = await authority.server(['localhost'], ['127.0.0.1']);
    const client = await authority.client('coppice', []);
    const caFile = file('ca.pem', authority.cert);
    const tls = {
      cert_file: file('server.pem', issued.cert),
      key_file: file('server.key', issued.key),
      ca_file: caFile,
      verify: true,
    };
    const server = await stage.start({ settings: { tls } });
    const certFile = file('client.pem', client.cert);
    const keyFile = file('client.key', client.key);
    const servers = [server.url.replace('127.0.0.1', 'localhost')];
    await stage.joined({ servers, tls: { caFile, certFile, keyFile } });

    const refusals = [
      { tls: null, problem: 'demands TLS: set tls' },
      { tls: { caFile }, problem: '' },
      { tls: { certFile, keyFile, caFile: file('other.pem', other.cert) }, problem: 'certificate' },
      { tls: { caFile: '/no/such.pem' }, problem: '/no/such.pem' },
    ];
    for (const { tls: wrong, problem } of refusals) {
      const bus = stage.join({ servers, tls: wrong });
      await until(() => bus.state().problem !== null);
      expect(bus.state().connected).toBe(false);
      expect(bus.state().problem).toContain(problem);
    }
  });

  it('is by nkey over TLS into an account whose permissions leave one inbox', async () => {
    const authority = await createAuthority('Test', systemClock.now());
    const issued = await authority.server(['localhost'], ['127.0.0.1']);
    const user = nkeys.createUser();
    const { server, peer, caFile } = await restricted(stage, file, authority.cert, issued, user);
    const servers = [server.url.replace('127.0.0.1', 'localhost')];
    const seed = file('coppice.seed', new TextDecoder().decode(user.getSeed()));
    const access = { servers, tls: { caFile }, auth: { type: 'nkey', file: seed } } as const;

    const alice = await stage.joined({ ...access, inboxPrefix: 'inbox.coppice' });
    const bob = await stage.joined({ ...access, inboxPrefix: 'inbox.coppice' });
    bob.onAsk(() => Promise.resolve({ ok: true, data: { here: true } }));
    const ask = { about: key('a'), question: 'state', payload: {} } as const;
    await eventually(async () =>
      expect(await alice.ask(ask, 500)).toEqual({ ok: true, data: { here: true } }),
    );
    await until(() => alice.state().history);
    alice.fact(factOf(key('a'), {}, 'f-1'));
    const wanted = { limit: 3, before: undefined, until: Infinity, notBehind: undefined };
    await eventually(async () =>
      expect(await bob.past(key('a'), wanted)).toMatchObject({ facts: [{ fact: { id: 'f-1' } }] }),
    );

    const common = await stage.joined(access); // its replies would come to _INBOX
    expect(await common.ask(ask, 500)).toMatchObject({ ok: false });
    const stranger = stage.join({ ...access, auth: { type: 'none' } });
    await until(() => stranger.state().problem !== null);
    expect(stranger.state().problem).toContain('Authorization Violation');

    const reader = await connect({ servers, tls: { caFile }, user: 'reader', pass: peer });
    const refusals: string[] = [];
    for (const subject of ['inbox.coppice.>', '_INBOX.>', 'coppice.tell.>', '>']) {
      reader.subscribe(subject, {
        callback: (error) => void refusals.push(error?.message ?? 'let in'),
      });
    }
    reader.publish('coppice.tell.0.podgang.default.demo-0', 'forged');
    await eventually(() => expect(refusals).toHaveLength(4));
    expect(refusals.every((line) => /permissions violation/i.test(line))).toBe(true);
    expect(alice.state().rejected + bob.state().rejected).toBe(0);
    await reader.close();
  });

  it('lets a user ask why in one namespace, and neither park there nor ask in another', async () => {
    const password = 'secret';
    const own = { publish: ['coppice.ask.*.team-a.*.why'], subscribe: ['_INBOX.>'] };
    const asker = { user: 'asker', password, permissions: own };
    const seer = { user: 'seer', password };
    const users = [{ user: 'coppice', password }, asker, seer];
    const server = await stage.start({ settings: { authorization: { users } } });
    const auth = { type: 'user', user: 'coppice', file: file('password', password) } as const;
    const bus = await stage.joined({ servers: [server.url], auth });
    const asked: string[] = [];
    bus.onAsk(
      ({ about: { namespace }, question }) => {
        asked.push(`${namespace} ${question}`);
        return Promise.resolve({ ok: true, data: {} });
      },
      new Map<string, Question>(Object.entries(commonQuestions)),
    );
    const client = await connect({ servers: server.url, user: 'asker', pass: password });
    const ask = (rest: string): Promise<unknown> =>
      client
        .request(`coppice.ask.podclique.${rest}`, '', { timeout: 2_000 })
        .then((message) => message.json(), String);
    await eventually(async () => expect(await ask('team-a.w.why')).toMatchObject({ ok: true }));
    for (const rest of ['team-a.w.park', 'team-a.w.state', 'team-b.w.why']) {
      expect([rest, await ask(rest)]).toEqual([rest, expect.stringMatching(/permissions viol/i)]);
    }
    expect(new Set(asked)).toEqual(new Set(['team-a why']));
    await client.close();
    const other = await connect({ servers: server.url, user: 'seer', pass: password });
    const stats: unknown = (await other.request('$SRV.STATS.coppice', '')).json();
    const counts = list(at(stats, 'endpoints')).map((one) => [
      text(at(one, 'subject')),
      at(one, 'num_requests'),
    ]);
    expect(counts).toContainEqual(['coppice.ask.*.*.*.why', asked.length]);
    expect(counts).toContainEqual(['coppice.ask.*.*.*.park', 0]);
    await other.close();
  });

  it('is by a file of credentials, which is read anew at each connect', async () => {
    const [operator, user] = [nkeys.createOperator(), nkeys.createUser()];
    const [account, system] = [nkeys.createAccount(), nkeys.createAccount()];
    const known = [account, system].map((each) => [
      each.getPublicKey(),
      token(operator, each, { type: 'account', limits: unlimited }),
    ]);
    const settings = {
      operator: token(operator, operator, { type: 'operator' }),
      resolver: 'MEMORY',
      resolver_preload: Object.fromEntries(known),
      system_account: system.getPublicKey(),
    };
    const creds = file('coppice.creds', 'nothing yet');
    const server = await stage.start({ settings });
    const auth = { type: 'creds', file: creds } as const;
    const bus = stage.join({ servers: [server.url], auth, history: null });
    await until(() => bus.state().problem !== null);
    const jwt = token(account, user, { type: 'user', ...unlimited });
    const seed = new TextDecoder().decode(user.getSeed());
    file(
      'coppice.creds',
      `-----BEGIN NATS USER JWT-----\n${jwt}\n------END NATS USER JWT------\n\n` +
        `-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
    );
    await until(() => bus.state().connected);
    expect(bus.state().problem).toBeNull();
  });

  it('is not encrypted by surprise: a server without TLS is refused when TLS is set', async () => {
    const server = await stage.start();
    const bus = stage.join({ servers: [server.url], tls: {} });
    await until(() => bus.state().problem !== null);
    expect(bus.state().problem).toContain('offers no TLS');
  });

  it('is found at the one of several servers that is there', async () => {
    const server = await stage.start();
    await stage.joined({ servers: ['127.0.0.1:1', 'no such host', server.url] });
  });
});

const unlimited = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, conn: -1, leaf: -1 };

/** What one key says of another, signed, as a NATS operator hands it out. */
function token(issuer: KeyPair, subject: KeyPair, claims: object): string {
  const coded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = coded({ typ: 'JWT', alg: 'ed25519-nkey' });
  const body = coded({
    jti: 'test',
    iat: 1_700_000_000,
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name: 'test',
    nats: { ...claims, version: 2 },
  });
  const signed = issuer.sign(new TextEncoder().encode(`${head}.${body}`));
  return `${head}.${body}.${Buffer.from(signed).toString('base64url')}`;
}

type KeyPair = ReturnType<typeof nkeys.createUser>;

/** The permissions that docs/bus.md names, and a reader of facts in the same account. */
async function restricted(
  stage: Stage,
  file: (name: string, text: string) => string,
  authority: string,
  { cert, key: privateKey }: Issued,
  user: KeyPair,
) {
  const caFile = file('ca.pem', authority);
  const peer = 'of the reader';
  const tls = { cert_file: file('server.pem', cert), key_file: file('server.key', privateKey) };
  const coppice = {
    nkey: user.getPublicKey(),
    permissions: {
      publish: { allow: ['coppice.>', '$JS.API.INFO', ...history] },
      subscribe: { allow: [...taken, 'inbox.coppice.>'] },
      allow_responses: { max: 1, expires: '15s' },
    },
  };
  const permissions = { publish: { deny: ['>'] }, subscribe: { allow: ['coppice.fact.>'] } };
  const reader = { user: 'reader', password: peer, permissions };
  const accounts = { COPPICE: { jetstream: 'enabled', users: [coppice, reader] } };
  return { server: await stage.start({ settings: { tls, accounts } }), peer, caFile };
}

/** What keeping the stream of facts takes, and reading what it keeps of an actor. */
const history = [
  ...['INFO', 'CREATE', 'UPDATE'].map((verb) => `$JS.API.STREAM.${verb}.COPPICE_FACTS`),
  ...['CREATE', 'MSG.NEXT', 'DELETE'].map((verb) => `$JS.API.CONSUMER.${verb}.COPPICE_FACTS.>`),
];

/** What a process subscribes to besides its replies. */
const taken = ['coppice.tell.>', 'coppice.ask.>', 'coppice.owner.>', '$SRV.>'];
