// What PodGangs and the set must say of topology constraints when the controller is done (spec
// controllers 2.3, 8.3), worked out from the set and the binding as they are stored. Part of
// expected.ts.
import type { Stored } from '#src/devcluster/contract.ts';
import { at, fieldsAt, listAt, textAt } from '../fields.ts';
import type { Complaints } from '../oracles/complaints.ts';
import { nameOf } from '../oracles/complaints.ts';
import type { WantedClique, WantedGroup } from './wanted.ts';

/** `topologyConstraint` of a set's template, a group or a clique; its domains as keys. */
export type Translate = (part: unknown) => JsonConstraint | undefined;

interface JsonConstraint {
  readonly packConstraint: Readonly<Record<string, unknown>>;
}

interface Asked {
  /** Of the first constraint that names one. */
  readonly topology: string;
  readonly domains: readonly string[];
}

const partsOf = (set: Stored): readonly unknown[] => [
  at(set, 'spec', 'template'),
  ...listAt(set, 'spec', 'template', 'podCliqueScalingGroups'),
  ...listAt(set, 'spec', 'template', 'cliques'),
];

function askedFor(set: Stored): Asked {
  const constraints = partsOf(set).map((part) => at(part, 'topologyConstraint'));
  const names = constraints.map((one) => textAt(one, 'topologyName'));
  const packs = constraints.flatMap((one) => Object.values(fieldsAt(one, 'pack')));
  return {
    topology: names.find((name) => name !== '') ?? '',
    domains: [...new Set(packs.map(String))].toSorted(),
  };
}

const bindingOf = ({ store }: Complaints, { topology }: Asked): Stored | undefined =>
  store.collection('grove.io/clustertopologybindings').get('', topology);

export function translation(complaints: Complaints, set: Stored): Translate {
  const levels = listAt(bindingOf(complaints, askedFor(set)), 'spec', 'levels');
  const keyOf = new Map(levels.map((level) => [at(level, 'domain'), at(level, 'key')]));
  return (part) => {
    const pack = Object.entries(fieldsAt(part, 'topologyConstraint', 'pack'))
      .map(([how, domain]) => [how, keyOf.get(domain)])
      .filter(([, key]) => key !== undefined);
    return pack.length > 0 ? { packConstraint: Object.fromEntries(pack) } : undefined;
  };
}

const withConstraint = (constraint: JsonConstraint | undefined) =>
  constraint === undefined ? {} : { topologyConstraint: constraint };

/** What the entry of a PodClique says besides. */
export const placeOfClique = (toKeys: Translate, { template }: WantedClique) =>
  withConstraint(toKeys(template));

/** `groups`: all of the replica of the set. */
export function expectPlaces(
  complaints: Complaints,
  set: Stored,
  gang: Stored,
  cliques: readonly WantedClique[],
  groups: readonly WantedGroup[],
): void {
  const name = nameOf(gang);
  const toKeys = translation(complaints, set);
  const ofScaled = groups.find((group) =>
    cliques.some(({ member }) => member?.base !== undefined && member.group === group.name),
  );
  const isOwn = at(ofScaled?.config, 'topologyConstraint') !== undefined;
  const all = toKeys(isOwn ? ofScaled?.config : at(set, 'spec', 'template'));
  const together = ofScaled === undefined ? groups.flatMap((each) => configsOf(each, toKeys)) : [];
  complaints.same(`place of PodGang ${name}`, at(gang, 'spec', 'topologyConstraint'), all);
  complaints.same(
    `places of groups of PodGang ${name}`,
    listAt(gang, 'spec', 'topologyConstraintGroupConfigs'),
    together,
  );
  const isPlaced =
    all !== undefined ||
    cliques.some(({ template }) => toKeys(template) !== undefined) ||
    together.some((config) => 'topologyConstraint' in config);
  complaints.same(
    `topology of PodGang ${name}`,
    at(gang, 'metadata', 'annotations', 'grove.io/topology-name'),
    isPlaced ? askedFor(set).topology : undefined,
  );
}

function configsOf({ name, config, minAvailable, cliqueNames }: WantedGroup, toKeys: Translate) {
  if (at(config, 'topologyConstraint') === undefined) return [];
  return Array.from({ length: minAvailable }, (_, place) => ({
    name: `${name}-${place}`,
    podGroupNames: cliqueNames.map((clique) => `${name}-${place}-${clique}`),
    ...withConstraint(toKeys(config)),
  }));
}

/** Its status, reason and message, where topologies are looked at. */
export function levelsCondition(complaints: Complaints, set: Stored): readonly string[] {
  const asked = askedFor(set);
  const fine = ['False', 'AllClusterTopologyLevelsAvailable'] as const;
  if (asked.domains.length === 0) return [...fine, 'No topology constraints defined'];
  if (asked.topology === '') {
    const message = 'PodCliqueSet topology constraints must include topologyName';
    return ['Unknown', 'TopologyNameMissing', message];
  }
  const binding = bindingOf(complaints, asked);
  if (binding === undefined) {
    return ['Unknown', 'ClusterTopologyNotFound', 'ClusterTopologyBinding resource not found'];
  }
  const known = listAt(binding, 'spec', 'levels').map((level) => at(level, 'domain'));
  const missing = asked.domains.filter((domain) => !known.includes(domain));
  if (missing.length === 0) return [...fine, 'All topology levels are available'];
  const message = `Unavailable topology domains: [${missing.join(' ')}]`;
  return ['True', 'ClusterTopologyLevelsUnavailable', message];
}
