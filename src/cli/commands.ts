// The command line as a table: commands, their flags and what each is for. `parse.ts` reads argv
// by it, `help.ts` prints it, and test/surface keeps a checked-in copy of it.

export interface Flag {
  readonly type: 'string' | 'boolean' | 'number';
  /** What stands for the value in the help, e.g. `FILE`. */
  readonly value?: string;
  readonly fallback?: string | number | boolean;
  /** One letter, for `-p`. */
  readonly short?: string;
  /** May be given more than once; the value is a list then. */
  readonly many?: boolean;
  readonly about: string;
}

export interface Command {
  readonly about: string;
  readonly flags: Readonly<Record<string, Flag>>;
}

const config = {
  type: 'string',
  value: 'FILE',
  about: 'configuration file (docs/configuration.md)',
} as const satisfies Flag;
/** `fallback`: where a kubeconfig is looked for that is not given. */
export const kubeconfigFlags = (fallback: string) =>
  ({
    kubeconfig: { type: 'string', value: 'FILE', about: `kubeconfig; default: ${fallback}` },
    context: { type: 'string', value: 'NAME', about: 'context of the kubeconfig' },
  }) as const satisfies Record<string, Flag>;
const ofController = kubeconfigFlags('$KUBECONFIG, in-cluster');
const nodes = {
  type: 'number',
  value: 'N',
  fallback: 4,
  about: 'simulated nodes in the embedded cluster',
} as const satisfies Flag;
const data = {
  type: 'string',
  value: 'DIR',
  fallback: '.coppice',
  about: 'folder for the kubeconfig and what the processes keep',
} as const satisfies Flag;

const apiPort = {
  type: 'number',
  value: 'PORT',
  fallback: 6550,
  about: 'port of the API server, 0: any',
} as const satisfies Flag;

