// Kubeconfigs as people write them, on real files: what is picked, how credentials rotate, and that
// every mistake names file, field and what would be right.
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadConnection } from '#src/kube/config.ts';
import type { ConfigSource } from '#src/kube/kubeconfig.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const base64 = Buffer.from(pem).toString('base64');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-kubeconfig-'));
  vi.stubEnv('KUBECONFIG', '');
  vi.stubEnv('KUBERNETES_SERVICE_HOST', undefined);
  vi.stubEnv('HOME', join(folder, 'home'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const write = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

type Fields = Record<string, unknown>;

/** A kubeconfig as JSON, which is YAML, with one cluster, user and context named `c`, `u`, `x`. */
const config = (user: Fields = {}, cluster: Fields = {}, more: Fields = {}): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'team' } }],
    'current-context': 'x',
    ...more,
  });

const load = (source: ConfigSource, clock = new VirtualClock()) => loadConnection(source, clock);
const credentialsOf = async (user: Fields) =>
  (await load({ file: write('config', config(user)) })).credentials.current();

describe('a kubeconfig', () => {
  test('gives server, authority, server name and namespace', async () => {
    write('ca.crt', pem);
    const cluster = { 'certificate-authority': 'ca.crt', 'tls-server-name': 'kubernetes' };
    const connection = await load({ file: write('config', config({}, cluster)) });
    expect(connection.server).toBe('https://10.0.0.1:6443');
    expect(connection.tls).toEqual({ ca: pem, servername: 'kubernetes', insecure: false });
    expect(connection.namespace).toBe('team');
  });

  test('may hold the authority inline, or ask for no check', async () => {
    const inline = config({}, { 'certificate-authority-data': base64 });
    expect((await load({ file: write('a', inline) })).tls).toEqual({ ca: pem, insecure: false });
    const unchecked = config({}, { 'insecure-skip-tls-verify': true });
    expect((await load({ file: write('b', unchecked) })).tls).toEqual({ insecure: true });
  });

  test('is picked by context where one is named', async () => {
    const contexts = [
      { name: 'x', context: { cluster: 'c', user: 'u' } },
      { name: 'y', context: { cluster: 'c', user: 'u', namespace: 'other' } },
    ];
    const file = write('config', config({}, {}, { contexts }));
    expect((await load({ file, context: 'y' })).namespace).toBe('other');
    expect((await load({ file })).namespace).toBe('default');
  });

  test('may be spread over the files of $KUBECONFIG, of which the first that names a thing wins', async () => {
    const first = write('first', config({ token: 'one' }, {}, { clusters: [] }));
    const second = write('second', config({ token: 'two' }, { server: 'https://second' }));
    vi.stubEnv('KUBECONFIG', [join(folder, 'absent'), first, second].join(':'));
    const connection = await load({});
    expect(connection.server).toBe('https://second');
    expect((await connection.credentials.current()).headers).toEqual({
      authorization: 'Bearer one',
    });
  });

  test('is the one in the home folder where nothing else is said', async () => {
    mkdirSync(join(folder, 'home', '.kube'), { recursive: true });
    write('home/.kube/config', config());
    expect((await load({})).namespace).toBe('team');
  });
});

