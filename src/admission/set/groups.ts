// Rules for the scaling groups of a PodCliqueSet (spec api 3.3: V33-V34, V36-V41).
import { invalid, invalidEach } from '#machines/kubernetes/field-errors.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import { checkSubdomain } from '#machines/kubernetes/names.ts';
import {
  aboveZero,
  examples,
  type FieldError,
  fine,
  notBelow,
  type Rule,
  unique,
  unless,
} from '../rule.ts';
import {
  cliquesPath,
  eachGroup,
  groupsPath,
  type GroupView,
  integerAt,
  namesOf,
  type SetSubject,
} from '../view.ts';
import { quoted } from '../words.ts';
import { checkLeast } from './cliques.ts';

const first = `${groupsPath}[0]`;

/** A second group beside the one of the base object. */
const secondGroup = (name: string, cliqueNames: string[]) => ({
  [`${groupsPath}[1]`]: { name, cliqueNames, replicas: 1, minAvailable: 1 },
});

export const groupRules: readonly Rule<SetSubject>[] = [
  {
    id: 'V33',
    field: `${groupsPath}[n].name`,
    demands: 'be a DNS-1123 subdomain',
    check: eachGroup(({ path, name }) => invalidEach(`${path}.name`, name, checkSubdomain(name))),
    ...examples(`${first}.name`, '0-decode', [
      'decode_',
      `${first}.name: Invalid value: "decode_": ${checkSubdomain('decode_').join()}`,
    ]),
  },
  {
    id: 'V34',
    field: `${groupsPath}[n].cliqueNames`,
    demands: 'name cliques of the set',
    check: ({ set }) => {
      const known = new Set(namesOf(set.cliques));
      return set.groups.flatMap(({ path, cliqueNames }) => {
        const unknown = new Set(cliqueNames.filter((name) => !known.has(name)));
        return unless(unknown.size === 0, () =>
          invalid(
            `${path}.cliqueNames`,
            cliqueNames,
            `there are no cliques of the names ${quoted(unknown)}`,
          ),
        );
      });
    },
    ...examples(
      `${first}.cliqueNames`,
      [],
      [
        ['leader', 'nobody'],
        `${first}.cliqueNames: Invalid value: ["leader","nobody"]: there are no cliques of the names "nobody"`,
      ],
    ),
  },
  {
    id: 'V36',
    field: `${groupsPath}[n].replicas`,
    demands: 'be above 0',
    check: eachGroup(({ path, raw }) =>
      aboveZero(`${path}.replicas`, integerAt(raw, 'replicas') ?? 0),
    ),
    ...examples(`${first}.replicas`, 3, [
      0,
      `${first}.replicas: Invalid value: 0: must be greater than 0`,
    ]),
  },
  {
    id: 'V37',
    field: `${groupsPath}[n].minAvailable`,
    demands: 'be above 0 and at most `replicas`',
    check: eachGroup(({ path, raw }) =>
      checkLeast(`${path}.minAvailable`, integerAt(raw, 'minAvailable') ?? 0, raw),
    ),
    ...examples(
      `${first}.minAvailable`,
      2,
      [0, `${first}.minAvailable: Invalid value: 0: must be greater than 0`],
      [3, `${first}.minAvailable: Invalid value: 3: must not be greater than replicas (2)`],
    ),
  },
  {
    id: 'V38',
    field: `${groupsPath}[n].scaleConfig.minReplicas`,
    demands: 'be at least `minAvailable`',
    check: eachGroup(checkMinReplicas),
    ...examples(`${first}.scaleConfig`, { minReplicas: 1, maxReplicas: 4 }, [
      { minReplicas: 0, maxReplicas: 4 },
      `${first}.scaleConfig.minReplicas: Invalid value: 0: must not be less than minAvailable (1)`,
    ]),
  },
  {
    id: 'V39',
    field: `${groupsPath}.name`,
    demands: 'be unique among the groups',
    check: ({ set }) => unique(`${groupsPath}.name`, namesOf(set.groups)),
    accepts: { given: secondGroup('front', ['router']) },
    refuses: {
      given: secondGroup('decode', ['router']),
      says: `${groupsPath}.name: Duplicate value: "decode"`,
    },
  },
  {
    id: 'V40',
    field: `${groupsPath}.cliqueNames`,
    demands: 'name each clique once, over all groups',
    check: ({ set }) =>
      unique(
        `${groupsPath}.cliqueNames`,
        set.groups.flatMap(({ cliqueNames }) => cliqueNames),
      ),
    accepts: { given: secondGroup('front', ['router']) },
    refuses: [
      {
        given: secondGroup('front', ['router', 'leader']),
        says: `${groupsPath}.cliqueNames: Duplicate value: "leader"`,
      },
      {
        given: { [`${first}.cliqueNames`]: ['leader', 'worker', 'leader'] },
        says: `${groupsPath}.cliqueNames: Duplicate value: "leader"`,
      },
    ],
  },
  {
    id: 'V41',
    field: groupsPath,
    demands: 'not list a clique that has its own autoScalingConfig',
    check: ({ set }) =>
      set.cliques
        .filter(({ name, spec }) => set.groupOf.has(name) && isObject(spec['autoScalingConfig']))
        .map(({ name }) =>
          invalid(groupsPath, name, 'a clique of a scaling group must not have autoScalingConfig'),
        ),
    accepts: {
      given: { [`${cliquesPath}[0].spec.autoScalingConfig`]: { minReplicas: 2, maxReplicas: 4 } },
    },
    refuses: {
      given: { [`${cliquesPath}[1].spec.autoScalingConfig`]: { minReplicas: 1, maxReplicas: 4 } },
      says:
        `${groupsPath}: Invalid value: "leader":` +
        ' a clique of a scaling group must not have autoScalingConfig',
    },
  },
];

function checkMinReplicas({ path, raw }: GroupView): readonly FieldError[] {
  const config = raw['scaleConfig'];
  if (!isObject(config)) return fine;
  const least = integerAt(config, 'minReplicas') ?? 0;
  const floor = integerAt(raw, 'minAvailable') ?? 1;
  return notBelow(`${path}.scaleConfig.minReplicas`, least, 'minAvailable', floor);
}
