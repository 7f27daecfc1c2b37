// Whether the constraints of parents leave room for those below them (spec api 3.5, step 4): a set
// over its groups and cliques, a group over its own cliques.
import { invalid } from '#machines/kubernetes/field-errors.ts';
import type { FieldError } from '../rule.ts';
import type { SetView } from '../view.ts';
import { type Constraint, constraintsOf } from './constraint.ts';

type Strength = 'required' | 'preferred';

interface Pair {
  readonly parent: Constraint;
  readonly child: Constraint;
  readonly kind: 'clique' | 'scaling group';
}

/** Errors at each parent that is narrower than a child; `domains` from the broadest. */
export function tooNarrow(
  set: SetView,
  domains: readonly string[],
  strength: Strength,
): readonly FieldError[] {
  const level = new Map(domains.map((domain, index) => [domain, index]));
  return pairsOf(set).flatMap(({ parent, child, kind }) => {
    const above = level.get(parent[strength]);
    const below = level.get(child[strength]);
    if (above === undefined || below === undefined || above <= below) return [];
    const path = strength === 'required' ? parent.path : `${parent.path}.pack.preferred`;
    const detail = `is narrower than "${child[strength]}", ${strength} by ${kind} "${child.owner}"`;
    return [invalid(path, parent[strength], detail)];
  });
}

function pairsOf(view: SetView): readonly Pair[] {
  const { set, groups, cliques } = constraintsOf(view);
  const byName = new Map(cliques.map((clique) => [clique.owner, clique]));
  const members = new Map(view.groups.map(({ name, cliqueNames }) => [name, cliqueNames]));
  const under = (parent: Constraint, children: readonly Constraint[], kind: Pair['kind']) =>
    children.map((child) => ({ parent, child, kind }));
  return [
    ...(set === undefined
      ? []
      : [...under(set, cliques, 'clique'), ...under(set, groups, 'scaling group')]),
    ...groups.flatMap((group) =>
      under(
        group,
        (members.get(group.owner) ?? []).flatMap((name) => byName.get(name) ?? []),
        'clique',
      ),
    ),
  ];
}
