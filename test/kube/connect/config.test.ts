// Kubeconfigs as people write them: what is picked, and that every mistake names file, field and
// what would be right.
import { describe, expect, test, vi } from 'vitest';
import type { ConfigSource } from '#src/kube/connect/kubeconfig.ts';
import { base64, config, KubeconfigFolder, load, pem } from '../support/kubeconfig-folder.ts';

const folder = new KubeconfigFolder();

describe('a kubeconfig', () => {
  test('gives server, authority, server name and namespace', async () => {
    folder.write('ca.crt', pem);
    const cluster = { 'certificate-authority': 'ca.crt', 'tls-server-name': 'kubernetes' };
    const connection = await load({ file: folder.write('config', config({}, cluster)) });
    expect(connection.server).toBe('https://10.0.0.1:6443');
    expect(connection.tls).toEqual({ ca: pem, servername: 'kubernetes', insecure: false });
    expect(connection.namespace).toBe('team');
  });

  test('may hold the authority inline, or ask for no check', async () => {
    const inline = config({}, { 'certificate-authority-data': base64 });
    expect((await load({ file: folder.write('a', inline) })).tls).toEqual({
      ca: pem,
      insecure: false,
    });
    const unchecked = config({}, { 'insecure-skip-tls-verify': true });
    expect((await load({ file: folder.write('b', unchecked) })).tls).toEqual({ insecure: true });
  });

  test('is picked by context where one is named', async () => {
    const contexts = [
      { name: 'x', context: { cluster: 'c', user: 'u' } },
      { name: 'y', context: { cluster: 'c', user: 'u', namespace: 'other' } },
    ];
    const file = folder.write('config', config({}, {}, { contexts }));
    expect((await load({ file, context: 'y' })).namespace).toBe('other');
    expect((await load({ file })).namespace).toBe('default');
  });

  test('may be spread over the files of $KUBECONFIG, of which the first that names a thing wins', async () => {
    const first = folder.write('first', config({ token: 'one' }, {}, { clusters: [] }));
    const second = folder.write('second', config({ token: 'two' }, { server: 'https://second' }));
    vi.stubEnv('KUBECONFIG', [folder.file('absent'), first, second].join(':'));
    const connection = await load({});
    expect(connection.server).toBe('https://second');
    expect((await connection.credentials.current()).headers).toEqual({
      authorization: 'Bearer one',
    });
  });

  test('is the one in the home folder where nothing else is said', async () => {
    folder.write('home/.kube/config', config());
    expect((await load({})).namespace).toBe('team');
  });
});

describe('a mistake in a kubeconfig is told with file and field:', () => {
  const failing = async (
    text: string,
    message: string | RegExp,
    source: Partial<ConfigSource> = {},
  ) => {
    const file = folder.write('config', text);
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
    await expect(load({ file: folder.file('absent') })).rejects.toThrow('absent: cannot be read');
    vi.stubEnv('KUBECONFIG', folder.file('absent'));
    await expect(load({})).rejects.toThrow('though $KUBECONFIG names it');
  });

  test('nothing at all', async () => {
    await expect(load({})).rejects.toThrow('no kubeconfig was found: name one with --kubeconfig');
  });
});

describe('in a pod', () => {
  test('server, authority, token and namespace come from the service account', async () => {
    const account = 'var/run/secrets/kubernetes.io/serviceaccount';
    folder.write(`${account}/ca.crt`, pem);
    folder.write(`${account}/token`, 'pod-token\n');
    folder.write(`${account}/namespace`, 'coppice-system\n');
    vi.stubEnv('KUBERNETES_SERVICE_HOST', 'fd00::1');
    vi.stubEnv('KUBERNETES_SERVICE_PORT', '443');
    const connection = await load({ podRoot: folder.path });
    expect(connection.server).toBe('https://[fd00::1]:443');
    expect(connection.tls).toEqual({ ca: pem, insecure: false });
    expect(connection.namespace).toBe('coppice-system');
    expect(await connection.credentials.current()).toEqual({
      headers: { authorization: 'Bearer pod-token' },
    });
  });
});