describe('a mistake in a kubeconfig is told with file and field:', () => {
  const failing = async (
    text: string,
    message: string | RegExp,
    source: Partial<ConfigSource> = {},
  ) => {
    const file = write('config', text);
    const loading = load({ file, ...source });
    await expect(loading).rejects.toMatchObject({ name: 'KubeConfigError', file });
    await expect(loading).rejects.toThrow(message);
  };

  test.each<[string, string, string]>([
    ['no YAML', '{', 'config: '],
    ['no mapping', '- a', 'is no kubeconfig'],
    ['no server', config({}, { server: '' }), 'clusters[0].cluster.server is missing'],
    [
      'a server that is no URL',
      config({}, { server: 'host:1' }),
      'https://10.0.0.1:6443 would be right',
    ],
    ['a proxy', config({}, { 'proxy-url': 'http://p' }), 'proxy-url: proxies are not supported'],
    [
      'no current context',
      config({}, {}, { 'current-context': '' }),
      'current-context: is missing: one of "x"',
    ],
    [
      'an unknown context',
      config({}, {}, { 'current-context': 'z' }),
      'current-context: "z" is not among the contexts: one of "x"',
    ],
    [
      'an unknown cluster',
      config({}, {}, { clusters: [] }),
      'contexts[x].context.cluster: "c" is not among the clusters: the file has none',
    ],
    [
      'an unknown user',
      config({}, {}, { users: [] }),
      'contexts[x].context.user: "u" is not among the users',
    ],
    [
      'an absent authority',
      config({}, { 'certificate-authority': 'absent' }),
      'certificate-authority: cannot be read',
    ],
    [
      'an authority that is no PEM',
      config({}, { 'certificate-authority-data': 'AAAA' }),
      'certificate-authority-data: is no PEM in base64',
    ],
    [
      'authority and no check',
      config({}, { 'certificate-authority-data': base64, 'insecure-skip-tls-verify': true }),
      'leave out one of the two',
    ],
    [
      'a certificate without a key',
      config({ 'client-certificate-data': base64 }),
      'client-key: is missing',
    ],
    [
      'an absent token file',
      config({ tokenFile: 'absent' }),
      'users[u].user.tokenFile: cannot be read',
    ],
    [
      'impersonated groups',
      config({ as: 'a', 'as-groups': ['g'] }),
      'users[u].user.as-groups: is not supported',
    ],
    [
      'a plugin without command',
      config({ exec: { apiVersion: 'client.authentication.k8s.io/v1' } }),
      'exec.command: is missing',
    ],
    [
      'a plugin of an old version',
      config({ exec: { command: 'p', apiVersion: 'client.authentication.k8s.io/v1alpha1' } }),
      'client.authentication.k8s.io/v1 or',
    ],
    [
      'a plugin that asks people',
      config({
        exec: {
          command: 'p',
          apiVersion: 'client.authentication.k8s.io/v1',
          interactiveMode: 'Always',
        },
      }),
      'without a terminal',
    ],
  ])('%s', async (_what, text, message) => {
    await failing(text, message);
  });

  test('a context asked for that is not there', async () => {
    await failing(
      config(),
      'context: "prod" is not among the contexts: one of "x" would be right',
      { context: 'prod' },
    );
  });

  test('a file that is not there', async () => {
    await expect(load({ file: join(folder, 'absent') })).rejects.toThrow('absent: cannot be read');
    vi.stubEnv('KUBECONFIG', join(folder, 'absent'));
    await expect(load({})).rejects.toThrow('though $KUBECONFIG names it');
  });

  test('nothing at all', async () => {
    await expect(load({})).rejects.toThrow('no kubeconfig was found: name one with --kubeconfig');
  });
});

