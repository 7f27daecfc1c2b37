// What becomes of the principal shapes of a PodCliqueSet, against tables that were written by hand
// from the specification: names, owners, labels, finalizers, gangs, and what is in them. Nothing
// writes these tables; who changes what becomes of a set changes them by hand, with the section.
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { at, isObject, list } from '#machines/kubernetes/json.ts';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { applyDefaults } from '#src/devcluster/schema/structural.ts';
import { crdSchema } from '#test/devcluster/schema/crd-fixtures.ts';
import {
  gangRows,
  hashLabel,
  nameOf,
  readShape,
  type Row,
  rowOf,
  type Shape,
  valueAt,
} from '#test/support/shape.ts';
import { aware } from '#test/support/topology.ts';
import { World } from '#test/support/world.ts';

const folder = new URL('shapes/', import.meta.url);
const schema = crdSchema('podcliquesets');

const isKubeObject = (value: unknown): value is KubeObject =>
  isObject(value) && isObject(value['metadata']) && typeof value['kind'] === 'string';

/** As the API server would store it, with the schema's defaults. */
function stored(manifest: unknown): KubeObject {
  if (!isKubeObject(manifest)) throw new Error('no object');
  if (manifest.kind !== 'PodCliqueSet') return manifest;
  applyDefaults(schema, manifest);
  return { ...manifest, metadata: { ...manifest.metadata, namespace: 'default' } };
}

/** The set and the objects that become of it, without what was there and what becomes of that. */
function grown({ manifest, given }: Shape): readonly KubeObject[] {
  const world = new World(given.length > 0 ? aware : {});
  const before = given.map(stored);
  for (const one of before) world.create(one);
  world.create(stored(manifest));
  world.converge();
  const outside = new Set<string | undefined>(before.map(({ kind }) => kind));
  const isOutside = (one: KubeObject): boolean =>
    outside.has(one.kind) || outside.has(controllerOf(one)?.kind);
  return [...world.objects.values()].filter((one) => !isOutside(one));
}

const sorted = (rows: readonly Row[]): readonly Row[] =>
  rows.toSorted((a, b) => (`${a['KIND']} ${a['NAME']}` < `${b['KIND']} ${b['NAME']}` ? -1 : 1));

/** What every object has, whatever its row says. */
function errorsOf(one: KubeObject, set: string): readonly string[] {
  const { kind, metadata } = one;
  const { labels = {}, name } = metadata;
  const isChild = kind !== 'PodCliqueSet';
  const [owner, ...others] = list(at(metadata, 'ownerReferences'));
  const holds: Readonly<Record<string, boolean>> = {
    'is not labelled as managed': !isChild || labels[managed] === 'grove-operator',
    'is not labelled as part of the set': !isChild || labels[partOf] === set,
    'has not one owner': !isChild || (owner !== undefined && others.length === 0),
    'does not block its owner': !isChild || at(owner, 'blockOwnerDeletion') === true,
    'has a template hash, or none': hashed.has(kind) === (labels[hashLabel] !== undefined),
    'has another name': kind !== 'Pod' || isPodName(name, labels['grove.io/podclique']),
  };
  const errors = Object.entries(holds).filter(([, isRight]) => !isRight);
  return errors.map(([error]) => `${kind}/${nameOf(one)} ${error}`);
}

const managed = 'app.kubernetes.io/managed-by';
const partOf = 'app.kubernetes.io/part-of';
const hashed: ReadonlySet<string> = new Set(['PodClique', 'Pod']);

const isPodName = (name: string, clique: string | undefined): boolean =>
  name.slice(0, -6) === clique && /^-[a-z0-9]{5}$/.test(name.slice(-6));

describe.each(readdirSync(folder))('The shape %s', (file) => {
  const shape = readShape(new URL(file, folder));
  const objects = grown(shape);
  const set = stored(shape.manifest).metadata.name;

  it('has exactly the objects of its table', () => {
    expect(objects.flatMap((one) => errorsOf(one, set))).toEqual([]);
    if (shape.objects === undefined) return;
    const { kinds, rows } = shape.objects;
    const columns = Object.keys(rows[0] ?? {});
    const found = objects.filter(({ kind }) => kinds.length === 0 || kinds.includes(kind));
    expect(sorted(found.map((one) => rowOf(one, columns)))).toEqual(sorted(rows));
  });

  it('has the gangs of its table', () => {
    const pods = objects.filter(({ kind }) => kind === 'Pod');
    const hosts = new Map(pods.map((pod) => [pod.metadata.name, nameOf(pod)]));
    const gangs = objects.filter(({ kind }) => kind === 'PodGang');
    const names = [...new Set(shape.gangs?.map(({ GANG }) => GANG))];
    const ordered = names.flatMap((name) => gangs.filter(({ metadata }) => metadata.name === name));
    if (shape.gangs === undefined) return;
    expect(gangs).toHaveLength(names.length);
    expect(ordered.flatMap((gang) => gangRows(gang, hosts))).toEqual(shape.gangs);
  });

  it.each(shape.fields)('has at $of: $path', ({ of, path, value }) => {
    const one = objects.find((each) => `${each.kind}/${nameOf(each)}` === of);
    if (one === undefined) throw new Error(`there is no ${of}`);
    expect(valueAt(one, path)).toEqual(value);
  });
});
