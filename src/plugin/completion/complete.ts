// What may come next on the command line: commands, flags, kinds, and names from the cluster.
// Shells ask by the scripts beside this file, and kubectl by a program `kubectl_complete-coppice`
// on PATH, in the format of cobra: one candidate a line, then a line with a directive.
import type { Flag } from '#src/cli/commands.ts';
import { systemClock } from '#src/time/clock.ts';
import { type PluginCommand, type PluginCommandName, pluginCommands } from '../commands.ts';
import { kindNamed, namesOf, shownKinds } from '../kinds.ts';
import { itemsWanted, listPath } from '../objects.ts';
import { choices, isPluginCommand } from '../parse.ts';
import { openSession, type Run, type Session } from '../session.ts';
import { outputTo } from '../show/output.ts';
import { shells } from './scripts.ts';

/** As cobra calls its own, which kubectl knows. */
export const completionWord = '__complete';

/** A shell that waits longer is a nuisance. */
const patienceMs = 3_000;

/** Of cobra: nothing more; no names of files. */
const directives = { files: ':0', noFiles: ':4' } as const;

/** Prints candidates for the last word. Never rejects, and says nothing of errors. */
export async function complete(run: Run): Promise<number> {
  const words = run.argv.slice(1);
  const { candidates, isFile = false } = await candidatesFor(words, run).catch((): Candidates => ({
    candidates: [],
  }));
  const current = words.at(-1) ?? '';
  const fitting = candidates.filter((one) => one.startsWith(current));
  const directive = isFile ? directives.files : directives.noFiles;
  run.streams.out.write([...fitting, directive, ''].join('\n'));
  return 0;
}

interface Candidates {
  readonly candidates: readonly string[];
  readonly isFile?: boolean;
}

async function candidatesFor(words: readonly string[], run: Run): Promise<Candidates> {
  const [name = '', ...rest] = words;
  if (words.length <= 1) return { candidates: Object.keys(pluginCommands) };
  if (!isPluginCommand(name)) return { candidates: [] };
  const line = readLine(name, rest);
  if (line.open !== undefined) return valuesOf(name, line, line.open, run);
  if (line.current.startsWith('-')) {
    return { candidates: Object.keys(pluginCommands[name].flags).map((flag) => `--${flag}`) };
  }
  if (name === 'completion') return { candidates: shells };
  if (name === 'help') return { candidates: Object.keys(pluginCommands) };
  const { most = 0 }: PluginCommand = pluginCommands[name];
  if (line.before.length >= most) return { candidates: [] };
  return { candidates: await objectsFor(line, run) };
}

interface Line {
  readonly current: string;
  /** Words that are no flags, before the current one. */
  readonly before: readonly string[];
  readonly values: ReadonlyMap<string, string>;
  /** The flag whose value the current word is. */
  readonly open: string | undefined;
}

function readLine(name: PluginCommandName, words: readonly string[]): Line {
  const flags: Readonly<Record<string, Flag>> = pluginCommands[name].flags;
  const before: string[] = [];
  const values = new Map<string, string>();
  let open: string | undefined;
  for (const word of words.slice(0, -1)) {
    if (open !== undefined) {
      values.set(open, word);
      open = undefined;
    } else if (word.startsWith('-')) {
      const [flag = '', value] = word.replace(/^--?/, '').split('=', 2);
      const found = Object.entries(flags).find(([long, { short }]) => [long, short].includes(flag));
      if (found === undefined) continue;
      if (value !== undefined || found[1].type === 'boolean') values.set(found[0], value ?? 'true');
      else open = found[0];
    } else before.push(word);
  }
  return { current: words.at(-1) ?? '', before, values, open };
}

async function valuesOf(
  name: PluginCommandName,
  line: Line,
  flag: string,
  run: Run,
): Promise<Candidates> {
  const few = choices(name, flag);
  if (few.length > 0) return { candidates: few };
  if (flag === 'namespace' || flag === 'controller-namespace') {
    const namespaces = await withCluster(line, run, ({ transport }) =>
      listPath(transport, '/api/v1/namespaces', 'list namespaces'),
    );
    return { candidates: (namespaces ?? []).map(({ metadata }) => metadata.name) };
  }
  return { candidates: [], isFile: true };
}

/** Kinds first; then names, also behind the slash of `pcs/`. */
async function objectsFor(line: Line, run: Run): Promise<readonly string[]> {
  const [first] = line.before;
  const [, kind = first] = /^([^/]+)\//.exec(line.current) ?? [];
  if (kind === undefined) return shownKinds().flatMap(namesOf);
  const wanted = { kind: kindNamed(kind) };
  const items = await withCluster(line, run, ({ transport, namespace }) => {
    const isEverywhere = line.values.has('all-namespaces');
    return itemsWanted(transport, wanted, isEverywhere ? undefined : namespace);
  });
  const names = items.map(({ object }) => object.metadata.name);
  return first === undefined ? names.map((each) => `${kind}/${each}`) : names;
}

async function withCluster<T>(
  { values }: Line,
  { streams, version }: Run,
  act: (session: Session) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(patienceMs);
  const output = outputTo({ ...streams, color: 'never' });
  const flags = {
    kubeconfig: values.get('kubeconfig'),
    context: values.get('context'),
    namespace: values.get('namespace'),
  };
  const session = await openSession(flags, { clock: systemClock, output, version, signal });
  try {
    return await act(session);
  } finally {
    await session.close();
  }
}