describe('credentials', () => {
  test('may be a token, a password, or an impersonated user', async () => {
    expect(await credentialsOf({ token: 't\n' })).toEqual({
      headers: { authorization: 'Bearer t' },
    });
    const basic = Buffer.from('me:pw').toString('base64');
    expect(await credentialsOf({ username: 'me', password: 'pw' })).toEqual({
      headers: { authorization: `Basic ${basic}` },
    });
    expect(await credentialsOf({ token: 't', as: 'bob' })).toEqual({
      headers: { authorization: 'Bearer t', 'impersonate-user': 'bob' },
    });
  });

  test('may be a client certificate, inline or in files that are renewed', async () => {
    const inline = { 'client-certificate-data': base64, 'client-key-data': base64 };
    expect(await credentialsOf(inline)).toEqual({ headers: {}, cert: pem, key: pem });
    const cert = write('c.pem', pem);
    write('k.pem', pem);
    const clock = new VirtualClock();
    const file = write('config', config({ 'client-certificate': 'c.pem', 'client-key': 'k.pem' }));
    const { credentials } = await load({ file }, clock);
    expect((await credentials.current()).cert).toBe(pem.trim());
    writeFileSync(cert, pem.replace('MIIB', 'MIIC'));
    utimesSync(cert, 1, 1);
    await clock.advance(1_000);
    expect((await credentials.current()).cert).toContain('MIIC');
  });

  describe('from a token file', () => {
    const start = async () => {
      const token = write('token', 'one\n');
      const clock = new VirtualClock();
      const { credentials } = await load(
        { file: write('config', config({ tokenFile: 'token', token: 'x' })) },
        clock,
      );
      const current = async (): Promise<unknown> =>
        (await credentials.current()).headers['authorization'];
      return { token, clock, credentials, current };
    };

    test('are read again when the file has changed', async () => {
      const { token, clock, current } = await start();
      expect(await current()).toBe('Bearer one');
      writeFileSync(token, 'two');
      utimesSync(token, 1, 1);
      expect(await current()).toBe('Bearer one');
      await clock.advance(1_000);
      expect(await current()).toBe('Bearer two');
    });

    test('are read again after a minute though the file looks unchanged', async () => {
      const { token, clock, current } = await start();
      utimesSync(token, 1, 1);
      await clock.advance(1_000);
      await current();
      writeFileSync(token, 'two');
      utimesSync(token, 1, 1);
      await clock.advance(30_000);
      expect(await current()).toBe('Bearer one');
      await clock.advance(30_000);
      expect(await current()).toBe('Bearer two');
    });

    test('are read again at once when the server refused them', async () => {
      const { token, credentials, current } = await start();
      const used = await credentials.current();
      writeFileSync(token, 'two');
      credentials.refused(used);
      expect(await current()).toBe('Bearer two');
    });

    test('last while the file is away', async () => {
      const { token, clock, current } = await start();
      await current();
      rmSync(token);
      await clock.advance(120_000);
      expect(await current()).toBe('Bearer one');
    });
  });

  describe('from a plugin', () => {
    const v1 = 'client.authentication.k8s.io/v1';
    /** A plugin that answers with its runs so far, its argument, and what it was told. */
    const plugin = (status: string): Fields => {
      const script = `
        const { appendFileSync, readFileSync } = require('node:fs');
        appendFileSync(${JSON.stringify(join(folder, 'runs'))}, 'x');
        const runs = readFileSync(${JSON.stringify(join(folder, 'runs'))}, 'utf8').length;
        const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
        console.log(JSON.stringify({ apiVersion: '${v1}', kind: 'ExecCredential', status: ${status} }));`;
      return {
        apiVersion: v1,
        command: process.execPath,
        args: ['-e', script],
        provideClusterInfo: true,
      };
    };

    test('are what it prints, and it is told who asks', async () => {
      const token =
        '{ token: [runs, info.apiVersion, info.spec.interactive, info.spec.cluster.server].join(" ") }';
      expect(await credentialsOf({ exec: plugin(token) })).toEqual({
        headers: { authorization: `Bearer 1 ${v1} false https://10.0.0.1:6443` },
      });
    });

    test('are minted once for many who ask, and again when the server refuses them', async () => {
      const file = write('config', config({ exec: plugin('{ token: "run-" + runs }') }));
      const { credentials } = await load({ file });
      const [one, same] = await Promise.all([credentials.current(), credentials.current()]);
      expect(one).toEqual({ headers: { authorization: 'Bearer run-1' } });
      expect(same).toBe(one);
      credentials.refused(one);
      const two = await credentials.current();
      expect(two.headers).toEqual({ authorization: 'Bearer run-2' });
      // A late answer to the old token is no reason to mint another.
      credentials.refused(one);
      expect(await credentials.current()).toBe(two);
    });

    test('may be a client certificate', async () => {
      const status = '{ clientCertificateData: "CERT", clientKeyData: "KEY" }';
      expect(await credentialsOf({ exec: plugin(status) })).toEqual({
        headers: {},
        cert: 'CERT',
        key: 'KEY',
      });
    });

    test.each([
      ['fails', 'console.error("log in first"); process.exit(3)', 'log in first'],
      ['prints nonsense', 'console.log("hello")', 'gave no credentials'],
      [
        'prints nothing of use',
        'console.log(JSON.stringify({status: {}}))',
        'neither status.token nor',
      ],
    ])('are missing when it %s, and the message says so', async (_what, script, message) => {
      const exec = { apiVersion: v1, command: process.execPath, args: ['-e', script] };
      const current = credentialsOf({ exec });
      await expect(current).rejects.toThrow(message);
      await expect(current).rejects.toThrow('exec: the plugin');
    });

    test('are missing when there is no such program', async () => {
      await expect(
        credentialsOf({ exec: { apiVersion: v1, command: './absent' } }),
      ).rejects.toThrow('ENOENT');
    });
  });
});

describe('in a pod', () => {
  test('server, authority, token and namespace come from the service account', async () => {
    const account = 'var/run/secrets/kubernetes.io/serviceaccount';
    mkdirSync(join(folder, account), { recursive: true });
    write(`${account}/ca.crt`, pem);
    write(`${account}/token`, 'pod-token\n');
    write(`${account}/namespace`, 'coppice-system\n');
    vi.stubEnv('KUBERNETES_SERVICE_HOST', 'fd00::1');
    vi.stubEnv('KUBERNETES_SERVICE_PORT', '443');
    const connection = await load({ podRoot: folder });
    expect(connection.server).toBe('https://[fd00::1]:443');
    expect(connection.tls).toEqual({ ca: pem, insecure: false });
    expect(connection.namespace).toBe('coppice-system');
    expect(await connection.credentials.current()).toEqual({
      headers: { authorization: 'Bearer pod-token' },
    });
  });
});
