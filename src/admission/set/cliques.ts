// Rules for the cliques of a PodCliqueSet and their numbers (spec api 3.3: V14-V15, V17-V19,
// V21-V22, V27-V28).
import { invalid, invalidEach, required } from '#machines/kubernetes/field-errors.ts';
import { isObject, text } from '#machines/kubernetes/json.ts';
import { checkSubdomain } from '#machines/kubernetes/names.ts';
import { validateAnnotations, validateLabels } from '#machines/kubernetes/object-meta.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
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
  type CliqueView,
  eachClique,
  integerAt,
  namesOf,
  type SetSubject,
  templatePath,
} from '../view.ts';

const first = `${cliquesPath}[0]`;
const scaling = `${first}.spec.autoScalingConfig`;

export const cliqueRules: readonly Rule<SetSubject>[] = [
  {
    id: 'V14',
    field: cliquesPath,
    demands: 'hold at least one clique',
    check: ({ set }) =>
      unless(set.cliques.length > 0, () => required(cliquesPath, 'must hold at least one clique')),
    accepts: {},
    refuses: {
      given: { [cliquesPath]: [], [`${templatePath}.podCliqueScalingGroups`]: [] },
      says: `${cliquesPath}: Required value: must hold at least one clique`,
    },
  },
  {
    id: 'V15',
    field: `${cliquesPath}[n].name`,
    demands: 'be a DNS-1123 subdomain',
    check: eachClique(({ path, name }) =>
      name.trim() === ''
        ? [required(`${path}.name`, 'a clique needs a name')]
        : invalidEach(`${path}.name`, name, checkSubdomain(name)),
    ),
    ...examples(
      `${first}.name`,
      'front.end',
      ['', `${first}.name: Required value: a clique needs a name`],
      ['Router', `${first}.name: Invalid value: "Router": ${checkSubdomain('Router').join()}`],
    ),
  },
  {
    id: 'V17',
    field: `${cliquesPath}[n].labels, ${cliquesPath}[n].annotations`,
    demands: 'follow the rules of Kubernetes for labels and annotations',
    check: eachClique(({ path, raw }) => [
      ...validateLabels(raw['labels'], `${path}.labels`),
      ...validateAnnotations(raw['annotations'], `${path}.annotations`),
    ]),
    accepts: { given: { [`${first}.labels['team.io/name']`]: 'blue' } },
    refuses: {
      given: { [`${first}.annotations['/x']`]: 'blue' },
      says: `${first}.annotations: Invalid value: "/x": prefix part must be non-empty`,
    },
  },
  {
    id: 'V18',
    field: `${cliquesPath}[n].spec.replicas`,
    demands: 'be above 0',
    check: eachClique(({ path, spec }) =>
      aboveZero(`${path}.spec.replicas`, integerAt(spec, 'replicas') ?? 0),
    ),
    ...examples(`${first}.spec.replicas`, 7, [
      -2,
      `${first}.spec.replicas: Invalid value: -2: must be greater than 0`,
    ]),
  },
  {
    id: 'V19',
    field: `${cliquesPath}[n].spec.minAvailable`,
    demands: 'be above 0 and at most `replicas`',
    check: eachClique(checkMinAvailable),
    ...examples(
      `${first}.spec.minAvailable`,
      2,
      [null, `${first}.spec.minAvailable: Required value: must be from 1 to replicas`],
      [0, `${first}.spec.minAvailable: Invalid value: 0: must be greater than 0`],
      [3, `${first}.spec.minAvailable: Invalid value: 3: must not be greater than replicas (2)`],
    ),
  },
  {
    id: 'V21',
    field: `${cliquesPath}[n].spec.autoScalingConfig.minReplicas`,
    demands: 'be at least `minAvailable`',
    check: eachClique(checkMinReplicas),
    ...examples(
      scaling,
      { minReplicas: 1, maxReplicas: 5 },
      [
        { maxReplicas: 5 },
        `${scaling}.minReplicas: Required value: must be minAvailable (1) or more`,
      ],
      [
        { minReplicas: 0, maxReplicas: 5 },
        `${scaling}.minReplicas: Invalid value: 0: must not be less than minAvailable (1)`,
      ],
    ),
  },
  {
    id: 'V22',
    field: `${cliquesPath}[n].spec.autoScalingConfig.maxReplicas`,
    demands: 'be at least `minReplicas` and at least `replicas`',
    check: eachClique(checkMaxReplicas),
    ...examples(
      scaling,
      { minReplicas: 2, maxReplicas: 2 },
      [
        { minReplicas: 1, maxReplicas: 1 },
        `${scaling}.maxReplicas: Invalid value: 1: must not be less than replicas (2)`,
      ],
      [
        { minReplicas: 4, maxReplicas: 3 },
        `${scaling}.maxReplicas: Invalid value: 3: must not be less than minReplicas (4)`,
      ],
    ),
  },
  {
    id: 'V27',
    field: `${cliquesPath}.name`,
    demands: 'be unique among the cliques',
    check: ({ set }) => unique(`${cliquesPath}.name`, namesOf(set.cliques)),
    accepts: { given: { [`${first}.name`]: 'front' } },
    refuses: {
      given: {
        [`${templatePath}.podCliqueScalingGroups`]: [],
        [`${first}.name`]: 'leader',
      },
      says: `${cliquesPath}.name: Duplicate value: "leader"`,
    },
  },
  {
    id: 'V28',
    field: `${cliquesPath}.roleName`,
    demands: 'be unique among the cliques, even if empty',
    check: ({ set }) =>
      unique(
        `${cliquesPath}.roleName`,
        set.cliques.map(({ spec }) => text(spec['roleName'])),
      ),
    ...examples(`${first}.spec.roleName`, '', [
      'worker',
      `${cliquesPath}.roleName: Duplicate value: "worker"`,
    ]),
  },
];

function checkMinAvailable({ path, spec }: CliqueView): readonly FieldError[] {
  const field = `${path}.spec.minAvailable`;
  const least = integerAt(spec, 'minAvailable');
  if (least === undefined) return [required(field, 'must be from 1 to replicas')];
  return checkLeast(field, least, spec);
}

/** Of a clique or a group: above 0, and no more than its replicas. */
export function checkLeast(field: string, least: number, owner: JsonObject): readonly FieldError[] {
  const replicas = integerAt(owner, 'replicas') ?? 0;
  if (least <= 0 || replicas <= 0 || least <= replicas) return aboveZero(field, least);
  return [invalid(field, least, `must not be greater than replicas (${replicas})`)];
}

function checkMinReplicas({ path, spec }: CliqueView): readonly FieldError[] {
  const config = spec['autoScalingConfig'];
  if (!isObject(config)) return fine;
  const field = `${path}.spec.autoScalingConfig.minReplicas`;
  const least = integerAt(config, 'minReplicas');
  const floor = integerAt(spec, 'minAvailable') ?? 1;
  if (least === undefined) return [required(field, `must be minAvailable (${floor}) or more`)];
  return notBelow(field, least, 'minAvailable', floor);
}

function checkMaxReplicas({ path, spec }: CliqueView): readonly FieldError[] {
  const config = spec['autoScalingConfig'];
  if (!isObject(config)) return fine;
  const field = `${path}.spec.autoScalingConfig.maxReplicas`;
  const most = integerAt(config, 'maxReplicas') ?? 0;
  return [
    ...notBelow(field, most, 'minReplicas', integerAt(config, 'minReplicas') ?? 0),
    ...notBelow(field, most, 'replicas', integerAt(spec, 'replicas') ?? 0),
  ];
}
