// The command line of `kubectl coppice` as a table, as src/cli/commands.ts is for the controller.
// parse.ts and help.ts read it, completion.ts offers it, and test/surface keeps a copy of it.
import { type Command, type Flag, kubeconfigFlags } from '#src/cli/commands.ts';

export interface PluginCommand extends Command {
  /** What stands for its words in the help; absent: it takes none. */
  readonly words?: string;
  readonly least?: number;
  readonly most?: number;
}

const string = <V extends string>(value: V, about: string) =>
  ({ type: 'string', value, about }) as const satisfies Flag;

const everywhere = {
  ...kubeconfigFlags('$KUBECONFIG, ~/.kube/config'),
  color: {
    type: 'string',
    value: 'WHEN',
    fallback: 'auto',
    about: 'auto (on a terminal, unless $NO_COLOR is set), always, never',
  },
} as const satisfies Record<string, Flag>;

const namespace = {
  namespace: {
    type: 'string',
    value: 'NAME',
    short: 'n',
    about: 'namespace; default: that of the context',
  },
} as const satisfies Record<string, Flag>;

const all = {
  'all-namespaces': { type: 'boolean', short: 'A', about: 'of all namespaces' },
} as const satisfies Record<string, Flag>;

const controller = {
  server: string('URL', 'where the controller answers, instead of a port-forward to its pod'),
  'certificate-authority': string('FILE', 'authority of its certificate, PEM, with --server'),
  token: string('TOKEN', 'token of the cluster, instead of that of the kubeconfig'),
  'controller-namespace': string('NAME', 'where the controller is; default: it is looked for'),
} as const satisfies Record<string, Flag>;

const output = (fallback: string, kinds: string) =>
  ({
    output: { type: 'string', value: 'FORMAT', fallback, short: 'o', about: kinds },
  }) as const satisfies Record<string, Flag>;

const timeout = (fallback: string, about: string) =>
  ({
    timeout: { type: 'string', value: 'DURATION', fallback, about },
  }) as const satisfies Record<string, Flag>;

const answerIn = timeout('30s', 'longest time for an answer, such as 30s or 2m');
const one = { words: 'KIND NAME', least: 1, most: 2 } as const;
const reason = { reason: string('TEXT', 'why, for the Event and for `why`') } as const;
const asked = { ...everywhere, ...namespace, ...controller, ...answerIn } as const;

export const pluginCommands = {
  tree: {
    about: 'show objects with all that they own, and how each of them is',
    words: '[KIND [NAME]]',
    most: 2,
    flags: { ...everywhere, ...namespace, ...all },
  },
  get: {
    about: 'show states and conditions at a glance; --wait waits until all are ready',
    words: '[KIND [NAME]]',
    most: 2,
    flags: {
      ...everywhere,
      ...namespace,
      ...all,
      ...controller,
      ...output('table', 'table, wide, json, yaml or name'),
      wait: { type: 'boolean', about: 'wait until all of them are ready' },
      ...timeout('10m', 'with --wait: longest time, such as 90s or 1h'),
    },
  },
  why: {
    about: 'say what an object waits for',
    ...one,
    flags: { ...asked, ...output('text', 'text, json or yaml') },
  },
  trace: {
    about: 'show what led to the last change of an object, or all facts of one trace',
    words: 'KIND NAME | ID',
    least: 1,
    most: 2,
    flags: { ...asked, ...output('text', 'text, json or yaml') },
  },
  tail: {
    about: 'show facts as they happen, until Ctrl-C',
    words: '[KIND [NAME]]',
    most: 2,
    flags: {
      ...everywhere,
      ...namespace,
      ...all,
      ...controller,
      ...output('text', 'text or json'),
      trace: string('ID', 'only facts of this trace'),
      ...timeout('0', 'end after this long, such as 10m; 0: never'),
    },
  },
  park: {
    about: 'stop the work on an object until unpark, a new spec or its deletion',
    ...one,
    flags: { ...asked, ...reason },
  },
  unpark: {
    about: 'go on with the work on an object',
    ...one,
    flags: { ...asked, ...reason },
  },
  check: {
    about: 'look for what is wrong with the installation, with a hint for each finding',
    flags: {
      ...everywhere,
      'controller-namespace': controller['controller-namespace'],
      config: string('FILE', 'configuration of the controller; default: that of its ConfigMap'),
      ...output('text', 'text, json or yaml'),
    },
  },
  inspect: {
    about: "open the controller's page in a browser, as the user of the kubeconfig",
    flags: {
      ...everywhere,
      ...controller,
      port: { type: 'number', value: 'PORT', fallback: 0, about: 'port on loopback, 0: any' },
      'no-browser': { type: 'boolean', about: 'print the link and open nothing' },
      ...answerIn,
    },
  },
  'support-bundle': {
    about: 'write an archive for a bug report: versions, objects, answers, logs, without secrets',
    flags: {
      ...everywhere,
      ...namespace,
      ...all,
      ...controller,
      file: string('FILE', 'archive; default: coppice-support-<time>.tar.gz'),
      ...timeout('5m', 'longest time; what is there by then is written'),
    },
  },
  completion: {
    about: 'print the script that completes this command line: bash, zsh, fish or powershell',
    words: 'SHELL',
    least: 1,
    most: 1,
    flags: {},
  },
  version: { about: 'print the version', flags: {} },
  help: { about: 'print this', words: '[COMMAND]', most: 1, flags: {} },
} as const satisfies Record<string, PluginCommand>;

export type PluginCommandName = keyof typeof pluginCommands;

/** As those of the controller (src/cli/commands.ts) where the meaning is the same. */
export const pluginExitCodes = {
  ok: { code: 0, meaning: 'done' },
  usage: { code: 1, meaning: 'the command line is wrong' },
  configuration: { code: 2, meaning: 'the kubeconfig, or a file that was named, cannot be used' },
  failed: { code: 4, meaning: 'the API server cannot be reached, or answered with an error' },
  notReady: { code: 5, meaning: 'not ready, or no answer, within --timeout' },
  problems: { code: 7, meaning: '`check` has found something that keeps Coppice from working' },
  notFound: { code: 9, meaning: 'there is no such object, or no actor of it' },
  forbidden: { code: 10, meaning: 'the user is not known, or may not do that' },
  noController: { code: 11, meaning: 'the controller cannot be reached' },
  refused: { code: 12, meaning: 'the controller refused, for another reason' },
} as const;

export type PluginExit = keyof typeof pluginExitCodes;
