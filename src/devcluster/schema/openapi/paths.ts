// The paths of an OpenAPI v3 document: one operation for each verb, with what kubectl looks for in
// them (actions, kinds, content types of patches, the fieldValidation and dryRun parameters).
import type { ResourceInfo, SubresourceInfo } from '../../contract.ts';
import { nameOfKind } from './custom.ts';

type Doc = Record<string, unknown>;

const query = (name: string, description: string, type = 'string'): Doc => ({
  description,
  in: 'query',
  name,
  schema: { type, uniqueItems: true },
});

const writeParameters: readonly Doc[] = [
  query('dryRun', 'All: go through every stage, store nothing.'),
  query('fieldManager', 'Name of the writer, for the ownership of fields.'),
  query('fieldValidation', 'What to do about unknown and repeated fields: Ignore, Warn or Strict.'),
];
const force = query('force', 'Take over fields that other appliers own.', 'boolean');

const listParameters: readonly Doc[] = [
  query('allowWatchBookmarks', 'Send bookmarks in a watch.', 'boolean'),
  query('continue', 'Token of the next page.'),
  query('fieldSelector', 'Only objects with these field values.'),
  query('labelSelector', 'Only objects with these labels.'),
  query('limit', 'Objects in a page.', 'integer'),
  query('resourceVersion', 'The version that the answer must not be older than.'),
  query('resourceVersionMatch', 'How resourceVersion is meant: Exact or NotOlderThan.'),
  query('sendInitialEvents', 'Begin a watch with the objects that there are.', 'boolean'),
  query('timeoutSeconds', 'How long the request may take.', 'integer'),
  query('watch', 'Stream changes instead of a list.', 'boolean'),
];

const deleteParameters: readonly Doc[] = [
  query('dryRun', 'All: go through every stage, delete nothing.'),
  query('gracePeriodSeconds', 'Seconds until the object is removed.', 'integer'),
  query('propagationPolicy', 'What becomes of dependents: Orphan, Background or Foreground.'),
];

const place = (name: string, description: string): Doc => ({
  description,
  in: 'path',
  name,
  required: true,
  schema: { type: 'string', uniqueItems: true },
});

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

const content = (types: readonly string[], name: string): Doc =>
  Object.fromEntries(
    types.map((type) => [type, { schema: { $ref: `#/components/schemas/${name}` } }]),
  );

const answers = ['application/json', 'application/yaml'];

interface Operation {
  readonly action: string;
  readonly verb: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly onItem: boolean;
  readonly parameters: readonly Doc[];
}

const operations: readonly Operation[] = [
  { action: 'list', verb: 'list', method: 'get', onItem: false, parameters: listParameters },
  { action: 'post', verb: 'create', method: 'post', onItem: false, parameters: writeParameters },
  {
    action: 'deletecollection',
    verb: 'deletecollection',
    method: 'delete',
    onItem: false,
    parameters: [...deleteParameters, ...listParameters],
  },
  { action: 'get', verb: 'get', method: 'get', onItem: true, parameters: [] },
  { action: 'put', verb: 'update', method: 'put', onItem: true, parameters: writeParameters },
  {
    action: 'patch',
    verb: 'patch',
    method: 'patch',
    onItem: true,
    parameters: [...writeParameters, force],
  },
  {
    action: 'delete',
    verb: 'delete',
    method: 'delete',
    onItem: true,
    parameters: deleteParameters,
  },
];

const patchTypes = (custom: boolean): string[] => [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  ...(custom ? [] : ['application/strategic-merge-patch+json']),
];

interface Target {
  readonly row: ResourceInfo;
  /** Kind that goes in and out. */
  readonly kind: { group: string; version: string; kind: string };
  readonly body: string;
}

function operationOf(operation: Operation, target: Target, answer: string): Doc {
  const { row, kind, body } = target;
  const sent: Partial<Record<Operation['method'], Doc>> = {
    post: { content: content(['*/*'], body), required: true },
    put: { content: content(['*/*'], body), required: true },
    patch: { content: content(patchTypes(row.custom), `${meta}.Patch`), required: true },
    delete: { content: content(['*/*'], `${meta}.DeleteOptions`) },
  };
  const requestBody = sent[operation.method];
  return {
    operationId: [operation.action, row.group, row.version, kind.kind, row.plural]
      .join('_')
      .replaceAll(/[^A-Za-z0-9]+/g, '_'),
    parameters: operation.parameters,
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { '200': { content: content(answers, answer), description: 'OK' } },
    'x-kubernetes-action': operation.action,
    'x-kubernetes-group-version-kind': kind,
  };
}

function itemOf(
  verbs: readonly string[],
  onItem: boolean,
  target: Target,
  parameters: readonly Doc[],
): Doc {
  const item: Doc = {};
  for (const operation of operations) {
    if (operation.onItem !== onItem || !verbs.includes(operation.verb)) continue;
    const { row } = target;
    const isList = operation.action === 'list' || operation.action === 'deletecollection';
    const answer = isList ? listName(row, operation.action) : target.body;
    item[operation.method] = operationOf(operation, target, answer);
  }
  if (parameters.length > 0) item['parameters'] = parameters;
  return item;
}

const listName = (row: ResourceInfo, action: string): string =>
  action === 'list' ? nameOfKind(row, row.listKind) : `${meta}.Status`;

const hasOperations = (item: Doc): boolean => Object.keys(item).some((key) => key !== 'parameters');

/** The paths of one resource, by path. */
export function pathsOf(row: ResourceInfo): [string, Doc][] {
  const root = row.group === '' ? `/api/${row.version}` : `/apis/${row.group}/${row.version}`;
  const scope = row.namespaced ? `${root}/namespaces/{namespace}` : root;
  const namespace = row.namespaced ? [place('namespace', 'The namespace.')] : [];
  const named = [place('name', `The name of the ${row.kind}.`), ...namespace];
  const { group, version, kind } = row;
  const target: Target = { row, kind: { group, version, kind }, body: nameOfKind(row) };
  const paths: [string, Doc][] = [
    [`${scope}/${row.plural}`, itemOf(row.verbs, false, target, namespace)],
    [`${scope}/${row.plural}/{name}`, itemOf(row.verbs, true, target, named)],
  ];
  if (row.namespaced) {
    const readable = row.verbs.filter((verb) => verb === 'list');
    paths.push([`${root}/${row.plural}`, itemOf(readable, false, target, [])]);
  }
  for (const sub of row.subresources) {
    const below = subTarget(row, sub);
    const path = `${scope}/${row.plural}/{name}/${sub.name}`;
    const verbs = sub.verbs;
    const item = {
      ...itemOf(verbs, true, below, named),
      ...itemOf(createOnly(verbs), false, below, named),
    };
    paths.push([path, item]);
  }
  return paths.filter(([, item]) => hasOperations(item));
}

const createOnly = (verbs: readonly string[]): string[] =>
  verbs.filter((verb) => verb === 'create');

function subTarget(row: ResourceInfo, sub: SubresourceInfo): Target {
  const kind = {
    group: sub.group ?? row.group,
    version: sub.version ?? row.version,
    kind: sub.kind,
  };
  return { row, kind, body: nameOfKind({ ...row, ...kind }) };
}
