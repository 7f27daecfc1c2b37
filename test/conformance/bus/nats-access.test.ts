// Who is let in: credentials, TLS, and things on the port that are no NATS server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '#src/time/clock.ts';
import { createAuthority } from '#src/tls/authority.ts';
import { factOf, key } from '#test/support/bus.ts';
import { natsSkip } from '#test/support/nats.ts';
import { Stage, until } from './stage.ts';

describe.skipIf(natsSkip !== '')(`access to NATS${natsSkip}`, () => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });
  afterEach(() => stage.clear());

  it('says why it cannot connect, once, and connects when it is let in', async () => {
    const authorization = { user: 'coppice', password: 'secret' };
    const first = await stage.start({ settings: { authorization } });
    const lines: string[] = [];
    const wrong = stage.join(
      { servers: [first.url], auth: { type: 'user', user: 'coppice', password: 'wrong' } },
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
      auth: { type: 'user', ...authorization },
    });
    expect(right.state().connected).toBe(true);
    expect(lines.filter((line) => line.includes('Authorization'))).toHaveLength(1);
    await stage.dies(first);
    await stage.start({ port: first.port, settings: { authorization: { token: 't' } } });
    const token = await stage.joined({ servers: [first.url], auth: { type: 'token', token: 't' } });
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
    const file = (name: string, text: string): string => {
      const path = join(stage.folder, name);
      writeFileSync(path, text);
      return path;
    };
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
