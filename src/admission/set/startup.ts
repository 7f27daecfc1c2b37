// Rules for the explicit order of start-up (spec api 3.3: V20, V31-V32). Under the other two kinds
// of start-up nobody reads startsAfter, and so nobody checks it.
import { invalid, required } from '#machines/kubernetes/field-errors.ts';
import { strings } from '#machines/kubernetes/json.ts';
import { type FieldError, fine, type Rule, unique, unless } from '../rule.ts';
import {
  cliquesPath,
  type CliqueView,
  isExplicit,
  namesOf,
  type SetSubject,
  type SetView,
  templatePath,
} from '../view.ts';
import { cyclesOf } from './cycles.ts';

const explicit = { [`${templatePath}.cliqueStartupType`]: 'CliqueStartupTypeExplicit' };
const after = (index: number): string => `${cliquesPath}[${index}].spec.startsAfter`;

const parentsOf = ({ spec }: CliqueView): readonly string[] => strings(spec['startsAfter']);

const whenExplicit =
  (check: (set: SetView) => readonly FieldError[]) =>
  ({ set }: SetSubject): readonly FieldError[] =>
    isExplicit(set) ? check(set) : fine;

export const startupRules: readonly Rule<SetSubject>[] = [
  {
    id: 'V20',
    field: `${cliquesPath}[n].spec.startsAfter`,
    demands: 'name other cliques, each once, under explicit start-up',
    check: whenExplicit((set) => set.cliques.flatMap(checkParents)),
    accepts: { given: { ...explicit, [after(1)]: ['router'], [after(2)]: ['router', 'leader'] } },
    refuses: [
      {
        given: { ...explicit, [after(1)]: [' '] },
        says: `${after(1)}: Required value: must name a clique`,
      },
      {
        given: { ...explicit, [after(1)]: ['leader'] },
        says: `${after(1)}: Invalid value: "leader": a clique cannot start after itself`,
      },
      {
        given: { ...explicit, [after(1)]: ['router', 'router'] },
        says: `${after(1)}: Duplicate value: "router"`,
      },
    ],
  },
  {
    id: 'V31',
    field: `${cliquesPath}.startsAfter`,
    demands: 'name cliques of the set, under explicit start-up',
    check: whenExplicit((set) => {
      const known = new Set(namesOf(set.cliques));
      const unknown = new Set(
        set.cliques.flatMap(parentsOf).filter((name) => name.trim() !== '' && !known.has(name)),
      );
      return unless(unknown.size === 0, () =>
        invalid(
          `${cliquesPath}.startsAfter`,
          [...unknown].toSorted().join(','),
          'there are no cliques of these names',
        ),
      );
    }),
    accepts: { given: { [after(0)]: ['nobody'] } },
    refuses: {
      given: { ...explicit, [after(0)]: ['nobody'], [after(1)]: ['another', 'router'] },
      says:
        `${cliquesPath}.startsAfter: Invalid value: "another,nobody":` +
        ' there are no cliques of these names',
    },
  },
  {
    id: 'V32',
    field: cliquesPath,
    demands: 'have no clique that starts after itself through others, under explicit start-up',
    check: whenExplicit((set) => {
      const cycles = cyclesOf(new Map(set.cliques.map((each) => [each.name, parentsOf(each)])));
      return unless(cycles.length === 0, () =>
        invalid(cliquesPath, cycles, 'these cliques wait for each other to start'),
      );
    }),
    accepts: { given: { ...explicit, [after(2)]: ['leader'], [after(1)]: ['router'] } },
    refuses: {
      given: { ...explicit, [after(1)]: ['worker'], [after(2)]: ['leader'] },
      says:
        `${cliquesPath}: Invalid value: [["leader","worker"]]:` +
        ' these cliques wait for each other to start',
    },
  },
];

function checkParents(clique: CliqueView): readonly FieldError[] {
  const field = `${clique.path}.spec.startsAfter`;
  const parents = parentsOf(clique);
  return [
    ...unless(
      parents.every((name) => name.trim() !== ''),
      () => required(field, 'must name a clique'),
    ),
    ...unless(!parents.includes(clique.name), () =>
      invalid(field, clique.name, 'a clique cannot start after itself'),
    ),
    ...unique(field, parents),
  ];
}
