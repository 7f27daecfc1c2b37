// What a configuration file may say and what is said about a wrong one.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeText, decodeValue, defaultConfiguration } from '#src/config/decode.ts';
import { natsSettings } from '#src/config/nats.ts';
import { ConfigurationError, loadConfiguration } from '#src/config/load.ts';

const header = 'apiVersion: coppice.dev/v1alpha1\nkind: CoppiceConfiguration\n';

const problemsOf = (text: string): readonly string[] => {
  const result = decodeText(header + text);
  return result.ok ? [] : result.problems.map(({ path, message }) => `${path} ${message}`);
};

const valid = (text: string) => {
  const result = decodeText(header + text);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.configuration;
};

describe('A configuration file', () => {
  it('with nothing but its header is the default configuration', () => {
    expect(valid('')).toEqual(defaultConfiguration);
    expect(defaultConfiguration).toMatchObject({
      clientConnection: { qps: 0, burst: 0, maxInFlight: 64 },
      bus: { enabled: true, delivery: 'direct', servers: ['nats://127.0.0.1:4222'] },
      server: { healthPort: 2751, metricsPort: 2752 },
      log: { level: 'info', format: 'json' },
      supervision: { maxRestarts: 5, withinSeconds: 60 },
      scheduler: { defaultProfileName: 'default-scheduler' },
    });
  });

  it('with times with which no lease could be held is refused', () => {
    expect(problemsOf('leases: {renewSeconds: 15}')).toEqual([
      'leases.renewSeconds must be below durationSeconds',
    ]);
    expect(problemsOf('leases: {durationSeconds: 10, renewSeconds: 6, retrySeconds: 3}')).toEqual([
      'leases.retrySeconds must be at most 2.3 with these times',
    ]);
  });

  it('may be JSON', () => {
    const result = decodeText(
      '{"apiVersion":"coppice.dev/v1alpha1","kind":"CoppiceConfiguration","shards":3}',
    );
    expect(result).toMatchObject({ ok: true, configuration: { shards: 3 } });
  });

  it('sets single fields and leaves the others at their defaults', () => {
    const { clientConnection, log } = valid(
      'clientConnection: {qps: 100, burst: 150}\nlog: {format: text}',
    );
    expect(clientConnection).toEqual({ qps: 100, burst: 150, maxInFlight: 64 });
    expect(log).toEqual({ level: 'info', format: 'text' });
  });
});

describe('The configuration of admission', () => {
  it('refuses a port that another server has, and takes any free one', () => {
    const on = 'admission: {enabled: true, port: ';
    expect(problemsOf(`${on}2752}`)).toEqual([
      'admission.port is 2752, as server.metricsPort is; it must be another',
    ]);
    expect(problemsOf(`${on}0}\nserver: {healthPort: 0, metricsPort: 0}`)).toEqual([]);
    expect(problemsOf('admission: {port: 2752}')).toEqual([]);
  });

  it('refuses an authorizer that nobody would ask', () => {
    expect(problemsOf('authorizer: {enabled: true}')).toEqual([
      'authorizer.enabled is true, with it admission.enabled must be true too',
    ]);
    expect(problemsOf('authorizer: {enabled: true}\nadmission: {enabled: true}')).toEqual([]);
  });
});

describe('A wrong configuration file', () => {
  it('gets all its problems listed at once, with path and what would be right', () => {
    expect(
      problemsOf(
        'shards: 0\nlog: {lvel: info, level: verbose}\nbus: {delivery: natss, servers: [7]}\nserver: 80',
      ),
    ).toEqual([
      'bus.delivery "natss" is wrong, it must be one of direct, nats; did you mean "nats"?',
      'bus.servers[0] 7 is wrong, it must be a text that is not empty',
      'shards 0 is wrong, it must be a whole number from 1 to 256',
      'server 80 is wrong, it must be an object',
      'log.lvel is not a field of the configuration; did you mean "level"?',
      'log.level "verbose" is wrong, it must be one of debug, info, warn, error',
    ]);
  });

  it('without header is told which one to write', () => {
    const result = decodeValue({});
    expect(result).toEqual({
      ok: false,
      problems: [
        { path: 'apiVersion', message: 'is missing, it must be coppice.dev/v1alpha1' },
        { path: 'kind', message: 'is missing, it must be CoppiceConfiguration' },
      ],
    });
  });

  it('of another version is refused', () => {
    const result = decodeText('apiVersion: coppice.dev/v1\nkind: CoppiceConfiguration');
    expect(result).toMatchObject({ ok: false, problems: [{ path: 'apiVersion' }] });
  });

  it('that is no YAML is told line and column', () => {
    const result = decodeText('a: [1\nb: }');
    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.problems[0]?.message).toMatch(/not valid YAML: .* at line \d+/);
  });

  it('that is no YAML in hundreds of places is told the first ten', () => {
    const result = decodeText(`{"a": 1${'"b": "c", "a": 1'.repeat(500)}`);
    expect(result).toMatchObject({ ok: false });
    if (!result.ok) expect(result.problems).toHaveLength(10);
  });

  it('is refused for an empty item of a list', () => {
    expect(problemsOf('bus: {servers: [null]}')).toEqual([
      'bus.servers[0] is empty, it must be a text that is not empty',
    ]);
  });

  it('is refused for a burst without a rate and a rate without a burst', () => {
    expect(problemsOf('clientConnection: {burst: 5}')).toHaveLength(1);
    expect(problemsOf('clientConnection: {qps: 5}')).toEqual([
      'clientConnection.burst is 0, with a qps it must be 1 or more',
    ]);
  });

  it('is refused for a client certificate without its key', () => {
    expect(problemsOf('bus: {tls: {certFile: a.pem}}')).toEqual([
      'bus.tls.keyFile is missing, it must be given with certFile',
    ]);
  });
});

