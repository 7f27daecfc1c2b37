// Rules for the claim templates of a PodCliqueSet and for the sharing of claims at its three levels
// (spec api 3.3: V4-V13).
import { duplicate, invalid, notFound } from '#machines/kubernetes/field-errors.ts';
import { notSupported, required } from '#machines/kubernetes/field-errors.ts';
import { at, isObject, list, object, strings, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { examples, type FieldError, fine, type Rule, unique, unless } from '../rule.ts';
import {
  cliquesPath,
  eachGroup,
  groupsPath,
  namesOf,
  type SetSubject,
  type SetView,
  templatePath,
} from '../view.ts';

const templates = `${templatePath}.resourceClaimTemplates`;
export const sharingPath = `${templatePath}.resourceSharing`;

/** A claim template for examples. */
const template = (name: string) => ({
  name,
  templateSpec: { spec: { devices: { requests: [{ name: 'gpu' }] } } },
});

interface Entry {
  readonly path: string;
  readonly name: string;
  readonly raw: JsonObject;
}

const entries = (path: string, value: unknown): readonly Entry[] =>
  list(value).map((source, index) => {
    const raw = object(source);
    return { path: `${path}[${index}]`, name: text(raw['name']), raw };
  });

const templatesOf = (set: SetView): readonly Entry[] =>
  entries(templates, set.template['resourceClaimTemplates']);

export const sharesOf = (path: string, owner: JsonObject): readonly Entry[] =>
  entries(path, owner['resourceSharing']);

/** The sharing lists of all three levels. */
const listsOf = (set: SetView): readonly (readonly Entry[])[] => [
  sharesOf(sharingPath, set.template),
  ...[...set.cliques, ...set.groups].map(({ path, raw }) =>
    sharesOf(`${path}.resourceSharing`, raw),
  ),
];

const groupSharing = `${groupsPath}[0].resourceSharing`;
const cliqueSharing = `${cliquesPath}[0].resourceSharing`;
const scopes: readonly string[] = ['AllReplicas', 'PerReplica'];

const share = (name: string, more: JsonObject = {}) => ({ name, scope: 'AllReplicas', ...more });

export const claimRules: readonly Rule<SetSubject>[] = [
  {
    id: 'V4',
    field: `${templates}[n].name`,
    demands: 'not be empty',
    check: ({ set }) =>
      templatesOf(set).flatMap(({ path, name }) =>
        unless(name !== '', () => required(`${path}.name`, 'a claim template needs a name')),
      ),
    ...examples(
      templates,
      [template('shared')],
      [[template('')], `${templates}[0].name: Required value: a claim template needs a name`],
    ),
  },
  {
    id: 'V5',
    field: `${templates}[n].templateSpec.spec.devices.requests`,
    demands: 'hold at least one device request',
    check: ({ set }) =>
      templatesOf(set).flatMap(({ path, raw }) =>
        unless(list(at(raw, 'templateSpec', 'spec', 'devices', 'requests')).length > 0, () =>
          required(
            `${path}.templateSpec.spec.devices.requests`,
            'must hold at least one device request',
          ),
        ),
      ),
    ...examples(
      templates,
      [template('shared')],
      [
        [{ name: 'shared', templateSpec: { spec: {} } }],
        `${templates}[0].templateSpec.spec.devices.requests:` +
          ' Required value: must hold at least one device request',
      ],
    ),
  },
  {
    id: 'V6',
    field: `${templates}.name`,
    demands: 'be unique among the claim templates',
    check: ({ set }) => unique(`${templates}.name`, namesOf(templatesOf(set))),
    ...examples(
      templates,
      [template('a'), template('b')],
      [[template('a'), template('a')], `${templates}.name: Duplicate value: "a"`],
    ),
  },
  {
    id: 'V7',
    field: '<sharing list>[n].name',
    demands: 'not be empty, and be unique within its list',
    check: ({ set }) => listsOf(set).flatMap(checkNames),
    accepts: { given: { [sharingPath]: [share('a')], [cliqueSharing]: [share('a')] } },
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
    accepts: { given: { [sharingPath]: [share('a', { namespace: 'other' })] } },
    refuses: {
      given: { [templates]: [template('a')], [sharingPath]: [share('a', { namespace: 'other' })] },
      says:
        `${sharingPath}[0].namespace: Invalid value: "other":` +
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
      given: { [sharingPath]: [share('a', { scope: 'Each' })] },
      says: `${sharingPath}[0].scope: Unsupported value: "Each": supported values: "AllReplicas", "PerReplica"`,
    },
  },
  {
    id: 'V10',
    field: `${sharingPath}[n].filter`,
    demands: 'hold a name in one of its lists, if present',
    check: ({ set }) =>
      sharesOf(sharingPath, set.template).flatMap((share) =>
        checkFilter(share, ['childCliqueNames', 'childScalingGroupNames']),
      ),
    ...examples(
      sharingPath,
      [share('a', { filter: { childCliqueNames: ['leader'] } })],
      [
        [share('a', { filter: {} })],
        `${sharingPath}[0].filter: Required value:` +
          ' must hold a name in childCliqueNames or childScalingGroupNames',
      ],
    ),
  },
  {
    id: 'V11',
    field: '<sharing list>[n].filter.childCliqueNames[m]',
    demands: "name a clique of the set; in a group's list, one of the group",
    check: ({ set }) => [
      ...missing(namesOf(set.cliques), sharesOf(sharingPath, set.template)),
      ...set.groups.flatMap(({ path, raw, cliqueNames }) =>
        missing(cliqueNames, sharesOf(`${path}.resourceSharing`, raw)),
      ),
    ],
    accepts: {
      given: { [groupSharing]: [share('a', { filter: { childCliqueNames: ['worker'] } })] },
    },
    refuses: [
      {
        given: { [sharingPath]: [share('a', { filter: { childCliqueNames: ['router', 'x'] } })] },
        says: `${sharingPath}[0].filter.childCliqueNames[1]: Not found: "x"`,
      },
      {
        given: { [groupSharing]: [share('a', { filter: { childCliqueNames: ['router'] } })] },
        says: `${groupSharing}[0].filter.childCliqueNames[0]: Not found: "router"`,
      },
    ],
  },
  {
    id: 'V12',
    field: `${sharingPath}[n].filter.childScalingGroupNames[m]`,
    demands: 'name a scaling group of the set',
    check: ({ set }) =>
      missing(namesOf(set.groups), sharesOf(sharingPath, set.template), 'childScalingGroupNames'),
    ...examples(
      sharingPath,
      [share('a', { filter: { childScalingGroupNames: ['decode'] } })],
      [
        [share('a', { filter: { childScalingGroupNames: ['leader'] } })],
        `${sharingPath}[0].filter.childScalingGroupNames[0]: Not found: "leader"`,
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
