// Shapes: object graphs that were written by hand from the specification, as tables in text files
// (test/machines/grove/shapes), and the same tables of the objects of a world. A pod is named by
// its hostname, since its name ends in characters that mean nothing. Used by
// test/machines/grove/shapes.test.ts.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { at, isObject, list, object, text } from '#machines/kubernetes/json.ts';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';

export type Row = Readonly<Record<string, string>>;

export interface Field {
  /** `Kind/name`. */
  readonly of: string;
  /** Keys and indices with blanks between them; `env` and `env of <container>` are written out. */
  readonly path: string;
  /** Undefined: there is none. */
  readonly value: unknown;
}

export interface Shape {
  readonly manifest: unknown;
  /** What is in the cluster before. */
  readonly given: readonly unknown[];
  /** Absent: not listed. `kinds`: all objects of these, or all that there are. */
  readonly objects:
    | { readonly kinds: readonly string[]; readonly rows: readonly Row[] }
    | undefined;
  readonly gangs: readonly Row[] | undefined;
  readonly fields: readonly Field[];
}

/** A section begins with `--- name`; above the first one is what the shape is about. */
export function readShape(file: URL): Shape {
  const sections = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    if (!line.startsWith('--- ')) lines.push(line);
    else sections.set(line.slice(4), (lines = []));
  }
  const named = (name: string) => [...sections].find(([title]) => title.split(' ')[0] === name);
  const [title = '', objects] = named('objects') ?? [];
  const gangs = named('gangs')?.[1];
  const given = named('given')?.[1];
  return {
    manifest: parse(named('manifest')?.[1].join('\n') ?? ''),
    given: given === undefined ? [] : [parse(given.join('\n'))],
    objects: objects && { kinds: title.split(' ').slice(1), rows: table(objects) },
    gangs: gangs && table(gangs),
    fields: (named('fields')?.[1] ?? []).map(readField),
  };
}

const cells = (line: string): readonly string[] => line.split(/ {2,}/);

function table([head = '', ...lines]: readonly string[]): readonly Row[] {
  const names = cells(head);
  return lines.map((line) => {
    const values = cells(line);
    if (values.length !== names.length)
      throw new Error(`${names.length} cells are wanted: ${line}`);
    return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
  });
}

function readField(line: string): Field {
  const [of = '', path = '', written = ''] = cells(line);
  const isText = path.startsWith('env');
  return { of, path, value: written === '-' ? undefined : isText ? written : JSON.parse(written) };
}

/** Columns of labels. All others but those that every object has are in OTHER-LABELS. */
const labelColumns: Readonly<Record<string, string>> = {
  COMPONENT: 'app.kubernetes.io/component',
  'NAME-LABEL': 'app.kubernetes.io/name',
  I: 'grove.io/podcliqueset-replica-index',
  GROUP: 'grove.io/podcliquescalinggroup',
  G: 'grove.io/podcliquescalinggroup-replica-index',
  CLIQUE: 'grove.io/podclique',
  K: 'grove.io/podclique-pod-index',
  GANG: 'grove.io/podgang',
  BASE: 'grove.io/base-podgang',
};

const ofEvery = ['app.kubernetes.io/managed-by', 'app.kubernetes.io/part-of'];

/** Opaque: compared apart. */
export const hashLabel = 'grove.io/pod-template-hash';

export const nameOf = ({ kind, metadata, spec }: KubeObject): string =>
  kind === 'Pod' ? text(at(spec, 'hostname')) : metadata.name;

/** The row of an object; what a column does not say is `-`, and a column that is not asked for
 *  too. */
export function rowOf(one: KubeObject, columns: readonly string[]): Row {
  const labels = object(one.metadata.labels);
  const owner = controllerOf(one);
  const known = new Set([...Object.values(labelColumns), ...ofEvery, hashLabel]);
  const others = Object.entries(labels).filter(([key]) => !known.has(key));
  const row: Record<string, string> = {
    KIND: one.kind,
    NAME: nameOf(one),
    OWNER: owner === undefined ? '' : `${owner.kind}/${owner.name}`,
    'OTHER-LABELS': others.map(([key, value]) => `${key}=${text(value)}`).join(','),
    FINALIZER: (one.metadata.finalizers ?? [])
      .map((name) => name.replace(/^grove\.io\/(.*)\.grove\.io$/, '$1'))
      .join(','),
  };
  for (const [column, key] of Object.entries(labelColumns)) row[column] = text(labels[key]);
  const said = Object.entries(row).filter(
    ([name, value]) => columns.includes(name) || value !== '',
  );
  return Object.fromEntries(said.map(([name, value]) => [name, value === '' ? '-' : value]));
}

/** The groups of a gang in its order. */
export const gangRows = (gang: KubeObject, hosts: ReadonlyMap<string, string>): readonly Row[] =>
  list(at(gang['spec'], 'podgroups')).map((group) => ({
    GANG: gang.metadata.name,
    GROUP: text(at(group, 'name')),
    LEAST: String(at(group, 'minReplicas')),
    PODS: list(at(group, 'podReferences'))
      .map((pod) => hosts.get(text(at(pod, 'name'))) ?? 'unknown')
      .toSorted()
      .join(' '),
  }));

export function valueAt(one: KubeObject, path: string): unknown {
  const [first = '', , name] = path.split(' ');
  if (first === 'env') return environment(one, name);
  const found = path
    .split(' ')
    .reduce<unknown>(
      (value, key) => (Array.isArray(value) ? value[Number(key)] : at(value, key)),
      one,
    );
  const isEmpty = Array.isArray(found)
    ? found.length === 0
    : isObject(found) && !Object.keys(found)[0];
  return isEmpty ? undefined : found;
}

/** Of the first container, or of the one with the name. */
function environment(one: KubeObject, name: string | undefined): string {
  const pod = one.kind === 'Pod' ? one['spec'] : at(one['spec'], 'podSpec');
  const containers = [...list(at(pod, 'initContainers')), ...list(at(pod, 'containers'))];
  const wanted =
    name === undefined
      ? list(at(pod, 'containers'))[0]
      : containers.find((container) => at(container, 'name') === name);
  return list(at(wanted, 'env'))
    .map((entry) => {
      const path = text(at(entry, 'valueFrom', 'fieldRef', 'fieldPath'));
      return `${text(at(entry, 'name'))}=${path === '' ? text(at(entry, 'value')) : path}`;
    })
    .join(' ');
}