describe('The scheduler section', () => {
  it('gets default-scheduler appended where it is missing', () => {
    expect(valid('scheduler: {profiles: [{name: kai-scheduler}]}').scheduler).toEqual({
      profiles: [
        { name: 'kai-scheduler', config: undefined },
        { name: 'default-scheduler', config: undefined },
      ],
      defaultProfileName: 'default-scheduler',
    });
  });

  it('with an empty list of profiles falls back to default-scheduler', () => {
    expect(valid('scheduler: {profiles: [], defaultProfileName: volcano}').scheduler).toMatchObject(
      { defaultProfileName: 'default-scheduler' },
    );
  });

  it('refuses a profile named twice and a default without a profile', () => {
    expect(
      problemsOf(
        'scheduler: {profiles: [{name: volcano}, {name: volcano}], defaultProfileName: kai-scheduler}',
      ),
    ).toEqual([
      'scheduler.profiles[1].name "volcano" is there twice, each profile must have another name',
      'scheduler.defaultProfileName "kai-scheduler" has no profile, it must be one of volcano, default-scheduler',
    ]);
  });
});

describe('The bus section', () => {
  it('becomes options of the connection, with nothing set that was not given', () => {
    expect(natsSettings(defaultConfiguration.bus)).toEqual({
      servers: ['nats://127.0.0.1:4222'],
      auth: { type: 'none' },
      inboxPrefix: '_INBOX',
      traceparent: false,
      tls: null,
      history: {
        storage: 'memory',
        maxBytes: 128 * 1024 * 1024,
        maxAgeMs: 86_400_000,
        maxMessagesPerSubject: 256,
        replicas: 1,
      },
    });
    const { bus } = valid(
      'bus: {credentialsFile: c.creds, tls: {enabled: true, caFile: ca.pem}, history: {enabled: false}}',
    );
    expect(natsSettings(bus)).toMatchObject({
      auth: { type: 'creds', file: 'c.creds' },
      tls: { caFile: 'ca.pem', handshakeFirst: false },
      history: null,
    });
  });
});

describe('Access to NATS', () => {
  it.each([
    ['credentialsFile: f', { type: 'creds', file: 'f' }],
    ['nkeySeedFile: f', { type: 'nkey', file: 'f' }],
    ['tokenFile: f', { type: 'token', file: 'f' }],
    ['user: coppice, passwordFile: f', { type: 'user', user: 'coppice', file: 'f' }],
  ])('is by %s', (fields, auth) => {
    const { bus } = valid(`bus: {inboxPrefix: inbox.coppice, ${fields}}`);
    expect(natsSettings(bus)).toMatchObject({ auth, inboxPrefix: 'inbox.coppice' });
    expect(bus.commands).toBe(false);
  });

  it('is by one way alone, and its inbox is a subject', () => {
    expect(
      problemsOf('bus: {credentialsFile: a, tokenFile: b, user: c, inboxPrefix: "a.*"}'),
    ).toEqual([
      'bus.tokenFile must not be given with credentialsFile',
      'bus.passwordFile is missing, it must be given with user',
      'bus.inboxPrefix "a.*" is wrong, it must be letters, digits, - and _ between dots',
    ]);
  });
});

describe('decodeValue', () => {
  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (whole, part) => {
        decodeValue(whole);
        for (const name of ['log', 'bus', 'clientConnection', 'scheduler', 'server', 'shards']) {
          decodeValue({ [name]: part });
        }
      }),
    );
  });

  it('accepts its own result again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 256 }), fc.boolean(), (shards, enabled) => {
        const first = decodeValue({ ...defaultConfiguration, shards, bus: { enabled } });
        expect(first.ok && decodeValue(first.configuration)).toEqual(first);
      }),
    );
  });
});

describe('loadConfiguration', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'coppice-config-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('gives the configuration of a file', async () => {
    const file = join(folder, 'good.yaml');
    await writeFile(file, `${header}shards: 2\n`);
    await expect(loadConfiguration(file)).resolves.toMatchObject({
      configuration: { shards: 2 },
      notes: [],
    });
  });

  it('names the file and every problem', async () => {
    const file = join(folder, 'bad.yaml');
    await writeFile(file, `${header}shard: 2\nlog: 1\n`);
    await expect(loadConfiguration(file)).rejects.toThrow(
      new ConfigurationError(file, [
        'shard is not a field of the configuration; did you mean "shards"?',
        'log 1 is wrong, it must be an object',
      ]),
    );
  });

  it('says why a file cannot be read', async () => {
    await expect(loadConfiguration(join(folder, 'none.yaml'))).rejects.toThrow(/ENOENT/);
  });
});
