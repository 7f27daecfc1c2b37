// What is not configured, and what every connection of the client library gets: no option that
// matters is left to its own default.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { historyConfig } from '#bus/nats/history.ts';
import { clientOptions, natsOptions, type NatsAuth } from '#bus/nats/options.ts';
import { temporaryFolder } from '#test/support/nats.ts';

const history = {
  storage: 'memory',
  maxBytes: 134_217_728,
  maxAgeMs: 86_400_000,
  maxMessages: 1_000_000,
  maxMessagesPerSubject: 256,
  replicas: 1,
  checkIntervalMs: 60_000,
};

describe('The options of NATS', () => {
  it('are complete where nothing is given', () => {
    expect(natsOptions()).toEqual({
      servers: ['127.0.0.1:4222'],
      name: 'coppice',
      auth: { type: 'none' },
      inboxPrefix: '_INBOX',
      tls: null,
      connectTimeoutMs: 3_000,
      reconnectWaitMs: 1_000,
      reconnectJitterMs: 1_000,
      pingIntervalMs: 4_500,
      maxPingOut: 2,
      traceparent: false,
      history,
    });
  });

  it('keep the rest of the history where one field of it is given, and none where it is null', () => {
    expect(natsOptions({ history: { replicas: 3 } }).history).toEqual({ ...history, replicas: 3 });
    expect(natsOptions({ history: null }).history).toBeNull();
    expect(natsOptions({ name: 'mine' })).toMatchObject({ name: 'mine', history });
  });

  it('notice a silent server within the 15 s that docs/bus.md promises', () => {
    const { pingIntervalMs, maxPingOut } = natsOptions();
    expect(pingIntervalMs * (maxPingOut + 1)).toBeLessThan(15_000);
  });
});

describe('A connection of the client library', () => {
  it('gets each option that matters, and does not reconnect by itself', () => {
    const options = natsOptions({ name: 'mine', inboxPrefix: '_IN' });
    expect(clientOptions(options, { host: 'nats', port: 4333 })).toEqual({
      servers: ['nats:4333'],
      name: 'mine',
      tls: null,
      timeout: 3_000,
      reconnect: false,
      waitOnFirstConnect: false,
      maxReconnectAttempts: 0,
      ignoreAuthErrorAbort: false,
      ignoreClusterUpdates: true,
      pingInterval: 4_500,
      maxPingOut: 2,
      noRandomize: true,
      noEcho: false,
      noAsyncTraces: true,
      pedantic: false,
      verbose: false,
      debug: false,
      resolve: true,
      inboxPrefix: '_IN',
    });
  });

  it.each([
    ['10.0.0.1', '10.0.0.1:4222'],
    ['::1', '[::1]:4222'],
  ])('to %s goes to %s', (host, server) => {
    expect(clientOptions(natsOptions(), { host, port: 4222 }).servers).toEqual([server]);
  });

  it('has the files of TLS where they are given', () => {
    const tls = { caFile: 'ca.pem', handshakeFirst: true };
    expect(clientOptions(natsOptions({ tls }), { host: 'a', port: 1 }).tls).toEqual(tls);
  });
});

describe('The credentials of a connection', () => {
  const folder = temporaryFolder();
  const file = join(folder.path, 'secret');
  afterAll(folder.remove);
  const given = (auth: NatsAuth): unknown => {
    const { authenticator } = clientOptions(natsOptions({ auth }), { host: 'a', port: 1 });
    if (typeof authenticator !== 'function') return authenticator;
    return authenticator('nonce');
  };

  it.each<readonly [NatsAuth, object]>([
    [
      { type: 'user', user: 'me', file },
      { user: 'me', pass: 's3cret' },
    ],
    [{ type: 'token', file }, { auth_token: 's3cret' }],
  ])('of %o are read at each attempt, without the white space around them', (auth, expected) => {
    writeFileSync(file, 'older');
    given(auth);
    writeFileSync(file, '  s3cret\n');
    expect(given(auth)).toEqual(expected);
  });

  it('are none where none are configured', () => {
    expect(given({ type: 'none' })).toBeUndefined();
  });

  it('fail the attempt where the file is away', () => {
    rmSync(file, { force: true });
    expect(() => given({ type: 'token', file })).toThrow('ENOENT');
  });
});

describe('The stream of facts', () => {
  it('is configured in whole from the options', () => {
    const { history: defaults } = natsOptions();
    if (defaults === null) throw new Error('there is a history by default');
    expect(historyConfig(defaults)).toEqual({
      name: 'COPPICE_FACTS',
      description: 'Facts of Coppice: every transition, decision and write',
      subjects: ['coppice.fact.>'],
      retention: 'limits',
      discard: 'old',
      storage: 'memory',
      max_bytes: 134_217_728,
      max_age: 86_400_000_000_000,
      max_msgs: 1_000_000,
      max_msgs_per_subject: 256,
      max_msg_size: 262_144,
      num_replicas: 1,
      allow_direct: true,
    });
  });
});
