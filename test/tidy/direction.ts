// Rule: imports point one way, machines <- actors <- bus <- src, and a layer knows only the
// packages that it is made for (docs/architecture.md).
import { folderOf, isUnder, type Import, type Source, type Violation } from './sources.ts';

interface Layer {
  /** Folders, or single files, of the project that it may import. */
  readonly own: readonly string[];
  /** Packages and builtins, by the start of their name. */
  readonly packages: readonly string[];
}

const layers: Readonly<Record<string, Layer>> = {
  client: { own: ['client'], packages: [] },
  machines: { own: ['machines'], packages: ['xstate'] },
  actors: { own: ['machines', 'actors'], packages: ['xstate'] },
  bus: { own: ['machines', 'actors/ports.ts', 'bus'], packages: ['@nats-io/', 'node:'] },
  src: { own: ['machines', 'actors', 'bus', 'src'], packages: [''] },
  test: { own: ['machines', 'actors', 'bus', 'src', 'test', 'tools'], packages: [''] },
  tools: { own: ['machines', 'src', 'tools'], packages: [''] },
};

export function checkDirection(sources: readonly Source[]): readonly Violation[] {
  return sources.flatMap(({ path, imports }) => {
    const folder = folderOf(path);
    const layer = layers[folder];
    if (layer === undefined) return [];
    return imports.flatMap((one) => {
      const message = judge(folder, layer, one);
      return message === undefined ? [] : [{ path, line: one.line, message }];
    });
  });
}

function judge(
  folder: string,
  layer: Layer,
  { specifier, target, isStarted }: Import,
): string | undefined {
  if (target === undefined) {
    return layer.packages.some((start) => specifier.startsWith(start))
      ? undefined
      : `${folder}/ may not import ${specifier}, only ${layer.packages.join(' ')}`;
  }
  if (!layer.own.some((own) => isUnder(target, own))) {
    return `${folder}/ may not import ${target}, only ${layer.own.join(' ')}`;
  }
  if (!isStarted && specifier.startsWith('.') && folderOf(target) !== folder) {
    return `write #${target}: relative imports stay within ${folder}/`;
  }
  return /\.(?:tsx?|mjs|json|yaml)$/.test(specifier)
    ? undefined
    : `write ${specifier} with its ending: Node runs sources as they are`;
}
