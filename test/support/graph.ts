// A world's objects as a text that people can check against the specification: one object a
// paragraph, with owner, labels, finalizers, and what its spec says that Grove decides. What is
// opaque (UIDs, hashes, the suffixes of pod names) is named instead. Used by the golden tests.
import { at, isObject, list, strings, text } from '#machines/json.ts';
import { controllerOf } from '#machines/objects.ts';
import type { KubeObject } from '#machines/objects.ts';

export function renderGraph(objects: Iterable<KubeObject>): string {
  const all = [...objects];
  const hosts = new Map(
    all
      .filter(({ kind }) => kind === 'Pod')
      .map((pod) => [pod.metadata.name, `pod(${text(at(pod, 'spec', 'hostname'))})`]),
  );
  const hashes = new Map(
    all
      .filter(({ kind }) => kind === 'PodClique')
      .map(({ metadata }) => [metadata.labels?.['grove.io/pod-template-hash'] ?? '', 'hash']),
  );
  const opaque = (line: string): string => hosts.get(line) ?? hashes.get(line) ?? line;
  return `${all
    .toSorted(byKindAndName(opaque))
    .map((one) => paragraph(one, opaque).join('\n'))
    .join('\n\n')}\n`;
}

type Rename = (name: string) => string;

const byKindAndName =
  (rename: Rename) =>
  (a: KubeObject, b: KubeObject): number => {
    const [x, y] = [a, b].map(({ kind, metadata }) => `${kind} ${rename(metadata.name)}`);
    return (x ?? '') < (y ?? '') ? -1 : 1;
  };

function paragraph(one: KubeObject, rename: Rename): readonly string[] {
  const { metadata, kind } = one;
  const owner = controllerOf(one);
  const owned = owner === undefined ? '' : `  of ${owner.kind} ${rename(owner.name)}`;
  return [
    `${kind} ${rename(metadata.name)}${owned}`,
    ...mapLines('label', metadata.labels, rename),
    ...mapLines('annotation', withoutHash(metadata.annotations), rename),
    ...(metadata.finalizers ?? []).map((name) => `  finalizer ${name}`),
    ...specLines(one, rename).map((line) => `  ${line}`),
  ];
}

const withoutHash = (map: KubeObject['metadata']['annotations']) =>
  Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !key.endsWith('generation-hash')));

const mapLines = (
  what: string,
  map: Readonly<Record<string, string>> | undefined,
  rename: Rename,
): readonly string[] =>
  Object.entries(map ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `  ${what} ${key}=${rename(value)}`);

function specLines(one: KubeObject, rename: Rename): readonly string[] {
  const spec = one['spec'];
  switch (one.kind) {
    case 'PodClique':
      return [
        ...fields(spec, ['replicas', 'minAvailable', 'startsAfter']),
        ...environment(at(spec, 'podSpec')),
        ...claims(at(spec, 'podSpec')),
      ];
    case 'PodCliqueScalingGroup':
      return fields(spec, ['replicas', 'minAvailable', 'cliqueNames']);
    case 'PodGang':
      return [
        ...fields(spec, ['priorityClassName', 'topologyConstraint']),
        ...list(at(spec, 'topologyConstraintGroupConfigs')).map(groupConfig),
        ...podGroups(spec, rename),
      ];
    case 'Pod':
      return [
        ...fields(spec, ['hostname', 'subdomain', 'schedulerName', 'schedulingGates']),
        ...list(at(spec, 'initContainers')).flatMap((init) => fields(init, ['name', 'args'])),
        ...environment(spec),
        ...claims(spec),
      ];
    case 'PodGroup':
      return podGroup(spec);
    case 'ComputeDomain':
    case 'ResourceClaim':
    case 'Service':
    case 'HorizontalPodAutoscaler':
      return fields(spec, Object.keys(Object(spec)));
    default:
      return fields(one, ['type', 'automountServiceAccountToken', 'rules', 'roleRef', 'subjects']);
  }
}

/** Of a scheduler backend: an entry a line. */
const podGroup = (spec: unknown): readonly string[] =>
  Object.entries(Object(spec)).flatMap(([name, value]) =>
    Array.isArray(value)
      ? value.map((entry) => `${name}: ${JSON.stringify(entry)}`)
      : fields(spec, [name]),
  );

const fields = (from: unknown, names: readonly string[]): readonly string[] =>
  names.flatMap((name) => {
    const value = at(from, name);
    const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
    return isEmpty ? [] : [`${name}: ${JSON.stringify(value)}`];
  });

/** Of the first container. */
const environment = (podSpec: unknown): readonly string[] =>
  list(at(list(at(podSpec, 'containers'))[0], 'env'))
    .filter(isObject)
    .map(({ name, value, valueFrom }) => {
      const path = text(at(valueFrom, 'fieldRef', 'fieldPath'));
      return `env ${text(name)}=${path === '' ? text(value) : path}`;
    });

/** Of the pod, and which containers refer to which. */
const claims = (podSpec: unknown): readonly string[] => [
  ...list(at(podSpec, 'resourceClaims')).map((claim) => `claim ${JSON.stringify(claim)}`),
  ...[...list(at(podSpec, 'initContainers')), ...list(at(podSpec, 'containers'))].flatMap((one) =>
    list(at(one, 'resources', 'claims')).map(
      (claim) => `container ${text(at(one, 'name'))} uses ${text(at(claim, 'name'))}`,
    ),
  ),
];

const podGroups = (spec: unknown, rename: Rename): readonly string[] =>
  list(at(spec, 'podgroups')).map((group) => {
    const pods = list(at(group, 'podReferences')).map((one) => rename(text(at(one, 'name'))));
    const least = JSON.stringify(at(group, 'minReplicas'));
    const name = `group ${text(at(group, 'name'))} least ${least}${place(group)}`;
    return `${name}: ${pods.toSorted().join(' ')}`;
  });

const groupConfig = (config: unknown): string =>
  `together ${text(at(config, 'name'))}${place(config)}: ${strings(at(config, 'podGroupNames')).join(' ')}`;

/** Where a part of a gang is to be placed. */
const place = (part: unknown): string => {
  const constraint = at(part, 'topologyConstraint');
  return constraint === undefined ? '' : ` in ${JSON.stringify(at(constraint, 'packConstraint'))}`;
};
