// Rules: no dead files and no dead exports. Production code must be reached from a production entry
// point (a test alone keeps nothing alive); code under test/ from a test or a tool.
import { commands } from '#src/launch/commands.mjs';
import { folderOf, type Source, type Violation } from './sources.ts';

const productionFolders = ['client', 'machines', 'actors', 'bus', 'src'];

const isProduction = ({ path }: Source): boolean => productionFolders.includes(folderOf(path));

/** What package.json exports, for the programs of others. */
const clientDoor = 'client/index.mjs';

/** Scripts that npm, vitest and CI start. */
const entries = [
  clientDoor,
  'src/main.ts',
  'src/clique-agent.ts',
  'src/kubectl-coppice.ts',
  'src/activator/workers/thread.ts',
  'src/launch/launch.mjs',
  '.ci/stages.mjs',
  'vitest.config.ts',
  'tools/site/.vitepress/config.ts',
  'test/setup.ts',
  'test/e2e/real/vitest.config.ts',
  'test/e2e/real/global-setup.ts',
  'test/e2e/real/on-failure.ts',
  ...Object.values(commands).flatMap(([script]) => script ?? []),
];

/** What people start by hand (`node test/cluster/up.ts`, generators in tools/), and what vitest
 *  starts by its configuration. */
const isTool = (path: string): boolean =>
  /^test\/[a-z-]+\/(?:main|up|down)\.ts$|^tools\/[a-z]+\/(?:generate|compact|extract)\.ts$/.test(
    path,
  ) || /\/(?:vitest\.config|global-setup)\.ts$/.test(path);

export function checkDeadFiles(sources: readonly Source[]): readonly Violation[] {
  const paths = sources.map(({ path }) => path);
  const started = [...entries, ...paths.filter(isTool)];
  const production = reach(
    sources,
    started.filter((path) => !path.startsWith('test/')),
  );
  const all = reach(sources, [...started, ...paths.filter((path) => path.endsWith('.test.ts'))]);
  return sources.flatMap((source) => {
    const { path } = source;
    if (!all.has(path)) return [{ path, line: 1, message: 'nobody imports it' }];
    if (isProduction(source) && !production.has(path)) {
      return [
        { path, line: 1, message: 'only tests import it: production code has no use for it' },
      ];
    }
    return [];
  });
}

/** All files that are imported, directly or not, from the given ones. */
function reach(sources: readonly Source[], from: readonly string[]): ReadonlySet<string> {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const reached = new Set<string>();
  const waiting = from.filter((path) => byPath.has(path));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    for (const { target } of byPath.get(path)?.imports ?? []) {
      if (target !== undefined && byPath.has(target)) waiting.push(target);
    }
  }
  return reached;
}

/** Values that no other file imports and that their own file does not use either. Types do not
 *  count: one may be exported so that a signature can be named. */
export function checkDeadExports(sources: readonly Source[]): readonly Violation[] {
  const used = new Map<string, Set<string>>();
  for (const { target, names } of sources.flatMap(({ imports }) => imports)) {
    if (target === undefined) continue;
    const seen = used.get(target) ?? new Set<string>();
    used.set(target, seen);
    for (const name of names) seen.add(name);
  }
  const own = sources.filter((source) => isProduction(source) && source.path !== clientDoor);
  return own.flatMap((source) => {
    const taken = used.get(source.path) ?? new Set<string>();
    if (taken.has('*')) return [];
    return valueExports(source)
      .filter(({ name }) => !taken.has(name) && !isUsedWithin(source, name))
      .map(({ name, line }) => ({
        path: source.path,
        line,
        message: `${name} is exported and nobody uses it`,
      }));
  });
}

/** More than its own declaration; a mention in a comment counts, which is rare and does no harm. */
const isUsedWithin = ({ text }: Source, name: string): boolean =>
  Array.from(
    text.matchAll(new RegExp(`(?<![\\w$.'])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g')),
  ).length > 1;

function valueExports({ ast, lineOf }: Source): readonly { name: string; line: number }[] {
  const types = new Set(
    ast.program.body.flatMap((node) =>
      node.type === 'ExportNamedDeclaration' &&
      (node.declaration?.type === 'TSInterfaceDeclaration' ||
        node.declaration?.type === 'TSTypeAliasDeclaration')
        ? [node.declaration.id.name]
        : [],
    ),
  );
  return ast.module.staticExports.flatMap((statement) =>
    statement.entries.flatMap(({ isType, exportName, start }) =>
      isType || exportName.name === null || types.has(exportName.name)
        ? []
        : [{ name: exportName.name, line: lineOf(start) }],
    ),
  );
}
