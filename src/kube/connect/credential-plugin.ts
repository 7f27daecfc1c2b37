// Credentials from an `exec` plugin or a legacy `auth-provider` of a kubeconfig. Plugins are run
// here: @kubernetes/client-node gives them no input (KUBERNETES_EXEC_INFO) and lets one that hangs
// live for ever. Providers are the library's, with a time limit. Errors name the plugin.
import { type ChildProcess, spawn } from 'node:child_process';
import type { RequestOptions } from 'node:https';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { Cluster, KubeConfig, User } from '@kubernetes/client-node';
import type { Clock } from '#actors/ports.ts';
import { list, object, textOf } from '#machines/kubernetes/json.ts';
import { credentialPluginBytes, credentialPluginTimeoutMs } from '../limits.ts';
import type { Credentials } from './connection.ts';
import type { ReadCredentials } from './credentials.ts';
import { KubeConfigError, type Picked } from './kubeconfig.ts';

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
  const read = user.exec
    ? plugin(execOf(picked), clock)
    : await provider({ name: user.name, authProvider: user.authProvider }, clock);
  const what = user.exec
    ? `exec: the plugin "${textOf(object(user.exec)['command']) ?? ''}"`
    : 'auth-provider';
  return async (afresh) => {
    try {
      return await read(afresh);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message.trim() : String(cause);
      const problem = `${what} gave no credentials: ${message || 'it failed without a message'}`;
      throw new KubeConfigError(picked.userFile, `users[${user.name}].user`, problem, { cause });
    }
  };
}

/** Whoever asks while it runs gets the answer of that run, so there is one process at most. */
function plugin(command: PluginCommand, clock: Clock): ReadCredentials {
  let last: { readonly credentials: Credentials; readonly until: number } | undefined;
  let running: Promise<Credentials> | undefined;
  const run = async (): Promise<Credentials> => {
    try {
      const status = object(object(JSON.parse(await runPlugin(command, clock)))['status']);
      const expiry = Date.parse(textOf(status['expirationTimestamp']) ?? '');
      const credentials = credentialsIn(
        textOf(status['token']),
        textOf(status['clientCertificateData']),
        textOf(status['clientKeyData']),
      );
      last = { credentials, until: Number.isNaN(expiry) ? Infinity : expiry };
      return credentials;
    } finally {
      running = undefined;
    }
  };
  return (afresh) => {
    const isFresh = last !== undefined && last.until > clock.now();
    if (last !== undefined && isFresh && !afresh) return Promise.resolve(last.credentials);
    return (running ??= run());
  };
}

interface PluginCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Beside those of this process. */
  readonly env: Readonly<Record<string, string>>;
}

/** One run of it, which is dead before the promise settles, with all that it started. Resolves with
 *  what it printed; rejects where it cannot be started, fails, prints too much or hangs. */
function runPlugin({ command, args, env }: PluginCommand, clock: Clock): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a group of its own, to be killed as a whole
    });
    let problem: Error | undefined;
    const fail = (error: Error): void => {
      problem ??= error;
      kill(child);
    };
    const end = (): void => kill(child);
    process.once('exit', end);
    const cancel = clock.at(clock.now() + credentialPluginTimeoutMs, () =>
      fail(new Error(`it has not answered within ${credentialPluginTimeoutMs / 1000} s`)),
    );
    const outputs = [child.stdout, child.stderr].map((stream) => {
      let text = '';
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.length > credentialPluginBytes) fail(new Error('it printed too much'));
      });
      return () => text;
    });
    child.on('error', fail);
    child.once('close', (code) => {
      cancel();
      process.off('exit', end);
      const [output = '', complaint = ''] = outputs.map((read) => read());
      if (code !== 0) problem ??= new Error(complaint);
      if (problem === undefined) resolve(output);
      else reject(problem);
    });
  });
}

/** A plugin may hand its work to others, which hold its output open. */
function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Legacy, and the library's. */
async function provider(user: User, clock: Clock): Promise<ReadCredentials> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  // What it answers is remembered in the KubeConfig until it expires: a new one forgets it.
  const start = (): KubeConfig => {
    const config = new KubeConfig();
    // The address is of no use here, but must look safe for the library to go on.
    const nowhere: Cluster = { name: 'none', server: 'https://localhost', skipTLSVerify: false };
    config.loadFromClusterAndUser(nowhere, user);
    return config;
  };
  let config = start();
  return (afresh) => {
    if (afresh) config = start();
    return withinTime(clock, ask(config));
  };
}

async function ask(config: KubeConfig): Promise<Credentials> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const authorization = textOf(object(options.headers)['Authorization']);
  const token = authorization?.replace(/^Bearer /, '');
  return credentialsIn(token, pem(options.cert), pem(options.key));
}

function credentialsIn(
  token: string | undefined,
  cert: string | undefined,
  key: string | undefined,
): Credentials {
  const hasCert = cert !== undefined && key !== undefined;
  if (token === undefined && !hasCert) {
    throw new Error('its answer holds neither status.token nor a client certificate with its key');
  }
  return {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(hasCert ? { cert, key } : {}),
  };
}

const pem = (value: unknown): string | undefined =>
  Buffer.isBuffer(value) ? value.toString('utf8') : textOf(value);

/** The exec entry with its command made absolute and its input in the environment. */
function execOf(picked: Picked): PluginCommand {
  const exec = object(picked.user.exec);
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
  const given = list(exec['env']).map((each) => {
    const { name, value } = object(each);
    return [textOf(name) ?? '', textOf(value) ?? ''] as const;
  });
  return {
    command:
      command.includes('/') && !isAbsolute(command) ? resolve(dirname(file), command) : command,
    args: list(exec['args']).map(String),
    env: { ...Object.fromEntries(given), KUBERNETES_EXEC_INFO: info },
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
