// The topology constraints of a PodCliqueSet at its three levels, and the name of the topology that
// they mean (spec api 1.2.4, 3.5): one for the whole set, named at the top or inherited from above.
import { invalid, required } from '#machines/kubernetes/field-errors.ts';
import { at, isObject, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Example, FieldError } from '../rule.ts';
import { type SetView, templatePath } from '../view.ts';
import { quoted } from '../words.ts';

export interface Constraint {
  /** `spec.template.cliques[0].topologyConstraint` */
  readonly path: string;
  /** Of the clique or group; blank for the set itself. */
  readonly owner: string;
  readonly topologyName: string;
  readonly packDomain: string;
  /** `pack.required`, as it is written. */
  readonly packRequired: string;
  /** The effective one: `pack.required`, else `packDomain`. */
  readonly required: string;
  readonly preferred: string;
}

export interface Constraints {
  readonly set: Constraint | undefined;
  readonly groups: readonly Constraint[];
  readonly cliques: readonly Constraint[];
}

export const setConstraintPath = `${templatePath}.topologyConstraint`;

/** Where errors about the name of the topology and its binding are reported. */
export const topologyNamePath = `${setConstraintPath}.topologyName`;

/** An example in a cluster with a topology. */
export const on = <E extends Example>(example: E): E => ({
  settings: { topologyAware: true },
  found: { bindings: { fabric: { is: 'there', domains: ['zone', 'block', 'rack'] } } },
  ...example,
});

function constraintOf(path: string, owner: string, raw: JsonObject): readonly Constraint[] {
  const source = raw['topologyConstraint'];
  if (!isObject(source)) return [];
  const packDomain = text(source['packDomain']);
  const packRequired = text(at(source, 'pack', 'required'));
  return [
    {
      path: `${path}.topologyConstraint`,
      owner,
      topologyName: text(source['topologyName']),
      packDomain,
      packRequired,
      required: packRequired || packDomain,
      preferred: text(at(source, 'pack', 'preferred')),
    },
  ];
}

export const constraintsOf = (set: SetView): Constraints => ({
  set: constraintOf(templatePath, '', set.template)[0],
  groups: set.groups.flatMap(({ path, name, raw }) => constraintOf(path, name, raw)),
  cliques: set.cliques.flatMap(({ path, name, raw }) => constraintOf(path, name, raw)),
});

/** The set's first, then cliques, then groups. */
export const allOf = ({ set, cliques, groups }: Constraints): readonly Constraint[] => [
  ...(set === undefined ? [] : [set]),
  ...cliques,
  ...groups,
];

/** Domains that a constraint names. */
export const domainsOf = ({ packDomain, packRequired, preferred }: Constraint): readonly string[] =>
  [packDomain, packRequired, preferred].filter((domain) => domain !== '');

export interface Resolution {
  /** Undefined: there is no constraint, or something is wrong. */
  readonly topology: string | undefined;
  /** By the rule that reports them: no name (T2), another one than above (T3), several (T4). */
  readonly missing: FieldErrors;
  readonly differing: FieldErrors;
  readonly several: FieldErrors;
}

type FieldErrors = readonly FieldError[];

/** Walks from the set to the groups to the cliques, each inheriting from above. */
export function resolve(view: SetView): Resolution {
  const constraints = constraintsOf(view);
  const missing: FieldError[] = [];
  const differing: FieldError[] = [];
  const names = new Set<string>();
  const nameOf = (constraint: Constraint, inherited: string | undefined): string | undefined => {
    const { path, topologyName } = constraint;
    const name = topologyName || inherited;
    if (name === undefined) {
      missing.push(required(`${path}.topologyName`, 'must name a ClusterTopologyBinding'));
    } else if (inherited !== undefined && name !== inherited) {
      const detail = `must be "${inherited}", which is inherited from above, or be left out`;
      differing.push(invalid(`${path}.topologyName`, name, detail));
    } else names.add(name);
    return name;
  };
  const top = constraints.set === undefined ? undefined : nameOf(constraints.set, undefined);
  const groups = new Map(constraints.groups.map((each) => [each.owner, nameOf(each, top)]));
  for (const clique of constraints.cliques) {
    nameOf(clique, groups.get(view.groupOf.get(clique.owner) ?? '') ?? top);
  }
  const several = names.size > 1 ? severalNames(constraints, names) : [];
  const isWrong = missing.length + differing.length + several.length > 0;
  return { topology: isWrong ? undefined : [...names][0], missing, differing, several };
}

/** Siblings that name different topologies: each explicit name is reported. */
const severalNames = (constraints: Constraints, names: ReadonlySet<string>): FieldErrors =>
  allOf(constraints)
    .filter(({ topologyName }) => topologyName !== '')
    .map(({ path, topologyName }) =>
      invalid(
        `${path}.topologyName`,
        topologyName,
        `all constraints of a set must name one topology, and they name ${quoted(names)}`,
      ),
    );
