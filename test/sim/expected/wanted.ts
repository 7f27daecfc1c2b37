// Which PodCliques a replica of a set must have, whose they are, in which gang, and after whom they
// start (spec api 4.1, controllers 3.1, 6.1). Part of expected.ts.
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { listAt, numberAt, textAt } from '../fields.ts';
import { nameOf } from '../oracles/complaints.ts';
import { namespace } from '../users/workload.ts';

export interface WantedClique {
  readonly name: string;
  readonly template: unknown;
  /** Of a member the group, where it is there. */
  readonly owner: Stored | undefined;
  readonly member: Member | undefined;
  readonly gang: string;
  readonly parents: readonly string[];
}

interface Member {
  readonly group: string;
  readonly index: number;
  /** The gang that must be scheduled first. */
  readonly base: string | undefined;
}

export interface WantedGroup {
  readonly name: string;
  readonly config: unknown;
  readonly minAvailable: number;
  /** The live object says. */
  readonly replicas: number;
  readonly cliqueNames: readonly string[];
}

export const wantedGroups = (store: Store, set: Stored, index: number): readonly WantedGroup[] =>
  listAt(set, 'spec', 'template', 'podCliqueScalingGroups').map((config) => {
    const name = `${nameOf(set)}-${index}-${textAt(config, 'name')}`;
    return {
      name,
      config,
      minAvailable: numberAt(config, 'minAvailable'),
      replicas: numberAt(groupNamed(store, name), 'spec', 'replicas'),
      cliqueNames: listAt(config, 'cliqueNames').map(String),
    };
  });

const groupNamed = (store: Store, name: string): Stored | undefined =>
  store.collection('grove.io/podcliquescalinggroups').get(namespace, name);

/** Standalone ones in template order, then by group and replica those of its list. */
export function wantedCliques(store: Store, set: Stored, index: number): readonly WantedClique[] {
  const base = `${nameOf(set)}-${index}`;
  const groups = wantedGroups(store, set, index);
  const templates = listAt(set, 'spec', 'template', 'cliques');
  const grouped = new Set(groups.flatMap(({ cliqueNames }) => cliqueNames));
  const order: Order = { set, base, groups };
  const standalone = templates
    .filter((template) => !grouped.has(textAt(template, 'name')))
    .map((template) => ({
      name: `${base}-${textAt(template, 'name')}`,
      template,
      owner: set,
      member: undefined,
      gang: base,
      parents: inBase(order, directParents(set, template)),
    }));
  const members = groups.flatMap((group) =>
    Array.from({ length: group.replicas }, (_, at) =>
      group.cliqueNames.map((name) => {
        const template = templates.find((each) => textAt(each, 'name') === name);
        return member(store, order, group, at, template);
      }),
    ).flat(),
  );
  return [...standalone, ...members];
}

interface Order {
  readonly set: Stored;
  readonly base: string;
  readonly groups: readonly WantedGroup[];
}

function member(
  store: Store,
  order: Order,
  group: WantedGroup,
  index: number,
  template: unknown,
): WantedClique {
  const isScaled = index >= group.minAvailable;
  return {
    name: `${group.name}-${index}-${textAt(template, 'name')}`,
    template,
    owner: groupNamed(store, group.name),
    member: { group: group.name, index, base: isScaled ? order.base : undefined },
    gang: isScaled ? `${group.name}-${index - group.minAvailable}` : order.base,
    parents: isScaled
      ? ownParents(order.set, group, template).map((name) => `${group.name}-${index}-${name}`)
      : inBase(order, directParents(order.set, template)),
  };
}

const namesOf = (set: Stored): readonly string[] =>
  listAt(set, 'spec', 'template', 'cliques').map((each) => textAt(each, 'name'));

function directParents(set: Stored, template: unknown): readonly string[] {
  const all = namesOf(set);
  switch (textAt(set, 'spec', 'template', 'cliqueStartupType')) {
    case 'CliqueStartupTypeInOrder':
      return all.slice(0, all.indexOf(textAt(template, 'name'))).slice(-1);
    case 'CliqueStartupTypeExplicit':
      return listAt(template, 'spec', 'startsAfter').map(String);
    default:
      return [];
  }
}

/** In a scaled gang those of the same group; in order the nearest of them. */
function ownParents(
  set: Stored,
  { cliqueNames }: WantedGroup,
  template: unknown,
): readonly string[] {
  const isOwn = (name: string): boolean => cliqueNames.includes(name);
  const isInOrder =
    textAt(set, 'spec', 'template', 'cliqueStartupType') === 'CliqueStartupTypeInOrder';
  if (!isInOrder) return directParents(set, template).filter(isOwn);
  const all = namesOf(set);
  return all
    .slice(0, all.indexOf(textAt(template, 'name')))
    .filter(isOwn)
    .slice(-1);
}

/** A parent in a group stands for its members in the base gang. */
const inBase = ({ base, groups }: Order, parents: readonly string[]): readonly string[] =>
  parents.flatMap((parent) => {
    const group = groups.find(({ cliqueNames }) => cliqueNames.includes(parent));
    if (group === undefined) return [`${base}-${parent}`];
    return Array.from(
      { length: group.minAvailable },
      (_, index) => `${group.name}-${index}-${parent}`,
    );
  });
