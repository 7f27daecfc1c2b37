// Credentials from an `exec` plugin or a legacy `auth-provider` of a kubeconfig. The running is
// @kubernetes/client-node's; here are what it leaves out: the plugin's own input
// (KUBERNETES_EXEC_INFO), a time limit, and errors that name the plugin.
import { dirname, isAbsolute, resolve } from 'node:path';
import type { RequestOptions } from 'node:https';
import type { Cluster, KubeConfig, User } from '@kubernetes/client-node';
import type { Clock } from '#actors/ports.ts';
import type { Credentials } from './connection.ts';
import type { ReadCredentials } from './credentials.ts';
import { fieldsOf, listOf, textOf } from './json.ts';
import { KubeConfigError, type Picked } from './kubeconfig.ts';
import { credentialPluginTimeoutMs } from './limits.ts';

const execVersions = [
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
] as const;

/** Undefined where the user has neither a plugin nor a provider. Throws a KubeConfigError. */
export async function pluginCredentials(
  picked: Picked,
  clock: Clock,
): Promise<ReadCredentials | undefined> {
  const { user } = picked;
  if (!user.exec && !user.authProvider) return undefined;
  const library = await import('@kubernetes/client-node');
  const caller: User = user.exec
    ? { name: user.name, exec: execOf(picked) }
    : { name: user.name, authProvider: user.authProvider };
  // The plugin's answer is remembered in the KubeConfig until it expires: a new one forgets it.
  const start = (): KubeConfig => {
    const config = new library.KubeConfig();
    // The address is of no use here, but must look safe for the library to go on.
    const nowhere: Cluster = { name: 'none', server: 'https://localhost', skipTLSVerify: false };
    config.loadFromClusterAndUser(nowhere, caller);
    return config;
  };
  const what = user.exec ? `exec: the plugin "${String(caller.exec.command)}"` : 'auth-provider';
  let config = start();
  return async (afresh) => {
    if (afresh) config = start();
    try {
      return await withinTime(clock, ask(config));
    } catch (cause) {
      const message = cause instanceof Error ? cause.message.trim() : String(cause);
      const problem = `${what} gave no credentials: ${message || 'it failed without a message'}`;
      throw new KubeConfigError(picked.userFile, `users[${user.name}].user`, problem, { cause });
    }
  };
}

async function ask(config: KubeConfig): Promise<Credentials> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const authorization = textOf(fieldsOf(options.headers)['Authorization']);
  const cert = pem(options.cert);
  const key = pem(options.key);
  const hasCert = cert !== undefined && key !== undefined;
  if (authorization === undefined && !hasCert) {
    throw new Error('its answer holds neither status.token nor a client certificate with its key');
  }
  return {
    headers: authorization === undefined ? {} : { authorization },
    ...(hasCert ? { cert, key } : {}),
  };
}

const pem = (value: unknown): string | undefined =>
  Buffer.isBuffer(value) ? value.toString('utf8') : textOf(value);

/** The exec entry with its command made absolute and its input in the environment. */
function execOf(picked: Picked): Record<string, unknown> {
  const exec = fieldsOf(picked.user.exec);
  const at = `users[${picked.user.name}].user.exec`;
  const { userFile: file } = picked;
  const command = textOf(exec['command']);
  if (command === undefined || command === '') {
    throw new KubeConfigError(file, `${at}.command`, 'is missing: the program to run was expected');
  }
  const apiVersion = execVersions.find((version) => version === exec['apiVersion']);
  if (apiVersion === undefined) {
    const problem = `"${String(exec['apiVersion'])}" is not supported: ${execVersions.join(' or ')} would be right`;
    throw new KubeConfigError(file, `${at}.apiVersion`, problem);
  }
  if (exec['interactiveMode'] === 'Always') {
    const problem = '"Always" cannot work without a terminal: IfAvailable or Never would be right';
    throw new KubeConfigError(file, `${at}.interactiveMode`, problem);
  }
  const spec = {
    interactive: false,
    ...(exec['provideClusterInfo'] === true ? { cluster: clusterInfo(picked.cluster) } : {}),
  };
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec });
  return {
    ...exec,
    command:
      command.includes('/') && !isAbsolute(command) ? resolve(dirname(file), command) : command,
    env: [...listOf(exec['env']), { name: 'KUBERNETES_EXEC_INFO', value: info }],
  };
}

const clusterInfo = (cluster: Cluster): Record<string, unknown> => ({
  server: cluster.server,
  'insecure-skip-tls-verify': cluster.skipTLSVerify,
  ...(cluster.tlsServerName === undefined ? {} : { 'tls-server-name': cluster.tlsServerName }),
  ...(cluster.caData === undefined ? {} : { 'certificate-authority-data': cluster.caData }),
});

function withinTime(clock: Clock, answer: Promise<Credentials>): Promise<Credentials> {
  return new Promise((resolve, reject) => {
    const cancel = clock.at(clock.now() + credentialPluginTimeoutMs, () =>
      reject(new Error(`it has not answered within ${credentialPluginTimeoutMs / 1000} s`)),
    );
    answer.then(resolve, reject).finally(cancel);
  });
}
