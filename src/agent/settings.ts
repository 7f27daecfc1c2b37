// What the agent is told by its environment: NVIDIA's variables as the DaemonSet and the claim set
// them (spec compute-domain 2.6, 3.1), and our own. Read once, by run.ts and check.ts.
import { isIP } from 'node:net';
import { cliqueName } from '#machines/nvidia/objects/labels.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A variable is missing or wrong; the message names it and says what would be right. */
export class AgentSetupError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AgentSetupError';
  }
}

export interface Files {
  readonly config: string;
  readonly template: string;
  /** The nodes of the IMEX domain, one a line. */
  readonly nodes: string;
  readonly hosts: string;
  /** Stands for `/` where the files of the service account are meant. */
  readonly root: string;
}

export interface NatsPlace {
  readonly servers: readonly string[];
  /** A `.creds` file. */
  readonly credentials: string | undefined;
  /** PEM; TLS is then required. */
  readonly ca: string | undefined;
}

export interface AgentSettings {
  /** Empty: the node has no fabric. */
  readonly cliqueID: string;
  readonly domain: { readonly uid: string; readonly name: string; readonly namespace: string };
  readonly node: string;
  readonly pod: {
    readonly ip: string;
    readonly uid: string;
    readonly name: string;
    readonly namespace: string;
  };
  /** Of the clique object. */
  readonly clique: string;
  readonly maxNodes: number;
  /** Peers have fixed names, and a hosts file says where they are; false: IPs stand in the nodes
   *  file, and IMEX is restarted for each change. */
  readonly hasNames: boolean;
  /** Rows are in the clique object; false: in the status of the ComputeDomain. */
  readonly hasCliques: boolean;
  readonly isVerbose: boolean;
  /** Undefined: there is none to ask. */
  readonly nats: NatsPlace | undefined;
  readonly files: Files;
  /** Program and arguments. */
  readonly imex: readonly string[];
}

const noInjection =
  'CDI container edits did not apply -- is CDI enabled in your container runtime?';

const defaultConfig = '/imexd/imexd.cfg';

/** Throws an AgentSetupError. */
export function readSettings(env: Env): AgentSettings {
  const uid = domainOf(env);
  const cliqueID = cliqueOf(env);
  const gates = readGates(env['FEATURE_GATES'] ?? '');
  const hasNames = gates.get('IMEXDaemonsWithDNSNames') ?? true;
  const hasCliques = gates.get('ComputeDomainCliques') ?? true;
  if (hasCliques && !hasNames) {
    const why = 'requires IMEXDaemonsWithDNSNames to also be enabled';
    throw new AgentSetupError(`feature gate ComputeDomainCliques ${why}`);
  }
  return {
    cliqueID,
    domain: {
      uid,
      name: needed(env, 'COMPUTE_DOMAIN_NAME', 'the claim'),
      namespace: given(env, 'COMPUTE_DOMAIN_NAMESPACE') ?? 'default',
    },
    node: needed(env, 'NODE_NAME'),
    pod: {
      ip: addressOf(env),
      uid: needed(env, 'POD_UID'),
      name: needed(env, 'POD_NAME'),
      namespace: needed(env, 'POD_NAMESPACE'),
    },
    clique: cliqueName(uid, cliqueID),
    maxNodes: wholeNumber(env, 'MAX_NODES_PER_IMEX_DOMAIN', 1, 10_000),
    hasNames,
    hasCliques,
    isVerbose: verbosityOf(env) >= debugVerbosity,
    nats: natsOf(env),
    files: filesOf(env),
    imex: commandOf(env, 'COPPICE_IMEX_COMMAND', ['nvidia-imex', '-c', filesOf(env).config]),
  };
}

/** What the probe needs. Throws an AgentSetupError. */
export function readCheckSettings(env: Env): { cliqueID: string; command: readonly string[] } {
  domainOf(env);
  const standard = ['nvidia-imex-ctl', '-c', filesOf(env).config, '-q'];
  return { cliqueID: cliqueOf(env), command: commandOf(env, 'COPPICE_IMEX_CHECK', standard) };
}

/** From here on klog's verbosity means details. */
const debugVerbosity = 6;

/** Set by the kubelet plugin through CDI alone: its absence tells that nothing of it arrived
 *  (HC-10). */
function domainOf(env: Env): string {
  const uid = given(env, 'COMPUTE_DOMAIN_UUID');
  if (uid === undefined) throw new AgentSetupError(noInjection);
  return uid;
}

/** It becomes the value of a label. */
function cliqueOf(env: Env): string {
  const cliqueID = env['CLIQUE_ID'] ?? '';
  if (/^$|^[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/.test(cliqueID)) return cliqueID;
  throw wrong('CLIQUE_ID', cliqueID, '<UUID of the cluster>.<number>, or nothing');
}

function addressOf(env: Env): string {
  const ip = needed(env, 'POD_IP');
  if (isIP(ip) === 0) throw wrong('POD_IP', ip, 'an IPv4 or IPv6 address');
  return ip;
}

const verbosityOf = (env: Env): number =>
  given(env, 'LOG_VERBOSITY') === undefined ? 0 : wholeNumber(env, 'LOG_VERBOSITY', 0, 100);

/** `a=true,b=false,`: the comma at the end is NVIDIA's. Gates that concern others pass. */
function readGates(text: string): ReadonlyMap<string, boolean> {
  const gates = new Map<string, boolean>();
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    const [, name = '', value = ''] = /^([^=]+)=(true|false)$/i.exec(entry) ?? [];
    if (name === '') throw wrong('FEATURE_GATES', text, 'Name=true,Other=false');
    gates.set(name.trim(), value.toLowerCase() === 'true');
  }
  return gates;
}

function natsOf(env: Env): NatsPlace | undefined {
  const servers = (given(env, 'COPPICE_NATS_URL') ?? '')
    .split(',')
    .map((server) => server.trim())
    .filter((server) => server !== '');
  if (servers.length === 0) return undefined;
  return {
    servers,
    credentials: given(env, 'COPPICE_NATS_CREDENTIALS'),
    ca: given(env, 'COPPICE_NATS_CA'),
  };
}

function filesOf(env: Env): Files {
  const config = given(env, 'COPPICE_IMEX_CONFIG') ?? defaultConfig;
  return {
    config,
    template: `${config}.tmpl`,
    nodes: given(env, 'COPPICE_IMEX_NODES') ?? '/imexd/nodes.cfg',
    hosts: given(env, 'COPPICE_HOSTS_FILE') ?? '/etc/hosts',
    root: given(env, 'COPPICE_ROOT') ?? '/',
  };
}

function commandOf(env: Env, name: string, standard: readonly string[]): readonly string[] {
  const words = (env[name] ?? '').split(/\s+/).filter((part) => part !== '');
  return words.length === 0 ? standard : words;
}

const given = (env: Env, name: string): string | undefined => {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
};

function needed(env: Env, name: string, who = "the DaemonSet's downward API"): string {
  const value = given(env, name);
  if (value === undefined) throw new AgentSetupError(`${name} is not set: ${who} provides it`);
  return value;
}

function wholeNumber(env: Env, name: string, least: number, most: number): number {
  const text = needed(env, name, 'the DaemonSet');
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value >= least && value <= most) return value;
  throw wrong(name, text, `a whole number from ${least} to ${most}`);
}

const wrong = (name: string, value: string, right: string): AgentSetupError =>
  new AgentSetupError(`${name} is "${value.slice(0, 100)}": ${right} would be right`);
