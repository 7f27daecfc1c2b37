// Rules for the sharing of claims at the three levels of a PodCliqueSet (spec api 3.3: V7-V13).
import { duplicate, invalid, notFound } from '#machines/kubernetes/field-errors.ts';
import { notSupported, required } from '#machines/kubernetes/field-errors.ts';
import { at, isObject, strings, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { examples, type FieldError, fine, type Rule, unless } from '../rule.ts';
import { cliquesPath, eachGroup, groupsPath, namesOf, type SetSubject } from '../view.ts';
import {
  type Entry,
  listsOf,
  sharesOf,
  sharingPath as sharing,
  template,
  templatesOf,
  templatesPath as templates,
} from './entries.ts';

const groupSharing = `${groupsPath}[0].resourceSharing`;
const cliqueSharing = `${cliquesPath}[0].resourceSharing`;
const scopes: readonly string[] = ['AllReplicas', 'PerReplica'];

const share = (name: string, more: JsonObject = {}) => ({ name, scope: 'AllReplicas', ...more });

export const sharingRules: readonly Rule<SetSubject>[] = [
  {
    id: 'V7',
    field: '<sharing list>[n].name',
    demands: 'not be empty, and be unique within its list',
    check: ({ set }) => listsOf(set).flatMap(checkNames),
    accepts: { given: { [sharing]: [share('a')], [cliqueSharing]: [share('a')] } },
    refuses: [
      {
        given: { [cliqueSharing]: [share('')] },
        says: `${cliqueSharing}[0].name: Required value: must name a claim template`,
      },
      {
        given: { [groupSharing]: [share('a'), share('a', { scope: 'PerReplica' })] },
        says: `${groupSharing}[1].name: Duplicate value: "a"`,
      },
    ],
  },
  {
    id: 'V8',
    field: '<sharing list>[n].namespace',
    demands: 'be empty if the name is that of a template of the set',
    check: ({ set }) => {
      const own = new Set(namesOf(templatesOf(set)));
      const detail = 'must be empty, as the set has a claim template of this name';
      return listsOf(set)
        .flat()
        .map(({ path, name, raw }) => ({ path, name, namespace: text(raw['namespace']) }))
        .filter(({ name, namespace }) => namespace !== '' && own.has(name))
        .map(({ path, namespace }) => invalid(`${path}.namespace`, namespace, detail));
    },
    accepts: { given: { [sharing]: [share('a', { namespace: 'other' })] } },
    refuses: {
      given: { [templates]: [template('a')], [sharing]: [share('a', { namespace: 'other' })] },
      says:
        `${sharing}[0].namespace: Invalid value: "other":` +
        ' must be empty, as the set has a claim template of this name',
    },
  },
  {
    id: 'V9',
    field: '<sharing list>[n].scope',
    demands: `be one of ${scopes.join(', ')}`,
    check: ({ set }) =>
      listsOf(set)
        .flat()
        .map(({ path, raw }) => ({ path, scope: text(raw['scope']) }))
        .filter(({ scope }) => !scopes.includes(scope))
        .map(({ path, scope }) => notSupported(`${path}.scope`, scope, scopes)),
    accepts: { given: { [groupSharing]: [share('a', { scope: 'PerReplica' })] } },
    refuses: {
      given: { [sharing]: [share('a', { scope: 'Each' })] },
      says: `${sharing}[0].scope: Unsupported value: "Each": supported values: "AllReplicas", "PerReplica"`,
    },
  },
  {
    id: 'V10',
    field: `${sharing}[n].filter`,
    demands: 'hold a name in one of its lists, if present',
    check: ({ set }) =>
      sharesOf(sharing, set.template).flatMap((share) =>
        checkFilter(share, ['childCliqueNames', 'childScalingGroupNames']),
      ),
    ...examples(
      sharing,
      [share('a', { filter: { childCliqueNames: ['leader'] } })],
      [
        [share('a', { filter: {} })],
        `${sharing}[0].filter: Required value:` +
          ' must hold a name in childCliqueNames or childScalingGroupNames',
      ],
    ),
  },
  {
    id: 'V11',
    field: '<sharing list>[n].filter.childCliqueNames[m]',
    demands: "name a clique of the set; in a group's list, one of the group",
    check: ({ set }) => [
      ...missing(namesOf(set.cliques), sharesOf(sharing, set.template)),
      ...set.groups.flatMap(({ path, raw, cliqueNames }) =>
        missing(cliqueNames, sharesOf(`${path}.resourceSharing`, raw)),
      ),
    ],
    accepts: {
      given: { [groupSharing]: [share('a', { filter: { childCliqueNames: ['worker'] } })] },
    },
    refuses: [
      {
        given: { [sharing]: [share('a', { filter: { childCliqueNames: ['router', 'x'] } })] },
        says: `${sharing}[0].filter.childCliqueNames[1]: Not found: "x"`,
      },
      {
        given: { [groupSharing]: [share('a', { filter: { childCliqueNames: ['router'] } })] },
        says: `${groupSharing}[0].filter.childCliqueNames[0]: Not found: "router"`,
      },
    ],
  },
  {
    id: 'V12',
    field: `${sharing}[n].filter.childScalingGroupNames[m]`,
    demands: 'name a scaling group of the set',
    check: ({ set }) =>
      missing(namesOf(set.groups), sharesOf(sharing, set.template), 'childScalingGroupNames'),
    ...examples(
      sharing,
      [share('a', { filter: { childScalingGroupNames: ['decode'] } })],
      [
        [share('a', { filter: { childScalingGroupNames: ['leader'] } })],
        `${sharing}[0].filter.childScalingGroupNames[0]: Not found: "leader"`,
      ],
    ),
  },
  {
    id: 'V13',
    field: `${groupsPath}[n].resourceSharing[m].filter`,
    demands: 'hold the name of a clique, if present',
    check: eachGroup(({ path, raw }) =>
      sharesOf(`${path}.resourceSharing`, raw).flatMap((share) =>
        checkFilter(share, ['childCliqueNames']),
      ),
    ),
    ...examples(
      groupSharing,
      [share('a', { filter: { childCliqueNames: ['leader'] } })],
      [
        [share('a', { filter: { childCliqueNames: [] } })],
        `${groupSharing}[0].filter: Required value: must hold a name in childCliqueNames`,
      ],
    ),
  },
];

function checkNames(shares: readonly Entry[]): readonly FieldError[] {
  const seen = new Set<string>();
  return shares.flatMap(({ path, name }) => {
    if (name === '') return [required(`${path}.name`, 'must name a claim template')];
    return unless(seen.size !== seen.add(name).size, () => duplicate(`${path}.name`, name));
  });
}

function checkFilter({ path, raw }: Entry, keys: readonly string[]): readonly FieldError[] {
  const filter = raw['filter'];
  if (!isObject(filter) || keys.some((key) => strings(filter[key]).length > 0)) return fine;
  return [required(`${path}.filter`, `must hold a name in ${keys.join(' or ')}`)];
}

function missing(
  known: readonly string[],
  shares: readonly Entry[],
  key = 'childCliqueNames',
): readonly FieldError[] {
  const names = new Set(known);
  return shares.flatMap(({ path, raw }) =>
    strings(at(raw, 'filter', key)).flatMap((name, index) =>
      unless(names.has(name), () => notFound(`${path}.filter.${key}[${index}]`, name)),
    ),
  );
}
