// Finds and reads kubeconfig files, or the service account of a pod, and picks the context. File
// formats are @kubernetes/client-node's; what it leaves out or gets wrong is made up for here
// (tokenFile, missing files in KUBECONFIG, errors that name the field). config.ts calls it.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Cluster, KubeConfig, User } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { isObject, list, object, textOf } from '#machines/kubernetes/json.ts';

/** A kubeconfig that cannot be used; the message names file, field, what is wrong and what would be
 *  right, and is meant for people. */
export class KubeConfigError extends Error {
  readonly file: string;
  readonly field: string;

  constructor(file: string, field: string, problem: string, options: { cause?: unknown } = {}) {
    super(`${file}: ${field === '' ? '' : `${field}: `}${problem}`, options);
    this.name = 'KubeConfigError';
    this.file = file;
    this.field = field;
  }
}

export interface ConfigSource {
  /** A kubeconfig; absent: $KUBECONFIG, else the pod's service account, else ~/.kube/config. */
  readonly file?: string;
  /** Absent: `current-context`. */
  readonly context?: string;
  /** Where a pod's root is; for tests. */
  readonly podRoot?: string;
}

/** The context that was picked. */
export interface Picked {
  readonly cluster: Cluster;
  readonly clusterFile: string;
  readonly user: User;
  readonly userFile: string;
  /** Absolute path of `tokenFile`, which client-node does not read. */
  readonly tokenFile?: string;
  readonly namespace: string;
}

const accountRoot = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Throws a KubeConfigError. */
export async function pickContext(source: ConfigSource): Promise<Picked> {
  const files = filesOf(source);
  if (files !== undefined) return pick(await readFiles(files), source.context);
  const root = source.podRoot ?? '';
  const token = join(root, accountRoot, 'token');
  if (process.env['KUBERNETES_SERVICE_HOST'] !== undefined && existsSync(token)) {
    return inPod(root, token);
  }
  const ofUser = join(homedir(), '.kube', 'config');
  if (existsSync(ofUser)) return pick(await readFiles([ofUser]), source.context);
  throw new KubeConfigError(
    ofUser,
    '',
    'no kubeconfig was found: name one with --kubeconfig or $KUBECONFIG, put it there, or run in ' +
      'a pod with a service account',
  );
}

/** Files that were asked for by name; undefined where nobody did. */
function filesOf(source: ConfigSource): readonly string[] | undefined {
  if (source.file !== undefined) return [resolve(source.file)];
  const fromEnv = process.env['KUBECONFIG']?.split(delimiter).filter((file) => file !== '') ?? [];
  if (fromEnv.length === 0) return undefined;
  const present = fromEnv.filter((file) => existsSync(file));
  const [first = ''] = fromEnv;
  if (present.length > 0) return present.map((file) => resolve(file));
  throw new KubeConfigError(first, '', 'no such file, though $KUBECONFIG names it');
}

// -- files ----------------------------------------------------------------------------------------

interface ReadFile {
  readonly file: string;
  readonly config: KubeConfig;
  /** The file's own fields, for those that client-node drops. */
  readonly raw: unknown;
}

const readFiles = async (files: readonly string[]): Promise<readonly ReadFile[]> => {
  // Only who needs the library loads it, as that costs time and memory; and by this one name, so
  // that the bundle leaves out all else.
  const { KubeConfig } = await import('@kubernetes/client-node');
  return files.map((file) => readConfig(file, new KubeConfig()));
};

function readConfig(file: string, config: KubeConfig): ReadFile {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new KubeConfigError(file, '', `cannot be read: ${messageOf(cause)}`, { cause });
  }
  try {
    const raw: unknown = parse(text);
    if (!isObject(raw)) {
      throw new KubeConfigError(file, '', 'is no kubeconfig: a mapping with clusters was expected');
    }
    config.loadFromString(text);
    config.makePathsAbsolute(dirname(file));
    return { file, config, raw };
  } catch (cause) {
    if (cause instanceof KubeConfigError) throw cause;
    throw new KubeConfigError(file, '', messageOf(cause), { cause });
  }
}

