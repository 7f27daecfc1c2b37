// The controller's permissions on a real control plane: what Helm renders of the chart, and nothing
// else. Used by the tests on it, whose controllers run under them.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { at, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { chartFolder } from '#test/charts/grants.ts';
import { binary } from './up.ts';

const run = promisify(execFile);

/** Name and namespace of the release that tests install. */
export const release = 'coppice';
export const releaseNamespace = 'coppice-system';

/** Everything that has a switch, so that whatever a test turns on is granted. */
export const everything: JsonObject = {
  config: {
    modules: { nvidia: true, agentsandbox: true },
    computeDomains: { driverNamespace: releaseNamespace },
    authorizer: { enabled: true },
    network: { autoMNNVLEnabled: true },
    tokenSecrets: { readNamespaces: [releaseNamespace] },
    scheduler: {
      profiles: [{ name: 'default-scheduler' }, { name: 'kai-scheduler' }, { name: 'volcano' }],
    },
  },
};

/** Those that render the chart: Helm 3, with which tests install it, and Helm 4. */
export const helms = ['helm', 'helm4'] as const;

type Helm = (typeof helms)[number];

/** For the title of a test that is skipped; empty: it is built. */
export const unbuilt = (helm: Helm): string =>
  existsSync(binary(helm))
    ? ''
    : ` [skipped: not built: ${helm}. Build it: npm run cluster -- build]`;

interface Rendering {
  readonly helm?: Helm;
  readonly chart?: string;
  /** More of the command line. */
  readonly words?: readonly string[];
}

/** Bytes: the CRDs of agent-sandbox have the schema of pods four times. */
export const maxManifests = 32 * 1_048_576;

/** What `helm template` makes of the chart (a folder or a package) with these values; files go into
 *  the folder. */
export async function rendered(
  folder: string,
  values: JsonObject,
  { helm = 'helm', chart = chartFolder, words = [] }: Rendering = {},
): Promise<string> {
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  const where = ['--namespace', releaseNamespace, '--values', file];
  const { stdout } = await run(binary(helm), ['template', release, chart, ...where, ...words], {
    maxBuffer: maxManifests,
  });
  return stdout;
}

/** Path of the collection of each kind that is installed. */
const collections: Readonly<Record<string, string>> = {
  ServiceAccount: `/api/v1/namespaces/${releaseNamespace}/serviceaccounts`,
  ClusterRole: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ClusterRoleBinding: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  Role: `/apis/rbac.authorization.k8s.io/v1/namespaces/${releaseNamespace}/roles`,
  RoleBinding: `/apis/rbac.authorization.k8s.io/v1/namespaces/${releaseNamespace}/rolebindings`,
};

interface Installed {
  readonly admin: KubeTransport;
  /** Any of the cluster's; it says how to reach it. */
  readonly kubeconfig: string;
  readonly folder: string;
}

/** Installs ServiceAccount, Roles and bindings of the chart; resolves with a kubeconfig file of
 *  that ServiceAccount in the namespace of the release. Throws where anything is refused. */
export async function grantChart({ admin, kubeconfig, folder }: Installed): Promise<string> {
  const send = async (path: string, body: unknown): Promise<unknown> => {
    const reply = await admin.request({ method: 'POST', path, body });
    if (reply.status < 300) return reply.body;
    throw new Error(`POST ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: releaseNamespace } };
  await send('/api/v1/namespaces', namespace);
  for (const document of parseAllDocuments(await rendered(folder, everything))) {
    const object: unknown = document.toJS();
    const path = collections[text(at(object, 'kind'))];
    if (path !== undefined) await send(path, object);
  }
  const spec = { expirationSeconds: tokenSeconds };
  const token = await send(`${collections['ServiceAccount']}/${release}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec,
  });
  const file = join(folder, 'chart.kubeconfig');
  const own = kubeconfigOf(kubeconfig, text(at(token, 'status', 'token')));
  writeFileSync(file, JSON.stringify(own, null, 2), { mode: 0o600 });
  return file;
}

/** Longer than any run of the tests. */
const tokenSeconds = 86_400;

/** Of the ServiceAccount with this token, in its namespace. Kubeconfigs of our clusters are JSON
 *  with one cluster, one user and one context. */
export function kubeconfigOf(file: string, token: string, namespace = releaseNamespace): unknown {
  const { clusters, ...rest } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly clusters: readonly [{ readonly name: string }];
  };
  const context = { cluster: clusters[0].name, user: release, namespace };
  return {
    ...rest,
    clusters,
    users: [{ name: release, user: { token } }],
    contexts: [{ name: release, context }],
    'current-context': release,
  };
}
