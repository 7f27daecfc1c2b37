// Where the pods of a gang are to be placed: the constraints of set, group and clique in node label
// keys, as its PodGang carries them (spec controllers 8.3). Called by gang.ts; pure.
import type { StringMap } from '../../../kubernetes/json.ts';
import type { JsonObject } from '../../../kubernetes/objects.ts';
import type { Constraint } from '../../objects/constraint.ts';
import { translated } from '../../objects/constraint.ts';
import { annotation } from '../../objects/labels.ts';
import type { Topology } from '../topology.ts';
import type { WantedGang } from './wanted-gangs.ts';

/** Undefined and empty parts are not in the PodGang. */
export interface Placement {
  readonly constraint: JsonObject | undefined;
  readonly groupConfigs: readonly JsonObject[];
  /** By name of the PodClique; only of those that have one. */
  readonly ofCliques: ReadonlyMap<string, JsonObject>;
  /** `grove.io/topology-name`, where a constraint is there that it can be said of. */
  readonly annotations: StringMap;
}

const nowhere: Placement = {
  constraint: undefined,
  groupConfigs: [],
  ofCliques: new Map(),
  annotations: {},
};

/**
 * `topology` undefined: constraints are not passed on. What cannot be translated is left out, but
 * for the entries of groups with a constraint, which stay without it.
 */
export function placementOf(wanted: WantedGang, topology: Topology | undefined): Placement {
  if (topology === undefined) return nowhere;
  const toKeys = (one: Constraint | undefined) => translated(one, topology.levels ?? []);
  const constraint = toKeys(wanted.constraint);
  const groupConfigs = wanted.groupConfigs.map((config) => ({
    name: config.name,
    podGroupNames: [...config.cliqueNames],
    ...constrained(toKeys(config.constraint)),
  }));
  const ofCliques = new Map<string, JsonObject>();
  for (const clique of wanted.cliques) {
    const keys = toKeys(clique.constraint);
    if (keys !== undefined) ofCliques.set(clique.name, keys);
  }
  const isPlaced =
    constraint !== undefined ||
    ofCliques.size > 0 ||
    groupConfigs.some((config) => 'topologyConstraint' in config);
  const annotations = isPlaced ? { [annotation.topologyName]: topology.name } : {};
  return { constraint, groupConfigs, ofCliques, annotations };
}

/** The field of a constraint, where there is one. */
export const constrained = (
  constraint: JsonObject | undefined,
): { readonly topologyConstraint?: JsonObject } =>
  constraint === undefined ? {} : { topologyConstraint: constraint };

/** For the spec of a new PodGang. */
export const placedSpec = ({ constraint, groupConfigs }: Placement): JsonObject => ({
  ...constrained(constraint),
  ...(groupConfigs.length > 0 ? { topologyConstraintGroupConfigs: [...groupConfigs] } : {}),
});
