// Rules on dependencies: what is imported is declared, what is declared is imported, every package
// has its reason in the README, versions are exact, and the lockfile names no registry.
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { folderOf, root, type Source, type Violation } from './sources.ts';

interface Manifest {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** Development packages that are started, or read by a compiler, and never imported. */
const tools = ['typescript', 'oxlint', 'oxlint-tsgolint', 'oxfmt', '@types/node'];
/** Bundling, tests and what runs in a browser: files of src/ that Node does not run. */
const isDevelopment = (path: string): boolean =>
  ['test', 'tools'].includes(folderOf(path)) ||
  !path.includes('/') ||
  /^src\/(?:bundle|inspector\/page|launch)\/|\/tool\//.test(path);

/** `@scope/name/part` and `name/part` without the part; undefined for builtins and own files. */
function packageOf(specifier: string): string | undefined {
  if (isBuiltin(specifier) || /^[.#]/.test(specifier)) return undefined;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

export function checkPackages(sources: readonly Source[]): readonly Violation[] {
  const text = readFileSync(join(root, 'package.json'), 'utf8');
  const manifest: Manifest = JSON.parse(text);
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  const lines = text.split('\n');
  const at = (name: string, message: string): Violation => ({
    path: 'package.json',
    line: lines.findIndex((line) => line.includes(`"${name}":`)) + 1,
    message,
  });
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const imported = new Set<string>();
  const undeclared = sources.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier, line }) => {
      const name = packageOf(specifier);
      // By its own name a package imports what it exports.
      if (name === undefined || name === manifest.name) return [];
      imported.add(name);
      const isDeclared = name in dependencies || (isDevelopment(path) && name in devDependencies);
      return isDeclared ? [] : [{ path, line, message: `${name} is not declared for this file` }];
    }),
  );
  const declared = Object.entries({ ...dependencies, ...devDependencies });
  return [
    ...undeclared,
    ...declared
      .filter(([name]) => !imported.has(name) && !tools.includes(name))
      .map(([name]) => at(name, `${name} is declared and nobody imports it`)),
    ...declared
      .filter(([name]) => !name.startsWith('@types/') && !readme.includes(`\`${name}\``))
      .map(([name]) => at(name, `${name} has no reason in README.md`)),
    ...[...declared, ...Object.entries(optionalDependencies)]
      .filter(([, version]) => !/^(?:npm:\S+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
      .map(([name, version]) => at(name, `${name} ${version} is no exact version`)),
    ...checkLockfile(),
  ];
}

function checkLockfile(): readonly Violation[] {
  const lines = readFileSync(join(root, 'package-lock.json'), 'utf8').split('\n');
  const line = lines.findIndex((text) => text.includes('"resolved":')) + 1;
  const message = 'names a registry: remove "resolved", so that any mirror can serve it';
  return line === 0 ? [] : [{ path: 'package-lock.json', line, message }];
}
