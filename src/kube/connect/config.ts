// From a kubeconfig (or a pod's service account) to what http.ts connects with: the composition
// root calls it once per cluster. Only the reading is the library's, never its requests.
import { readFile } from 'node:fs/promises';
import type { Clock } from '#actors/ports.ts';
import type { Credentials, CredentialSource, KubeConnection, ServerTrust } from './connection.ts';
import { fixedCredentials } from './connection.ts';
import { pluginCredentials } from './credential-plugin.ts';
import { cachedCredentials, watchedFile, type ReadCredentials } from './credentials.ts';
import { KubeConfigError, pickContext, type ConfigSource, type Picked } from './kubeconfig.ts';

interface Named {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/** Of the file and the context that are named, else of those that kubectl takes. Rejects as
 *  `loadConnection` does. */
export const connectionTo = (
  { kubeconfig: file, context }: Named,
  clock: Clock,
): Promise<KubeConnection> =>
  loadConnection(
    { ...(file === undefined ? {} : { file }), ...(context === undefined ? {} : { context }) },
    clock,
  );

/** Rejects with a KubeConfigError, whose message says what to change. */
export async function loadConnection(source: ConfigSource, clock: Clock): Promise<KubeConnection> {
  const picked = await pickContext(source);
  const { cluster, clusterFile, namespace } = picked;
  const at = `clusters[${cluster.name}].cluster`;
  const url = URL.parse(cluster.server);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    const problem = `"${cluster.server}" is no URL: one like https://10.0.0.1:6443 would be right`;
    throw new KubeConfigError(clusterFile, `${at}.server`, problem);
  }
  if (cluster.proxyUrl) {
    const problem = 'proxies are not supported: name a server that can be reached directly';
    throw new KubeConfigError(clusterFile, `${at}.proxy-url`, problem);
  }
  const tls = await trustOf(picked, at);
  const credentials = await credentialsOf(picked, clock);
  return { server: cluster.server, tls, namespace, credentials };
}

async function trustOf({ cluster, clusterFile }: Picked, at: string): Promise<ServerTrust> {
  const field = `${at}.certificate-authority${cluster.caData ? '-data' : ''}`;
  const ca = await pemOf(clusterFile, field, cluster.caData, cluster.caFile);
  if (ca !== undefined && cluster.skipTLSVerify) {
    const problem = 'cannot go with insecure-skip-tls-verify: leave out one of the two';
    throw new KubeConfigError(clusterFile, field, problem);
  }
  return {
    insecure: cluster.skipTLSVerify,
    ...(ca === undefined ? {} : { ca }),
    ...(cluster.tlsServerName ? { servername: cluster.tlsServerName } : {}),
  };
}

/** Inline data wins over a file, as in client-go. */
async function pemOf(
  file: string,
  field: string,
  data: string | undefined,
  path: string | undefined,
): Promise<string | undefined> {
  if (!data && !path) return undefined;
  let text = data ? Buffer.from(data, 'base64').toString('utf8') : '';
  if (!data && path) {
    try {
      text = await readFile(path, 'utf8');
    } catch (cause) {
      throw new KubeConfigError(file, field, `cannot be read: ${String(cause)}`, { cause });
    }
  }
  if (text.includes('-----BEGIN ')) return text;
  const problem = data ? 'is no PEM in base64' : `the file ${path} is no PEM`;
  throw new KubeConfigError(file, field, `${problem}: "-----BEGIN CERTIFICATE-----" was expected`);
}

/** The first that is there, in client-go's order: token file, token, password, plugin; a client
 *  certificate and impersonation come on top. */
async function credentialsOf(picked: Picked, clock: Clock): Promise<CredentialSource> {
  const { tokenFile } = picked;
  const certificate = await certificateOf(picked, clock);
  const plugin = await pluginCredentials(picked, clock);
  const token = tokenFile === undefined ? undefined : await tokenOf(picked, tokenFile, clock);
  const fixed = fixedHeaders(picked);
  const isFixed = token === undefined && plugin === undefined && !certificate.canChange;
  if (isFixed) return fixedCredentials({ headers: fixed, ...(await certificate.read(false)) });
  const read: ReadCredentials = async (afresh) => {
    const minted = plugin === undefined ? undefined : await plugin(afresh);
    const bearer = token === undefined ? undefined : `Bearer ${await token(afresh)}`;
    const authorization = bearer === undefined ? {} : { authorization: bearer };
    const headers = { ...minted?.headers, ...fixed, ...authorization };
    return { ...(await certificate.read(afresh)), ...minted, headers };
  };
  return cachedCredentials(clock, read);
}

interface Certificate {
  /** True for files, which may be renewed. */
  readonly canChange: boolean;
  readonly read: (afresh: boolean) => Promise<Pick<Credentials, 'cert' | 'key'>>;
}

async function certificateOf({ user, userFile }: Picked, clock: Clock): Promise<Certificate> {
  const at = `users[${user.name}].user`;
  // Read now in any case: what is wrong is told at the start, not at the first request.
  const cert = await pemOf(userFile, `${at}.client-certificate`, user.certData, user.certFile);
  const key = await pemOf(userFile, `${at}.client-key`, user.keyData, user.keyFile);
  if (cert === undefined && key === undefined) {
    return { canChange: false, read: () => Promise.resolve({}) };
  }
  if (cert === undefined || key === undefined) {
    const missing = cert === undefined ? 'client-certificate' : 'client-key';
    const problem = 'is missing: certificate and key go together';
    throw new KubeConfigError(userFile, `${at}.${missing}`, problem);
  }
  const certFile = user.certData || !user.certFile ? undefined : watchedFile(clock, user.certFile);
  const keyFile = user.keyData || !user.keyFile ? undefined : watchedFile(clock, user.keyFile);
  return {
    canChange: certFile !== undefined || keyFile !== undefined,
    read: async (afresh) => ({
      cert: certFile === undefined ? cert : await certFile(afresh),
      key: keyFile === undefined ? key : await keyFile(afresh),
    }),
  };
}

/** A token file that is not there is told at the start, not at the first request. */
async function tokenOf(
  picked: Picked,
  tokenFile: string,
  clock: Clock,
): Promise<ReturnType<typeof watchedFile>> {
  const token = watchedFile(clock, tokenFile);
  try {
    await token(false);
    return token;
  } catch (cause) {
    const field = `users[${picked.user.name}].user.tokenFile`;
    throw new KubeConfigError(picked.userFile, field, `cannot be read: ${String(cause)}`, {
      cause,
    });
  }
}

function fixedHeaders({ user }: Picked): Record<string, string> {
  const basic = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64');
  return {
    ...(user.username ? { authorization: `Basic ${basic}` } : {}),
    ...(user.token ? { authorization: `Bearer ${user.token.trim()}` } : {}),
    ...(user.impersonateUser ? { 'impersonate-user': user.impersonateUser } : {}),
  };
}
