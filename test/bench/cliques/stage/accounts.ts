// Who asks, as in production: all daemons are one service account, the kubelet's plug-in another,
// the centre a third. The server's fairness then tells their requests apart, which it would not do
// for a cluster's admin.
import { writeFile } from 'node:fs/promises';
import { at, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { createNamespace, must } from '#test/support/workload.ts';
import { type Access, withToken } from '../wire.ts';

export interface Accounts {
  readonly daemon: Access;
  readonly plugin: Access;
  readonly central: Access;
}

const namespace = 'coppice-bench-accounts';
const group = 'rbac.authorization.k8s.io';
const ours = ['resource.nvidia.com'];

const rules: Readonly<Record<keyof Accounts, readonly JsonObject[]>> = {
  daemon: [
    {
      apiGroups: ours,
      resources: ['computedomaincliques'],
      verbs: ['get', 'list', 'watch', 'create', 'update', 'patch'],
    },
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'patch'] },
  ],
  plugin: [{ apiGroups: ours, resources: ['computedomaincliques'], verbs: ['get'] }],
  // What the product needs beyond this is not what is measured.
  central: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
};

/** Longer than any measurement. */
const tokenSeconds = 24 * 3600;

export async function openAccounts(client: KubeTransport, admin: Access): Promise<Accounts> {
  await createNamespace(client, namespace);
  const access = async (name: keyof Accounts): Promise<Access> =>
    withToken(admin, await openAccount(client, name));
  const [daemon, plugin, central] = await Promise.all([
    access('daemon'),
    access('plugin'),
    access('central'),
  ]);
  return { daemon, plugin, central };
}

async function openAccount(client: KubeTransport, name: keyof Accounts): Promise<string> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const roles = `/apis/${group}/v1`;
  const own = `coppice-bench-${name}`;
  const post = (path: string, body: JsonObject) => must(client, { method: 'POST', path, body });
  await post(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
  await post(`${roles}/clusterroles`, {
    apiVersion: `${group}/v1`,
    kind: 'ClusterRole',
    metadata: { name: own },
    rules: [...rules[name]],
  });
  await post(`${roles}/clusterrolebindings`, {
    apiVersion: `${group}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: own },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: own },
    subjects: [{ kind: 'ServiceAccount', namespace, name }],
  });
  const answer = await post(`${accounts}/${name}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: tokenSeconds },
  });
  return text(at(answer, 'status', 'token'));
}

/** For a process that reads a file. JSON is YAML. */
export async function writeKubeconfig(file: string, access: Access): Promise<void> {
  const { server, ca, headers } = access;
  const name = 'bench';
  const data = Buffer.from(ca).toString('base64');
  const token = headers['authorization']?.replace('Bearer ', '');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': data } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
}
