// Rules for the sharing of claims at the three levels of a PodCliqueSet (spec api 3.3: V7-V13).
import {
  duplicate,
  invalid,
  notFound,
  notSupported,
  required,
} from '#machines/kubernetes/field-errors.ts';
import { at, isObject, strings, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { fine, type FieldError, type Rule, unless } from '../rule.ts';
import { cliquesPath, groupsPath, type SetSubject } from '../view.ts';
import {
  entriesOf,
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
const scopes = ['AllReplicas', 'PerReplica'] as const;

const share = (name: string, more: JsonObject = {}) => ({ name, scope: 'AllReplicas', ...more });

export const sharingRules: readonly Rule<SetSubject>[] = [
  {
    id: 'V7',
    field: '<sharing list>[n].name',
    types: ['FieldValueRequired', 'FieldValueDuplicate'],
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
    types: ['FieldValueInvalid'],
    demands: 'be empty if the name is that of a template of the set',
    check: ({ set }) => {
      const own = new Set(templatesOf(set).map(({ name }) => name));
      return entriesOf(set).flatMap(({ path, raw }) => {
        const namespace = text(raw['namespace']);
        return unless(namespace === '' || !own.has(text(raw['name'])), () =>
          invalid(
            `${path}.namespace`,
            namespace,
            'must be empty, as the set has a claim template of this name',
          ),
        );
      });
    },
    accepts: { given: { [sharing]: [share('a', { namespace: 'other' })] } },
    refuses: [
      {
        given: { [templates]: [template('a')], [sharing]: [share('a', { namespace: 'other' })] },
        says:
          `${sharing}[0].namespace: Invalid value: "other":` +
          ' must be empty, as the set has a claim template of this name',
      },
    ],
  },
  {
    id: 'V9',
    field: '<sharing list>[n].scope',
    types: ['FieldValueNotSupported'],
    demands: `be one of ${scopes.join(', ')}`,
    check: ({ set }) =>
      entriesOf(set).flatMap(({ path, raw }) => {
        const scope = text(raw['scope']);
        return unless(
          scopes.some((each) => each === scope),
          () => notSupported(`${path}.scope`, scope, scopes),
        );
      }),
    accepts: { given: { [groupSharing]: [share('a', { scope: 'PerReplica' })] } },
    refuses: [
      {
        given: { [sharing]: [share('a', { scope: 'Each' })] },
        says:
          `${sharing}[0].scope: Unsupported value: "Each":` +
          ' supported values: "AllReplicas", "PerReplica"',
      },
    ],
  },
  {
    id: 'V10',
    field: `${sharing}[n].filter`,
    types: ['FieldValueRequired'],
    demands: 'hold a name in one of its lists, if present',
    check: ({ set }) =>
      sharesOf(sharing, set.template).flatMap(({ path, raw }) =>
        checkFilter(path, raw, ['childCliqueNames', 'childScalingGroupNames']),
      ),
    accepts: { given: { [sharing]: [share('a', { filter: { childCliqueNames: ['leader'] } })] } },
    refuses: [
      {
        given: { [sharing]: [share('a', { filter: {} })] },
        says:
          `${sharing}[0].filter: Required value:` +
          ' must hold a name in childCliqueNames or childScalingGroupNames',
      },
    ],
  },
  {
    id: 'V11',
    field: '<sharing list>[n].filter.childCliqueNames[m]',
    types: ['FieldValueNotFound'],
    demands: "name a clique of the set; in a group's list, one of the group",
    check: ({ set }) => [
      ...missing(
        set.cliques.map(({ name }) => name),
        sharesOf(sharing, set.template),
      ),
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
    types: ['FieldValueNotFound'],
    demands: 'name a scaling group of the set',
    check: ({ set }) =>
      missing(
        set.groups.map(({ name }) => name),
        sharesOf(sharing, set.template),
        'childScalingGroupNames',
      ),
    accepts: {
      given: { [sharing]: [share('a', { filter: { childScalingGroupNames: ['decode'] } })] },
    },
    refuses: [
      {
        given: { [sharing]: [share('a', { filter: { childScalingGroupNames: ['leader'] } })] },
        says: `${sharing}[0].filter.childScalingGroupNames[0]: Not found: "leader"`,
      },
    ],
  },
  {
    id: 'V13',
    field: `${groupsPath}[n].resourceSharing[m].filter`,
    types: ['FieldValueRequired'],
    demands: 'hold the name of a clique, if present',
    check: ({ set }) =>
      set.groups.flatMap(({ path, raw }) =>
        sharesOf(`${path}.resourceSharing`, raw).flatMap((entry) =>
          checkFilter(entry.path, entry.raw, ['childCliqueNames']),
        ),
      ),
    accepts: {
      given: { [groupSharing]: [share('a', { filter: { childCliqueNames: ['leader'] } })] },
    },
    refuses: [
      {
        given: { [groupSharing]: [share('a', { filter: { childCliqueNames: [] } })] },
        says: `${groupSharing}[0].filter: Required value: must hold a name in childCliqueNames`,
      },
    ],
  },
];

function checkNames(shares: readonly Entry[]): readonly FieldError[] {
  const seen = new Set<string>();
  return shares.flatMap(({ path, name }) => {
    if (name === '') return [required(`${path}.name`, 'must name a claim template')];
    return unless(seen.size !== seen.add(name).size, () => duplicate(`${path}.name`, name));
  });
}

function checkFilter(
  path: string,
  share: JsonObject,
  keys: readonly string[],
): readonly FieldError[] {
  const filter = share['filter'];
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
      names.has(name) ? [] : [notFound(`${path}.filter.${key}[${index}]`, name)],
    ),
  );
}
