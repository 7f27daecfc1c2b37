// Rules for the length of names (spec api 3.3: V16, V35; 4.3): Grove and we put names and indices
// together, and 45 characters of the user's leave room for the rest in a DNS label of 63.
import { invalid } from '#machines/kubernetes/field-errors.ts';
import { type FieldError, fine, type Rule } from '../rule.ts';
import { cliquesPath, groupsPath, type SetSubject } from '../view.ts';

/** Characters of the names of a set, its group and its clique together. */
const longest = 45;

const detail = (names: string, length: number): string =>
  `the names of ${names} have ${length} characters together; at most ${longest} are allowed`;

const long = (length: number): string => 'a'.repeat(length);

export const lengthRules: readonly Rule<SetSubject>[] = [
  {
    id: 'V16',
    field: `${cliquesPath}[n].name, metadata.name`,
    demands: `have at most ${longest} characters together with the name of the set (standalone clique)`,
    check: ({ set }) =>
      set.cliques
        .filter(({ name }) => !set.groupOf.has(name))
        .flatMap(({ path, name }): readonly FieldError[] => {
          const length = set.name.length + name.length;
          if (length <= longest) return fine;
          const why = detail('the set and the clique', length);
          return [invalid(`${path}.name`, name, why), invalid('metadata.name', set.name, why)];
        }),
    accepts: { given: { 'metadata.name': long(20), [`${cliquesPath}[0].name`]: long(25) } },
    refuses: {
      given: { 'metadata.name': long(20), [`${cliquesPath}[0].name`]: long(26) },
      says: [
        `${cliquesPath}[0].name: Invalid value: "${long(26)}": ${detail('the set and the clique', 46)}`,
        `metadata.name: Invalid value: "${long(20)}": ${detail('the set and the clique', 46)}`,
      ],
    },
  },
  {
    id: 'V35',
    field: `${groupsPath}[n].cliqueNames[m].name, ${groupsPath}[n].name, metadata.name`,
    demands: `have at most ${longest} characters together with the names of the set and the group`,
    check: ({ set }) =>
      set.groups.flatMap((group) =>
        group.cliqueNames.flatMap((clique, index): readonly FieldError[] => {
          const length = set.name.length + group.name.length + clique.length;
          if (length <= longest) return fine;
          const why = detail('the set, the group and the clique', length);
          return [
            invalid(`${group.path}.cliqueNames[${index}].name`, clique, why),
            invalid(`${group.path}.name`, group.name, why),
            invalid('metadata.name', set.name, why),
          ];
        }),
      ),
    accepts: { given: { 'metadata.name': long(20), [`${groupsPath}[0].name`]: long(19) } },
    refuses: {
      given: {
        'metadata.name': long(20),
        [`${groupsPath}[0].name`]: long(20),
        [`${groupsPath}[0].cliqueNames`]: ['worker'],
      },
      says: [
        [`${groupsPath}[0].cliqueNames[0].name`, 'worker'],
        [`${groupsPath}[0].name`, long(20)],
        ['metadata.name', long(20)],
      ].map(
        ([path, value]) =>
          `${path}: Invalid value: "${value}": ${detail('the set, the group and the clique', 46)}`,
      ),
    },
  },
];
