// What an update may not change of a PodCliqueSet and its scaling groups (spec api 3.4: U6-U10).
import { fine, type Rule } from '../rule.ts';
import { groupsPath, templatePath, type UpdateSubject } from '../view.ts';
import { noNewNames, pairs, same, sameFields, sameNumber } from './pairs.ts';

const startup = `${templatePath}.cliqueStartupType`;
const first = `${groupsPath}[0]`;
const second = { name: 'front', cliqueNames: ['router'], replicas: 1, minAvailable: 1 };
const share = [{ name: 'a', scope: 'PerReplica' }];

const fixedOfGroup = ['cliqueNames', 'minAvailable', 'resourceSharing'];
const fixedOfSet = ['resourceClaimTemplates', 'resourceSharing'];

export const wholeUpdateRules: readonly Rule<UpdateSubject>[] = [
  {
    id: 'U6',
    field: startup,
    demands: 'not change',
    check: ({ set, old }) => same(startup, set.startupType, old.startupType),
    accepts: { given: { [startup]: 'CliqueStartupTypeInOrder' }, before: {} },
    refuses: {
      given: { [startup]: 'CliqueStartupTypeInOrder' },
      before: { [startup]: 'CliqueStartupTypeAnyOrder' },
      says: `${startup}: Invalid value: "CliqueStartupTypeInOrder": field is immutable`,
    },
  },
  {
    id: 'U7',
    field: groupsPath,
    demands: 'keep the number of groups',
    check: ({ set, old }) => sameNumber(groupsPath, 'scaling group', set.groups, old.groups),
    accepts: { before: { [`${first}.replicas`]: 4 } },
    refuses: {
      given: { [`${groupsPath}[1]`]: second },
      before: { [`${groupsPath}[1]`]: null },
      says: `${groupsPath}: Forbidden: the number of scaling groups cannot change (it was 1)`,
    },
  },
  {
    id: 'U8',
    field: `${groupsPath}.name`,
    demands: 'not add a group with a new name',
    check: ({ set, old }) =>
      set.groups.length === old.groups.length
        ? noNewNames(groupsPath, 'scaling group', set.groups, old.groups)
        : fine,
    accepts: { before: { [`${first}.replicas`]: 4 } },
    refuses: {
      given: { [`${first}.name`]: 'prefill' },
      before: { [`${first}.name`]: 'decode' },
      says: `${groupsPath}.name: Forbidden: there was no scaling group of the name "prefill"`,
    },
  },
  {
    id: 'U9',
    field: fixedOfGroup.map((field) => `${groupsPath}.${field}`).join(', '),
    demands: 'not change, including the order of the names',
    check: ({ set, old }) =>
      set.groups.length === old.groups.length
        ? pairs(set.groups, old.groups).flatMap(([{ raw }, before]) =>
            sameFields(groupsPath, fixedOfGroup, raw, before.raw),
          )
        : fine,
    accepts: { before: { [`${first}.scaleConfig`]: { minReplicas: 2, maxReplicas: 4 } } },
    refuses: [
      {
        before: { [`${first}.cliqueNames`]: ['worker', 'leader'] },
        says: `${groupsPath}.cliqueNames: Invalid value: ["leader","worker"]: field is immutable`,
      },
      {
        given: { [`${first}.minAvailable`]: 2 },
        before: { [`${first}.minAvailable`]: 1 },
        says: `${groupsPath}.minAvailable: Invalid value: 2: field is immutable`,
      },
      {
        before: { [`${first}.resourceSharing`]: share },
        says: `${groupsPath}.resourceSharing: Invalid value: null: field is immutable`,
      },
    ],
  },
  {
    id: 'U10',
    field: fixedOfSet.map((field) => `${templatePath}.${field}`).join(', '),
    demands: 'not change',
    check: ({ set, old }) => sameFields(templatePath, fixedOfSet, set.template, old.template),
    accepts: { given: { [`${templatePath}.resourceSharing`]: share }, before: {} },
    refuses: {
      before: { [`${templatePath}.resourceSharing`]: share },
      says: `${templatePath}.resourceSharing: Invalid value: null: field is immutable`,
    },
  },
];
