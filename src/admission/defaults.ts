// Grove's defaults for a PodCliqueSet as a JSON patch (spec api 3.2), from the functions with which
// the controller reads objects (machines/grove/objects/defaults.ts), so that both fill in the same.
// Called by the mutating webhook.
import { cliqueNumbers, defaultedPodSpec } from '#machines/grove/objects/defaults.ts';
import { at, isObject, list, object, text } from '#machines/kubernetes/json.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';

/** One operation of RFC 6902; `add` replaces a member that is there. */
export interface PatchOperation {
  readonly op: 'add';
  /** JSON pointer. */
  readonly path: string;
  readonly value: Json;
}

export interface Default {
  readonly id: string;
  readonly field: string;
  readonly when: string;
  readonly value: string;
  readonly fill: (set: JsonObject) => readonly PatchOperation[];
}

const add = (path: string, value: Json): PatchOperation => ({ op: 'add', path, value });

interface Part {
  /** JSON pointer to it. */
  readonly path: string;
  readonly raw: JsonObject;
}

/** The objects of a list, with pointers; what is not an object is left to the schema. */
const partsOf = (path: string, value: unknown): readonly Part[] =>
  list(value).flatMap((raw, index) => (isObject(raw) ? [{ path: `${path}/${index}`, raw }] : []));

const groupsOf = (set: JsonObject): readonly Part[] =>
  partsOf(
    '/spec/template/podCliqueScalingGroups',
    at(set, 'spec', 'template', 'podCliqueScalingGroups'),
  );

/** The objects under a key of the parts. */
const inside = (parts: readonly Part[], key: string): readonly Part[] =>
  parts.flatMap(({ path, raw }) => {
    const inner = raw[key];
    return isObject(inner) ? [{ path: `${path}/${key}`, raw: inner }] : [];
  });

/** The specs of the cliques. */
const specsOf = (set: JsonObject): readonly Part[] =>
  inside(partsOf('/spec/template/cliques', at(set, 'spec', 'template', 'cliques')), 'spec');

const podSpecsOf = (set: JsonObject): readonly Part[] => inside(specsOf(set), 'podSpec');

const isUnset = (value: unknown): boolean => value === undefined || value === null;

/** Replicas as they were submitted: absent is 0, as in Go. */
const submitted = ({ raw }: Part): Json => raw['replicas'] ?? 0;

function template(set: JsonObject, field: string, value: Json): readonly PatchOperation[] {
  const given = at(set, 'spec', 'template');
  return isObject(given) && isUnset(given[field]) ? [add(`/spec/template/${field}`, value)] : [];
}

/** `minReplicas` of an autoscaling config that has none. */
function floor(part: Part, config: string, replicas: Json): readonly PatchOperation[] {
  const given = part.raw[config];
  if (!isObject(given) || !isUnset(given['minReplicas'])) return [];
  return [add(`${part.path}/${config}/minReplicas`, replicas)];
}

const terminationDelay = '4h0m0s';
const cliques = 'spec.template.cliques[n].spec';

export const defaults: readonly Default[] = [
  {
    id: 'D1',
    field: 'metadata.namespace',
    when: 'blank',
    value: '`default`',
    fill: (set) =>
      text(at(set, 'metadata', 'namespace')).trim() === '' && isObject(set['metadata'])
        ? [add('/metadata/namespace', 'default')]
        : [],
  },
  {
    id: 'D2',
    field: `${cliques}.podSpec.restartPolicy`,
    when: 'blank',
    value: '`Always`',
    fill: (set) => podSpecsOf(set).flatMap((part) => podField(part, 'restartPolicy')),
  },
  {
    id: 'D3',
    field: `${cliques}.podSpec.terminationGracePeriodSeconds`,
    when: 'unset',
    value: '30',
    fill: (set) =>
      podSpecsOf(set).flatMap((part) => podField(part, 'terminationGracePeriodSeconds')),
  },
  {
    id: 'D4',
    field: `${cliques}.replicas`,
    when: '0',
    value: '1',
    fill: (set) =>
      specsOf(set)
        .filter((part) => submitted(part) === 0)
        .map(({ path, raw }) => add(`${path}/replicas`, cliqueNumbers(raw).replicas)),
  },
  {
    id: 'D5',
    field: `${cliques}.minAvailable`,
    when: 'unset',
    value: '`replicas` as submitted, before D4',
    fill: (set) =>
      specsOf(set)
        .filter(({ raw }) => isUnset(raw['minAvailable']))
        .map((part) => add(`${part.path}/minAvailable`, submitted(part))),
  },
  {
    id: 'D6',
    field: `${cliques}.autoScalingConfig.minReplicas`,
    when: 'the config is set and the field unset',
    value: '`replicas` as submitted, before D4',
    fill: (set) =>
      specsOf(set).flatMap((part) => floor(part, 'autoScalingConfig', submitted(part))),
  },
  {
    id: 'D7',
    field: 'spec.template.podCliqueScalingGroups[n].scaleConfig.minReplicas',
    when: 'the config is set and the field unset',
    value: "the group's `replicas`",
    fill: (set) =>
      groupsOf(set).flatMap((part) => floor(part, 'scaleConfig', part.raw['replicas'] ?? 1)),
  },
  {
    id: 'D8',
    field: 'spec.template.terminationDelay',
    when: 'unset',
    value: `\`${terminationDelay}\``,
    fill: (set) => template(set, 'terminationDelay', terminationDelay),
  },
  {
    id: 'D9',
    field: 'spec.template.headlessServiceConfig',
    when: 'absent',
    value: '`{publishNotReadyAddresses: true}`',
    fill: (set) => template(set, 'headlessServiceConfig', { publishNotReadyAddresses: true }),
  },
];

/** A field of a pod spec as the controller would read it, where it is not set. */
function podField({ path, raw }: Part, field: string): readonly PatchOperation[] {
  const value = defaultedPodSpec(raw)[field];
  return (isUnset(raw[field]) || raw[field] === '') && value !== undefined
    ? [add(`${path}/${field}`, value)]
    : [];
}

/** What has to be filled in; nothing for an object that has everything. */
export const defaultingPatch = (set: unknown): readonly PatchOperation[] =>
  defaults.flatMap(({ fill }) => fill(object(set)));

/** The set as it would have been stored, had the webhook seen it. */
export function defaulted(set: unknown): unknown {
  const copy: unknown = structuredClone(set);
  for (const { path, value } of defaultingPatch(copy)) {
    const [, ...keys] = path.split('/');
    const last = keys.pop() ?? '';
    const parent = keys.reduce(member, copy);
    if (isObject(parent)) Object.assign(parent, { [last]: value });
  }
  return copy;
}

/** Of an object or a list, as a JSON pointer names it. */
const member = (of: unknown, key: string): unknown =>
  Array.isArray(of) ? list(of)[Number(key)] : object(of)[key];
