// Credentials of every kind that a kubeconfig can name, and how they rotate, on real files and
// programs.
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import type { Credentials, CredentialSource } from '#src/kube/connect/connection.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import {
  base64,
  config,
  type Fields,
  KubeconfigFolder,
  load,
  pem,
} from '../support/kubeconfig-folder.ts';

const folder = new KubeconfigFolder();

/** A killed child of a killed plugin is a zombie until init takes it. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const asked = async ({ current }: CredentialSource): Promise<Credentials> => current();

describe('credentials', () => {
  test('may be a token, a password, or an impersonated user', async () => {
    expect(await folder.credentialsOf({ token: 't\n' })).toEqual({
      headers: { authorization: 'Bearer t' },
    });
    const basic = Buffer.from('me:pw').toString('base64');
    expect(await folder.credentialsOf({ username: 'me', password: 'pw' })).toEqual({
      headers: { authorization: `Basic ${basic}` },
    });
    expect(await folder.credentialsOf({ token: 't', as: 'bob' })).toEqual({
      headers: { authorization: 'Bearer t', 'impersonate-user': 'bob' },
    });
  });

  test('may be a client certificate, inline or in files that are renewed', async () => {
    const inline = { 'client-certificate-data': base64, 'client-key-data': base64 };
    expect(await folder.credentialsOf(inline)).toEqual({ headers: {}, cert: pem, key: pem });
    const cert = folder.write('c.pem', pem);
    folder.write('k.pem', pem);
    const clock = new VirtualClock();
    const file = folder.write(
      'config',
      config({ 'client-certificate': 'c.pem', 'client-key': 'k.pem' }),
    );
    const { credentials } = await load({ file }, clock);
    expect((await credentials.current()).cert).toBe(pem.trim());
    writeFileSync(cert, pem.replace('MIIB', 'MIIC'));
    utimesSync(cert, 1, 1);
    await clock.advance(1_000);
    expect((await credentials.current()).cert).toContain('MIIC');
  });

  describe('from a token file', () => {
    const start = async () => {
      const token = folder.write('token', 'one\n');
      const clock = new VirtualClock();
      const { credentials } = await load(
        { file: folder.write('config', config({ tokenFile: 'token', token: 'x' })) },
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
        appendFileSync(${JSON.stringify(folder.file('runs'))}, 'x');
        const runs = readFileSync(${JSON.stringify(folder.file('runs'))}, 'utf8').length;
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
      expect(await folder.credentialsOf({ exec: plugin(token) })).toEqual({
        headers: { authorization: `Bearer 1 ${v1} false https://10.0.0.1:6443` },
      });
    });

    test('are printed by one that is told what the cluster is', async () => {
      const told = 'Buffer.from(JSON.stringify(info.spec.cluster)).toString("base64url")';
      const cluster = { 'certificate-authority-data': base64, 'tls-server-name': 'kubernetes' };
      const given = config({ exec: plugin(`{ token: ${told} }`) }, cluster);
      const { credentials } = await load({ file: folder.write('config', given) });
      const { authorization = '' } = (await credentials.current()).headers;
      const text = Buffer.from(authorization.slice('Bearer '.length), 'base64url').toString();
      expect(JSON.parse(text)).toEqual({
        server: 'https://10.0.0.1:6443',
        'insecure-skip-tls-verify': false,
        ...cluster,
      });
    });

    test('are minted once for many who ask, and again when the server refuses them', async () => {
      const file = folder.write('config', config({ exec: plugin('{ token: "run-" + runs }') }));
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
      expect(await folder.credentialsOf({ exec: plugin(status) })).toEqual({
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
      const current = folder.credentialsOf({ exec });
      await expect(current).rejects.toThrow(message);
      await expect(current).rejects.toThrow('exec: the plugin');
    });

    test('are missing when it hangs, and the message says for how long', async () => {
      const exec = {
        apiVersion: v1,
        command: process.execPath,
        args: ['-e', 'setTimeout(() => 0, 300)'],
      };
      const clock = new VirtualClock();
      const { credentials } = await load({ file: folder.write('config', config({ exec })) }, clock);
      const current = asked(credentials).catch((error: unknown) => error);
      await clock.advance(60_000);
      expect(String(await current)).toContain('it has not answered within 60 s');
    });

    test('are asked of one process at a time, which is dead with its children at its limit', async () => {
      const pids = folder.file('pids');
      const script = `echo $$ >> ${pids}; sleep 300 & echo $! >> ${pids}; wait`;
      const exec = { apiVersion: v1, command: '/bin/sh', args: ['-c', script] };
      const clock = new VirtualClock();
      const { credentials } = await load({ file: folder.write('config', config({ exec })) }, clock);
      const begun = (): number[] =>
        existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n').map(Number) : [];
      for (const round of [1, 2]) {
        const ask = (): Promise<unknown> =>
          asked(credentials).catch((error: unknown) => String(error));
        const answers = [ask(), ask()];
        await vi.waitFor(() => expect(begun()).toHaveLength(2 * round), 5_000);
        answers.push(ask());
        await clock.advance(60_000);
        for (const error of await Promise.all(answers)) expect(error).toContain('within 60 s');
        expect(begun()).toHaveLength(2 * round);
        await vi.waitFor(() => expect(begun().filter(isAlive)).toEqual([]), 5_000);
      }
    });

    test('are missing when it prints without end', async () => {
      const script = 'setInterval(() => console.log("x".repeat(10_000)), 0)';
      const exec = { apiVersion: v1, command: process.execPath, args: ['-e', script] };
      await expect(folder.credentialsOf({ exec })).rejects.toThrow('it printed too much');
    });

    test('are asked for again when they expire', async () => {
      const clock = new VirtualClock();
      const until = new Date(clock.now() + 10_000).toISOString();
      const exec = plugin(`{ token: "run-" + runs, expirationTimestamp: "${until}" }`);
      const { credentials } = await load({ file: folder.write('config', config({ exec })) }, clock);
      const current = async () => (await credentials.current()).headers['authorization'];
      expect(await current()).toBe('Bearer run-1');
      await clock.advance(9_000);
      expect(await current()).toBe('Bearer run-1');
      await clock.advance(2_000);
      expect(await current()).toBe('Bearer run-2');
    });

    test('are missing when there is no such program', async () => {
      await expect(
        folder.credentialsOf({ exec: { apiVersion: v1, command: './absent' } }),
      ).rejects.toThrow('ENOENT');
    });
  });
});
