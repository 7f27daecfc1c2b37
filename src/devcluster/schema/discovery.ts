// Discovery: which groups, versions and resources there are, in the legacy form (/api, /apis and
// below) and aggregated into one document. The REST layer serves what these functions return.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { ResourceInfo, SubresourceInfo } from '../contract.ts';

type Resources = readonly ResourceInfo[];

/** `v1` before `v1beta2` before `v1alpha1`; higher numbers first, other names last by alphabet. */
export function compareVersions(a: string, b: string): number {
  const left = rankOf(a);
  const right = rankOf(b);
  for (const [index, rank] of left.entries()) {
    const difference = (right[index] ?? 0) - rank;
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : Number(a > b);
}

function rankOf(version: string): readonly number[] {
  const match = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version);
  if (match === null) return [0, 0, 0];
  const [, major, stage, minor] = match;
  const maturity = stage === undefined ? 3 : stage === 'beta' ? 2 : 1;
  return [maturity, Number(major), Number(minor ?? 0)];
}

const groupVersion = (group: string, version: string): string =>
  group === '' ? version : `${group}/${version}`;

/** The versions of a group, the preferred one first. */
const versionsOf = (resources: Resources, group: string): string[] =>
  [...new Set(resources.filter((row) => row.group === group).map((row) => row.version))].toSorted(
    compareVersions,
  );

const groupsOf = (resources: Resources): string[] =>
  [...new Set(resources.map((row) => row.group))].filter((group) => group !== '');

/** `/api` */
export const apiVersions = (resources: Resources, address: string): JsonObject => ({
  kind: 'APIVersions',
  versions: versionsOf(resources, ''),
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
});

function describeGroup(resources: Resources, group: string): JsonObject {
  const versions = versionsOf(resources, group).map((version) => ({
    groupVersion: groupVersion(group, version),
    version,
  }));
  return { name: group, versions, preferredVersion: versions[0] ?? {} };
}

/** `/apis` */
export const apiGroupList = (resources: Resources): JsonObject => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: groupsOf(resources).map((group) => describeGroup(resources, group)),
});

/** `/apis/<group>`; undefined for a group that is not served. */
export function apiGroup(resources: Resources, group: string): JsonObject | undefined {
  if (group === '' || !resources.some((row) => row.group === group)) return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(resources, group) };
}

const names = (row: ResourceInfo): JsonObject => ({
  ...(row.shortNames.length > 0 ? { shortNames: [...row.shortNames] } : {}),
  ...(row.categories.length > 0 ? { categories: [...row.categories] } : {}),
});

function describeResource(row: ResourceInfo): JsonObject[] {
  const main: JsonObject = {
    name: row.plural,
    singularName: row.singular,
    namespaced: row.namespaced,
    kind: row.kind,
    verbs: [...row.verbs],
    ...names(row),
  };
  const below = row.subresources.map((sub): JsonObject => {
    const { group, version } = responseKind(row, sub);
    const isOwn = group === row.group && version === row.version;
    return {
      name: `${row.plural}/${sub.name}`,
      singularName: '',
      namespaced: row.namespaced,
      ...(isOwn ? {} : { group, version }),
      kind: sub.kind,
      verbs: [...sub.verbs],
    };
  });
  return [main, ...below];
}

/** `/api/v1`, `/apis/<group>/<version>`; undefined where nothing is served. */
export function apiResourceList(
  resources: Resources,
  group: string,
  version: string,
): JsonObject | undefined {
  const rows = resources.filter((row) => row.group === group && row.version === version);
  if (rows.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: groupVersion(group, version),
    resources: rows.flatMap(describeResource),
  };
}

const responseKind = (
  row: ResourceInfo,
  sub: Pick<SubresourceInfo, 'kind' | 'group' | 'version'>,
): { group: string; version: string; kind: string } => ({
  group: sub.group ?? row.group,
  version: sub.version ?? row.version,
  kind: sub.kind,
});

const aggregateResource = (row: ResourceInfo): JsonObject => ({
  resource: row.plural,
  responseKind: responseKind(row, { kind: row.kind }),
  scope: row.namespaced ? 'Namespaced' : 'Cluster',
  singularResource: row.singular,
  verbs: [...row.verbs],
  ...names(row),
  ...(row.subresources.length === 0
    ? {}
    : {
        subresources: row.subresources.map((sub) => ({
          subresource: sub.name,
          responseKind: responseKind(row, sub),
          verbs: [...sub.verbs],
        })),
      }),
});

/** All of `/api` or `/apis` in one APIGroupDiscoveryList of apidiscovery.k8s.io. */
export function aggregatedDiscovery(
  resources: Resources,
  root: 'api' | 'apis',
  version: 'v2' | 'v2beta1' = 'v2',
): JsonObject {
  const groups = root === 'api' ? [''] : groupsOf(resources);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map((group) => ({
      metadata: { name: group, creationTimestamp: null },
      versions: versionsOf(resources, group).map((each) => ({
        version: each,
        resources: resources
          .filter((row) => row.group === group && row.version === each)
          .map(aggregateResource),
        freshness: 'Current',
      })),
    })),
  };
}