export const commands = {
  dev: {
    about: 'start NATS, an embedded Kubernetes cluster and the controller, and show what happens',
    flags: {
      apply: {
        type: 'string',
        value: 'FILE',
        many: true,
        about: 'manifest to apply at the start instead of the sample; may be given again',
      },
      'exit-when-ready': {
        type: 'boolean',
        about: 'stop with 0 as soon as everything applied is ready',
      },
      'ready-timeout': {
        type: 'number',
        value: 'SECONDS',
        fallback: 120,
        about: 'with --exit-when-ready: give up, with exit code 5, after this long',
      },
      nodes,
      data,
      'no-nats': {
        type: 'boolean',
        about: 'run without NATS: nothing to follow or to ask there, the rest works',
      },
      config,
      'api-port': apiPort,
      'nats-port': { type: 'number', value: 'PORT', fallback: 4222, about: 'port of NATS, 0: any' },
      'http-port': {
        type: 'number',
        value: 'PORT',
        fallback: 2751,
        about: 'port of /livez /readyz /metrics /actors, 0: any',
      },
      'inspector-port': {
        type: 'number',
        value: 'PORT',
        fallback: 2755,
        about: 'port of the inspector, 0: any',
      },
      'activator-port': {
        type: 'number',
        value: 'PORT',
        fallback: 8012,
        about: 'port of the activator, where a manifest asks for one, 0: any',
      },
    },
  },
  controller: {
    about: 'run the controller alone against a cluster that is already there',
    flags: { config, ...ofController },
  },
  crds: {
    about: 'apply the CRDs of the modules that the configuration serves, and end',
    flags: { config, ...ofController },
  },
  cluster: {
    about: 'run the embedded Kubernetes cluster alone',
    flags: {
      nodes,
      data,
      port: apiPort,
    },
  },
  init: {
    about:
      'wait in a pod until other PodCliques of its PodGang have ready pods; ' +
      '`coppice --podcliques=...` is the same, as pods call it',
    flags: {
      podcliques: {
        type: 'string',
        value: 'NAME:COUNT',
        short: 'p',
        many: true,
        about: 'PodClique and the number of its pods that must be ready; may be given again',
      },
      root: {
        type: 'string',
        value: 'DIR',
        fallback: '/',
        about: 'folder that holds the files of the pod: var/grove/pod-info and var/run/secrets',
      },
    },
  },
  'clique-agent': {
    about:
      'run IMEX in a daemon pod of a ComputeDomain, with the index that the clique gives it; ' +
      'told by its environment (docs/clique-agent.md)',
    flags: {
      check: { type: 'boolean', about: 'say whether IMEX is ready, and end: the probe of the pod' },
    },
  },
  activator: {
    about: 'take requests for revisions, hold those that have no pod yet, and give each to a pod',
    flags: {
      config,
      ...ofController,
      workers: {
        type: 'number',
        value: 'N',
        about:
          'threads that take requests; default: `activator.workers` of the configuration, or 1',
      },
    },
  },
  webhook: {
    about: 'serve the admission webhooks alone, apart from the controller',
    flags: { config, ...ofController },
  },
  check: {
    about: 'look for what is wrong with an installation; the same as `kubectl coppice check`',
    flags: {
      config,
      ...ofController,
      output: {
        type: 'string',
        value: 'FORMAT',
        fallback: 'text',
        short: 'o',
        about: 'text, json or yaml',
      },
    },
  },
  bench: {
    about:
      'take a PodCliqueSet through deploy, steady state, scale and delete in a namespace of its ' +
      'own, and leave a report (docs/bench.md)',
    flags: {
      file: {
        type: 'string',
        value: 'FILE',
        short: 'f',
        about: 'manifest of one PodCliqueSet; needed',
      },
      ...kubeconfigFlags('$KUBECONFIG, in-cluster'),
      scale: {
        type: 'number',
        value: 'N',
        fallback: 0,
        about: 'replicas to scale to; 0: twice those of the manifest',
      },
      steady: {
        type: 'number',
        value: 'SECONDS',
        fallback: 30,
        about: 'how long it is left alone once it is available',
      },
      timeout: {
        type: 'number',
        value: 'SECONDS',
        fallback: 600,
        about: 'give up, with exit code 5, where a step takes longer',
      },
      'kwok-nodes': {
        type: 'number',
        value: 'N',
        fallback: 0,
        about: 'nodes to simulate with KWOK, which has to run; only the set goes there',
      },
      pprof: {
        type: 'string',
        value: 'URL',
        fallback: 'http://127.0.0.1:2753',
        about: 'where the profiles of the controller are served',
      },
      out: { type: 'string', value: 'DIR', about: 'new folder for what it leaves' },
    },
  },
  tail: {
    about: 'print facts from NATS as they happen (docs/tracing.md)',
    flags: {
      kind: { type: 'string', value: 'KIND', about: 'only of actors of this kind' },
      namespace: {
        type: 'string',
        value: 'NAMESPACE',
        short: 'n',
        about: 'only of actors in this namespace',
      },
      name: { type: 'string', value: 'NAME', about: 'only of actors of this name' },
      what: { type: 'string', value: 'WHAT', about: 'only of this kind of fact, e.g. transition' },
      trace: {
        type: 'string',
        value: 'ID',
        about: 'only of this trace; with --kind, --namespace and --name also those before now',
      },
      server: {
        type: 'string',
        value: 'URL',
        many: true,
        about: 'address of NATS instead of bus.servers; may be given again',
      },
      config,
    },
  },
  fmt: {
    about:
      "print facts from standard input for people: nats sub --raw 'coppice.fact.>' | coppice fmt",
    flags: {},
  },
  version: { about: 'print the version', flags: {} },
  help: { about: 'print this', flags: {} },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof commands;

/** Exit codes, as Grove has them where it has one (spec controllers 9.1). */
export const exitCodes = {
  ok: 0,
  usage: 1,
  configuration: 2,
  startFailed: 4,
  notReady: 5,
  /** Of the controller alone: a scheduler backend cannot work (spec controllers 9.1). */
  schedulerBackend: 5,
  stopped: 6,
  prerequisites: 7,
  /** The API server was restored from a backup: to be started anew. */
  historyLost: 8,
} as const;
