// The cluster's own CA, server certificate, service-account key, static tokens and kubeconfigs.
// Everything is made anew for each cluster and lives in its folder alone.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority, type Issued } from '#src/tls/authority.ts';

export interface Credentials {
  readonly ca: string;
  readonly serverCert: string;
  readonly serverKey: string;
  readonly serviceAccountKey: string;
  readonly tokens: string;
  /** Kubeconfig file per user. */
  readonly kubeconfigs: Readonly<Record<User, string>>;
}

/** What the chart grants is beside them (chart.ts). */
const users = ['admin', 'controller', 'kube-controller-manager', 'kube-scheduler', 'kwok'] as const;
export type User = (typeof users)[number];

/** Under which Kubernetes' own roles are bound to them. */
const ownNames: Partial<Record<User, string>> = {
  'kube-controller-manager': 'system:kube-controller-manager',
  'kube-scheduler': 'system:kube-scheduler',
};

/** Writes all files into `folder` for an API server on `https://127.0.0.1:<port>`. All users are in
 *  system:masters, or with `hasRoles` those alone for whom Kubernetes has no roles. */
export async function writeCredentials(
  folder: string,
  port: number,
  hasRoles = false,
): Promise<Credentials> {
  const authority = await createAuthority('coppice-test-cluster', Date.now());
  const names = ['localhost', 'kubernetes.default.svc'];
  const server = await authority.server(names, ['127.0.0.1', '10.0.0.1']);
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const secrets = users.map((user) => ({ user, token: randomBytes(24).toString('base64url') }));
  const kubeconfigs = Object.fromEntries(
    secrets.map(({ user, token }) => [
      user,
      file(`${user}.kubeconfig`, kubeconfig({ authority, port, user, token })),
    ]),
  ) as Record<User, string>;
  return {
    ca: file('ca.crt', authority.cert),
    serverCert: file('server.crt', server.cert),
    serverKey: file('server.key', server.key),
    serviceAccountKey: file(
      'sa.key',
      privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ),
    tokens: file(
      'tokens.csv',
      secrets.map(({ user, token }) => tokenLine(user, token, hasRoles)).join(''),
    ),
    kubeconfigs,
  };
}

function tokenLine(user: User, token: string, hasRoles: boolean): string {
  const own = hasRoles ? ownNames[user] : undefined;
  return own === undefined
    ? `${token},${user},${user},"system:masters"\n`
    : `${token},${own},${own}\n`;
}

interface Access {
  readonly authority: Issued;
  readonly port: number;
  readonly user: string;
  readonly token: string;
}

/** JSON is YAML, and needs no escaping of ours. */
function kubeconfig({ authority, port, user, token }: Access): string {
  const server = `https://127.0.0.1:${port}`;
  const data = Buffer.from(authority.cert).toString('base64');
  return JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'real', cluster: { server, 'certificate-authority-data': data } }],
      users: [{ name: user, user: { token } }],
      contexts: [{ name: 'real', context: { cluster: 'real', user, namespace: 'default' } }],
      'current-context': 'real',
    },
    null,
    2,
  );
}
