// Rules for the scaling groups of a PodCliqueSet (spec api 3.3: V33-V34, V36-V41).
import { duplicate, invalid, invalidEach } from '#machines/kubernetes/field-errors.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import { checkSubdomain } from '#machines/kubernetes/names.ts';
import { fine, type FieldError, type Rule, unless } from '../rule.ts';
import {
  cliquesPath,
  groupsPath,
  type GroupView,
  integerAt,
  repeated,
  type SetSubject,
} from '../view.ts';
import { quoted } from '../words.ts';

const first = `${groupsPath}[0]`;

/** A second group beside the one of the base object. */
const secondGroup = (name: string, cliqueNames: string[]) => ({
  [`${groupsPath}[1]`]: { name, cliqueNames, replicas: 1, minAvailable: 1 },
});

const each =
  (check: (group: GroupView, subject: SetSubject) => readonly FieldError[]) =>
  (subject: SetSubject): readonly FieldError[] =>
    subject.set.groups.flatMap((group) => check(group, subject));

export const groupRules: readonly Rule<SetSubject>[] = [
  {
    id: 'V33',
    field: `${groupsPath}[n].name`,
    types: ['FieldValueInvalid'],
    demands: 'be a DNS-1123 subdomain',
    check: each(({ path, name }) => invalidEach(`${path}.name`, name, checkSubdomain(name))),
    accepts: { given: { [`${first}.name`]: '0-decode' } },
    refuses: [
      {
        given: { [`${first}.name`]: 'decode_' },
        says:
          `${first}.name: Invalid value: "decode_": a lowercase RFC 1123 subdomain must consist of` +
          " lower case alphanumeric characters, '-' or '.', and must start and end with an" +
          " alphanumeric character (e.g. 'example.com', regex used for validation is" +
          " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      },
    ],
  },
  {
    id: 'V34',
    field: `${groupsPath}[n].cliqueNames`,
    types: ['FieldValueInvalid'],
    demands: 'name cliques of the set',
    check: ({ set }) => {
      const known = new Set(set.cliques.map(({ name }) => name));
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
    accepts: { given: { [`${first}.cliqueNames`]: [] } },
    refuses: [
      {
        given: { [`${first}.cliqueNames`]: ['leader', 'nobody'] },
        says:
          `${first}.cliqueNames: Invalid value: ["leader","nobody"]:` +
          ' there are no cliques of the names "nobody"',
      },
    ],
  },
  {
    id: 'V36',
    field: `${groupsPath}[n].replicas`,
    types: ['FieldValueInvalid'],
    demands: 'be above 0',
    check: each(({ path, raw }) => {
      const replicas = integerAt(raw, 'replicas') ?? 0;
      return unless(replicas > 0, () =>
        invalid(`${path}.replicas`, replicas, 'must be greater than 0'),
      );
    }),
    accepts: { given: { [`${first}.replicas`]: 3 } },
    refuses: [
      {
        given: { [`${first}.replicas`]: 0 },
        says: `${first}.replicas: Invalid value: 0: must be greater than 0`,
      },
    ],
  },
  {
    id: 'V37',
    field: `${groupsPath}[n].minAvailable`,
    types: ['FieldValueInvalid'],
    demands: 'be above 0 and at most `replicas`',
    check: each(checkMinAvailable),
    accepts: { given: { [`${first}.minAvailable`]: 2 } },
    refuses: [
      {
        given: { [`${first}.minAvailable`]: 0 },
        says: `${first}.minAvailable: Invalid value: 0: must be greater than 0`,
      },
      {
        given: { [`${first}.minAvailable`]: 3 },
        says: `${first}.minAvailable: Invalid value: 3: must not be greater than replicas (2)`,
      },
    ],
  },
  {
    id: 'V38',
    field: `${groupsPath}[n].scaleConfig.minReplicas`,
    types: ['FieldValueInvalid'],
    demands: 'be at least `minAvailable`',
    check: each(checkMinReplicas),
    accepts: { given: { [`${first}.scaleConfig`]: { minReplicas: 1, maxReplicas: 4 } } },
    refuses: [
      {
        given: { [`${first}.scaleConfig`]: { minReplicas: 0, maxReplicas: 4 } },
        says:
          `${first}.scaleConfig.minReplicas: Invalid value: 0:` +
          ' must not be less than minAvailable (1)',
      },
    ],
  },
  {
    id: 'V39',
    field: `${groupsPath}.name`,
    types: ['FieldValueDuplicate'],
    demands: 'be unique among the groups',
    check: ({ set }) =>
      repeated(set.groups.map(({ name }) => name)).map((name) =>
        duplicate(`${groupsPath}.name`, name),
      ),
    accepts: { given: secondGroup('front', ['router']) },
    refuses: [
      {
        given: secondGroup('decode', ['router']),
        says: `${groupsPath}.name: Duplicate value: "decode"`,
      },
    ],
  },
  {
    id: 'V40',
    field: `${groupsPath}.cliqueNames`,
    types: ['FieldValueDuplicate'],
    demands: 'name each clique once, over all groups',
    check: ({ set }) =>
      repeated(set.groups.flatMap(({ cliqueNames }) => cliqueNames)).map((name) =>
        duplicate(`${groupsPath}.cliqueNames`, name),
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
    types: ['FieldValueInvalid'],
    demands: 'not list a clique that has its own autoScalingConfig',
    check: ({ set }) =>
      set.cliques
        .filter(({ name, spec }) => set.members.has(name) && isObject(spec['autoScalingConfig']))
        .map(({ name }) =>
          invalid(groupsPath, name, 'a clique of a scaling group must not have autoScalingConfig'),
        ),
    accepts: {
      given: { [`${cliquesPath}[0].spec.autoScalingConfig`]: { minReplicas: 2, maxReplicas: 4 } },
    },
    refuses: [
      {
        given: { [`${cliquesPath}[1].spec.autoScalingConfig`]: { minReplicas: 1, maxReplicas: 4 } },
        says:
          `${groupsPath}: Invalid value: "leader":` +
          ' a clique of a scaling group must not have autoScalingConfig',
      },
    ],
  },
];

function checkMinAvailable({ path, raw }: GroupView): readonly FieldError[] {
  const least = integerAt(raw, 'minAvailable') ?? 0;
  const replicas = integerAt(raw, 'replicas') ?? 0;
  if (least <= 0) return [invalid(`${path}.minAvailable`, least, 'must be greater than 0')];
  if (replicas <= 0 || least <= replicas) return fine;
  const detail = `must not be greater than replicas (${replicas})`;
  return [invalid(`${path}.minAvailable`, least, detail)];
}

function checkMinReplicas({ path, raw }: GroupView): readonly FieldError[] {
  const config = raw['scaleConfig'];
  if (!isObject(config)) return fine;
  const least = integerAt(config, 'minReplicas') ?? 0;
  const floor = integerAt(raw, 'minAvailable') ?? 1;
  return unless(least >= floor, () =>
    invalid(
      `${path}.scaleConfig.minReplicas`,
      least,
      `must not be less than minAvailable (${floor})`,
    ),
  );
}
