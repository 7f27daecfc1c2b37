// The rows of the built-in kinds: the lines of builtin-table.ts with their schemas, columns and
// strategies. The cluster builds its registry from them.
import type { ResourceInfo, Strategy, SubresourceInfo } from '../contract.ts';
import { plainStrategy, strategies, withStatus } from '../strategies/index.ts';
import { builtinLines, splitApiVersion } from './builtin-table.ts';
import type { BuiltinLine, SubresourceLine } from './builtin-table.ts';
import { builtinColumns } from './columns/index.ts';
import { validateCrd, validateCrdUpdate } from './crd.ts';
import { definitionNameOf, definitions } from './definitions.ts';

const statusOnly: Strategy = withStatus({});

/** The schema inside a CRD is judged here; its envelope (defaults, status) by its own strategy. */
const judged = (strategy: Strategy): Strategy => ({
  ...strategy,
  validate: (crd, subresource) => (subresource === '' ? validateCrd(crd) : []),
  validateUpdate: (crd, old, subresource) =>
    subresource === '' ? validateCrdUpdate(crd, old) : [],
});

function strategyOf(key: string, line: BuiltinLine): Strategy {
  if (line.kind === 'CustomResourceDefinition') return judged(strategies[key] ?? statusOnly);
  const hasStatus = line.subresources.some(([name]) => name === 'status');
  return strategies[key] ?? (hasStatus ? statusOnly : plainStrategy);
}

const workloadScale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};

function subresource([name, kind, apiVersion, verbs]: SubresourceLine): SubresourceInfo {
  const [group, version] = splitApiVersion(apiVersion);
  const scale = name === 'scale' ? { scale: workloadScale } : {};
  return { name, kind, group, version, verbs, ...scale };
}

function rowOf(line: BuiltinLine): ResourceInfo {
  const [group, version] = splitApiVersion(line.apiVersion);
  const key = `${group}/${line.plural}`;
  const schema = definitions.get(definitionNameOf(group, version, line.kind) ?? '');
  if (schema === undefined) throw new Error(`no definition of ${line.apiVersion} ${line.kind}`);
  const columns = builtinColumns[key];
  return {
    group,
    version,
    kind: line.kind,
    listKind: `${line.kind}List`,
    plural: line.plural,
    singular: line.kind.toLowerCase(),
    shortNames: line.shortNames,
    categories: line.categories,
    namespaced: line.namespaced,
    verbs: line.verbs,
    subresources: line.subresources.map(subresource),
    schema,
    ...(columns === undefined ? {} : { columns }),
    strategy: strategyOf(key, line),
    custom: false,
  };
}

/** One row for each built-in kind, in the order of discovery. */
export const builtinResources = (): readonly ResourceInfo[] => builtinLines.map(rowOf);