/** What a tool keeps with the context under a name of its own; undefined: nothing, or no kubeconfig
 *  at all. Throws a KubeConfigError where `pickContext` does. */
export async function extensionOf(source: ConfigSource, name: string): Promise<unknown> {
  const ofUser = join(homedir(), '.kube', 'config');
  const files = filesOf(source) ?? (existsSync(ofUser) ? [ofUser] : []);
  const read = await readFiles(files);
  const wanted =
    source.context ?? read.find(({ config }) => config.currentContext)?.config.currentContext;
  const contexts = read.flatMap(({ raw }) => list(object(raw)['contexts']).map(object));
  const context = contexts.find((one) => one['name'] === wanted);
  const extensions = list(object(context?.['context'])['extensions']).map(object);
  return extensions.find((one) => one['name'] === name)?.['extension'];
}

/** As kubectl merges: the first file that names a thing wins. */
function pick(read: readonly ReadFile[], asked: string | undefined): Picked {
  const firstFile = read[0]?.file ?? '';
  const wanted = asked ?? read.find(({ config }) => config.currentContext)?.config.currentContext;
  const field = asked === undefined ? 'current-context' : 'context';
  if (wanted === undefined) {
    throw new KubeConfigError(firstFile, field, `is missing: ${offer(read, 'contexts')}`);
  }
  const context = find(read, 'contexts', wanted, field);
  const at = `contexts[${wanted}].context`;
  const cluster = find(read, 'clusters', context.entry.cluster, `${at}.cluster`);
  // A context without a user is anonymous.
  const user = context.entry.user
    ? find(read, 'users', context.entry.user, `${at}.user`)
    : { file: context.file, entry: { name: '' } };
  const tokenFile = tokenFileOf(read, user.file, user.entry.name);
  return {
    cluster: cluster.entry,
    clusterFile: cluster.file,
    user: user.entry,
    userFile: user.file,
    namespace: context.entry.namespace ?? 'default',
    ...(tokenFile === undefined ? {} : { tokenFile }),
  };
}

type Section = 'clusters' | 'contexts' | 'users';

function find<S extends Section>(
  read: readonly ReadFile[],
  section: S,
  name: string,
  field: string,
): { readonly file: string; readonly entry: KubeConfig[S][number] } {
  for (const { file, config } of read) {
    const entries: readonly KubeConfig[S][number][] = config[section];
    const entry = entries.find((candidate) => candidate.name === name);
    if (entry !== undefined) return { file, entry };
  }
  const problem = `"${name}" is not among the ${section}: ${offer(read, section)}`;
  throw new KubeConfigError(read[0]?.file ?? '', field, problem);
}

function offer(read: readonly ReadFile[], section: Section): string {
  const names = read.flatMap(({ config }) => config[section].map((entry) => `"${entry.name}"`));
  return names.length === 0 ? 'the file has none' : `one of ${names.join(', ')} would be right`;
}

function tokenFileOf(read: readonly ReadFile[], file: string, name: string): string | undefined {
  const raw = read.find((candidate) => candidate.file === file)?.raw;
  const entry = list(object(raw)['users']).find((user) => object(user)['name'] === name);
  const user = object(object(entry)['user']);
  for (const field of ['as-groups', 'as-uid', 'as-user-extra']) {
    if (user[field] === undefined) continue;
    const problem = 'is not supported: impersonate by "as" alone, or use the credentials directly';
    throw new KubeConfigError(file, `users[${name}].user.${field}`, problem);
  }
  const tokenFile = textOf(user['tokenFile']);
  return tokenFile === undefined ? undefined : resolve(dirname(file), tokenFile);
}

// -- a pod ----------------------------------------------------------------------------------------

async function inPod(root: string, token: string): Promise<Picked> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromCluster(root);
  const cluster = config.getCurrentCluster();
  const user = config.getCurrentUser();
  if (cluster === null || user === null) {
    throw new KubeConfigError(token, '', 'the service account of the pod cannot be used');
  }
  const namespace = config.getContextObject(config.currentContext)?.namespace ?? 'default';
  return {
    cluster,
    clusterFile: token,
    user: { name: user.name },
    userFile: token,
    tokenFile: token,
    namespace: namespace.trim(),
  };
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
