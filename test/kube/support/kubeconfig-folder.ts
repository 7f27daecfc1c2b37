// A folder of kubeconfig files for one test, far from the machine's own, and what goes into them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';
import { loadConnection } from '#src/kube/connect/config.ts';
import type { Credentials, KubeConnection } from '#src/kube/connect/connection.ts';
import type { ConfigSource } from '#src/kube/connect/kubeconfig.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

export const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
export const base64 = Buffer.from(pem).toString('base64');

export type Fields = Record<string, unknown>;

/** A kubeconfig as JSON, which is YAML, with one cluster, user and context named `c`, `u`, `x`. */
export const config = (user: Fields = {}, cluster: Fields = {}, more: Fields = {}): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'team' } }],
    'current-context': 'x',
    ...more,
  });

export const load = (source: ConfigSource, clock = new VirtualClock()): Promise<KubeConnection> =>
  loadConnection(source, clock);

export class KubeconfigFolder {
  path = '';

  /** To be called once at the top of a test file: a new folder and environment for every test. */
  constructor() {
    beforeEach(() => {
      this.path = mkdtempSync(join(tmpdir(), 'coppice-kubeconfig-'));
      vi.stubEnv('KUBECONFIG', '');
      vi.stubEnv('KUBERNETES_SERVICE_HOST', undefined);
      vi.stubEnv('HOME', this.file('home'));
    });
    afterEach(() => {
      vi.unstubAllEnvs();
      rmSync(this.path, { recursive: true });
    });
  }

  file(name: string): string {
    return join(this.path, name);
  }

  write(name: string, text: string): string {
    mkdirSync(dirname(this.file(name)), { recursive: true });
    writeFileSync(this.file(name), text);
    return this.file(name);
  }

  /** The credentials of a kubeconfig with this user. */
  async credentialsOf(user: Fields): Promise<Credentials> {
    const { credentials } = await load({ file: this.write('config', config(user)) });
    return credentials.current();
  }
}
