// A ComputeDomainClique as its actor reads it: the rows with the indices of the nodes, the pods
// that own it, and the indices kept for nodes whose daemon is gone (spec compute-domain 1.2).
import { at, isObject, list, numberOf, strings, text } from '../../kubernetes/json.ts';
import { isMalformed, readMeta } from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { KubeObject, OwnerReference } from '../../kubernetes/objects.ts';
import { annotation, domainLabel } from './labels.ts';

export type Readiness = 'Ready' | 'NotReady';

export interface Row {
  readonly nodeName: string;
  readonly ipAddress: string;
  readonly cliqueID: string;
  /** As it is written there, which may be any number; absent counts as 0. */
  readonly index: number;
  readonly status: Readiness;
}

/** By node. */
export type Indices = ReadonlyMap<string, number>;

export interface ObservedClique extends Meta {
  readonly kind: 'ComputeDomainClique';
  /** UID of the ComputeDomain. */
  readonly domain: string;
  readonly cliqueID: string;
  readonly rows: readonly Row[];
  /** All of them, also such as are no pods. */
  readonly owners: readonly OwnerReference[];
  /** For nodes without a row; oldest first. */
  readonly reserved: Indices;
  /** UIDs of pods that run with an index that was taken from them. */
  readonly outdated: ReadonlySet<string>;
}

/** What stands for a clique that has no object yet, or no more. */
export const absentClique = (namespace: string, name: string): ObservedClique => ({
  kind: 'ComputeDomainClique',
  namespace,
  name,
  uid: '',
  resourceVersion: '',
  generation: 0,
  deleting: false,
  createdAt: undefined,
  labels: {},
  annotations: {},
  finalizers: [],
  owner: undefined,
  ...(partsOf(name) ?? { domain: name, cliqueID: '' }),
  rows: [],
  owners: [],
  reserved: new Map(),
  outdated: new Set(),
});

/** UID and clique of a name `<cdUID>.<cliqueID>`; undefined: it is none. */
export function partsOf(name: string): { domain: string; cliqueID: string } | undefined {
  const dot = name.indexOf('.');
  if (dot <= 0 || dot === name.length - 1) return undefined;
  return { domain: name.slice(0, dot), cliqueID: name.slice(dot + 1) };
}

export function readClique(source: KubeObject): ObservedClique | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  const parts = partsOf(meta.name);
  if (parts === undefined) {
    return { malformed: `metadata.name is ${meta.name}, not <UID of a ComputeDomain>.<clique ID>` };
  }
  const domain = meta.labels[domainLabel] ?? parts.domain;
  if (domain !== parts.domain) {
    return { malformed: `label ${domainLabel} is ${domain}; the name says ${parts.domain}` };
  }
  return {
    ...meta,
    kind: 'ComputeDomainClique',
    ...parts,
    rows: list(source['daemons']).flatMap((row) => readRow(row)),
    owners: list(source.metadata.ownerReferences).filter(isOwner),
    reserved: readReserved(meta.annotations[annotation.reserved]),
    outdated: new Set(strings(parse(meta.annotations[annotation.outdated]))),
  };
}

const isOwner = (one: unknown): one is OwnerReference =>
  ['kind', 'name', 'uid'].every((field) => typeof at(one, field) === 'string');

/** The schema asks for the name and lets nothing else through. */
function readRow(source: unknown): readonly Row[] {
  const nodeName = text(at(source, 'nodeName'));
  if (nodeName === '') return [];
  return [
    {
      nodeName,
      ipAddress: text(at(source, 'ipAddress')),
      cliqueID: text(at(source, 'cliqueID')),
      index: numberOf(at(source, 'index')) ?? 0,
      status: at(source, 'status') === 'Ready' ? 'Ready' : 'NotReady',
    },
  ];
}

/** What somebody wrote there by hand and nobody can read reserves nothing. */
function readReserved(value: string | undefined): Indices {
  const entries = list(parse(value)).filter(isObject);
  return new Map(
    entries.flatMap(({ node, index }): [string, number][] =>
      typeof node === 'string' && typeof index === 'number' && Number.isSafeInteger(index)
        ? [[node, index]]
        : [],
    ),
  );
}

function parse(value: string | undefined): unknown {
  if (value === undefined) return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

export const writeReserved = (reserved: Indices): string =>
  JSON.stringify([...reserved].map(([node, index]) => ({ node, index })));
