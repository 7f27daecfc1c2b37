// Rules for the cliques of a PodCliqueSet and their numbers (spec api 3.3: V14-V15, V17-V19,
// V21-V22, V27-V28).
import { duplicate, invalid, invalidEach, required } from '#machines/kubernetes/field-errors.ts';
import { isObject, text } from '#machines/kubernetes/json.ts';
import { checkSubdomain } from '#machines/kubernetes/names.ts';
import { validateAnnotations, validateLabels } from '#machines/kubernetes/object-meta.ts';
import { fine, type FieldError, type Rule, unless } from '../rule.ts';
import {
  cliquesPath,
  type CliqueView,
  integerAt,
  repeated,
  type SetSubject,
  templatePath,
} from '../view.ts';

const first = `${cliquesPath}[0]`;
const scaling = `${first}.spec.autoScalingConfig`;

/** The same rule for each clique. */
const each =
  (check: (clique: CliqueView) => readonly FieldError[]) =>
  ({ set }: SetSubject): readonly FieldError[] =>
    set.cliques.flatMap(check);

export const cliqueRules: readonly Rule<SetSubject>[] = [
  {
    id: 'V14',
    field: cliquesPath,
    types: ['FieldValueRequired'],
    demands: 'hold at least one clique',
    check: ({ set }) =>
      unless(set.cliques.length > 0, () => required(cliquesPath, 'must hold at least one clique')),
    accepts: {},
    refuses: [
      {
        given: { [cliquesPath]: [], [`${templatePath}.podCliqueScalingGroups`]: [] },
        says: `${cliquesPath}: Required value: must hold at least one clique`,
      },
    ],
  },
  {
    id: 'V15',
    field: `${cliquesPath}[n].name`,
    types: ['FieldValueRequired', 'FieldValueInvalid'],
    demands: 'be a DNS-1123 subdomain',
    check: each(({ path, name }) =>
      name.trim() === ''
        ? [required(`${path}.name`, 'a clique needs a name')]
        : invalidEach(`${path}.name`, name, checkSubdomain(name)),
    ),
    accepts: { given: { [`${first}.name`]: 'front.end' } },
    refuses: [
      {
        given: { [`${first}.name`]: '' },
        says: `${first}.name: Required value: a clique needs a name`,
      },
      {
        given: { [`${first}.name`]: 'Router' },
        says:
          `${first}.name: Invalid value: "Router": a lowercase RFC 1123 subdomain must consist of` +
          " lower case alphanumeric characters, '-' or '.', and must start and end with an" +
          " alphanumeric character (e.g. 'example.com', regex used for validation is" +
          " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      },
    ],
  },
  {
    id: 'V17',
    field: `${cliquesPath}[n].labels, ${cliquesPath}[n].annotations`,
    types: ['FieldValueInvalid', 'FieldValueTooLong'],
    demands: 'follow the rules of Kubernetes for labels and annotations',
    check: each(({ path, raw }) => [
      ...validateLabels(raw['labels'], `${path}.labels`),
      ...validateAnnotations(raw['annotations'], `${path}.annotations`),
    ]),
    accepts: { given: { [`${first}.labels['team.io/name']`]: 'blue' } },
    refuses: [
      {
        given: { [`${first}.annotations['/x']`]: 'blue' },
        says: `${first}.annotations: Invalid value: "/x": prefix part must be non-empty`,
      },
    ],
  },
  {
    id: 'V18',
    field: `${cliquesPath}[n].spec.replicas`,
    types: ['FieldValueInvalid'],
    demands: 'be above 0',
    check: each(({ path, spec }) => {
      const replicas = integerAt(spec, 'replicas') ?? 0;
      return unless(replicas > 0, () =>
        invalid(`${path}.spec.replicas`, replicas, 'must be greater than 0'),
      );
    }),
    accepts: { given: { [`${first}.spec.replicas`]: 7 } },
    refuses: [
      {
        given: { [`${first}.spec.replicas`]: -2 },
        says: `${first}.spec.replicas: Invalid value: -2: must be greater than 0`,
      },
    ],
  },
  {
    id: 'V19',
    field: `${cliquesPath}[n].spec.minAvailable`,
    types: ['FieldValueRequired', 'FieldValueInvalid'],
    demands: 'be above 0 and at most `replicas`',
    check: each(checkMinAvailable),
    accepts: { given: { [`${first}.spec.minAvailable`]: 2 } },
    refuses: [
      {
        given: { [`${first}.spec.minAvailable`]: null },
        says: `${first}.spec.minAvailable: Required value: must be from 1 to replicas`,
      },
      {
        given: { [`${first}.spec.minAvailable`]: 0 },
        says: `${first}.spec.minAvailable: Invalid value: 0: must be greater than 0`,
      },
      {
        given: { [`${first}.spec.minAvailable`]: 3 },
        says: `${first}.spec.minAvailable: Invalid value: 3: must not be greater than replicas (2)`,
      },
    ],
  },
  {
    id: 'V21',
    field: `${cliquesPath}[n].spec.autoScalingConfig.minReplicas`,
    types: ['FieldValueRequired', 'FieldValueInvalid'],
    demands: 'be at least `minAvailable`',
    check: each(checkMinReplicas),
    accepts: { given: { [scaling]: { minReplicas: 1, maxReplicas: 5 } } },
    refuses: [
      {
        given: { [scaling]: { maxReplicas: 5 } },
        says: `${scaling}.minReplicas: Required value: must be minAvailable (1) or more`,
      },
      {
        given: { [scaling]: { minReplicas: 0, maxReplicas: 5 } },
        says: `${scaling}.minReplicas: Invalid value: 0: must not be less than minAvailable (1)`,
      },
    ],
  },
  {
    id: 'V22',
    field: `${cliquesPath}[n].spec.autoScalingConfig.maxReplicas`,
    types: ['FieldValueInvalid'],
    demands: 'be at least `minReplicas` and at least `replicas`',
    check: each(checkMaxReplicas),
    accepts: { given: { [scaling]: { minReplicas: 2, maxReplicas: 2 } } },
    refuses: [
      {
        given: { [scaling]: { minReplicas: 1, maxReplicas: 1 } },
        says: `${scaling}.maxReplicas: Invalid value: 1: must not be less than replicas (2)`,
      },
      {
        given: { [scaling]: { minReplicas: 4, maxReplicas: 3 } },
        says: `${scaling}.maxReplicas: Invalid value: 3: must not be less than minReplicas (4)`,
      },
    ],
  },
  {
    id: 'V27',
    field: `${cliquesPath}.name`,
    types: ['FieldValueDuplicate'],
    demands: 'be unique among the cliques',
    check: ({ set }) =>
      repeated(set.cliques.map(({ name }) => name)).map((name) =>
        duplicate(`${cliquesPath}.name`, name),
      ),
    accepts: { given: { [`${first}.name`]: 'front' } },
    refuses: [
      {
        given: {
          [`${templatePath}.podCliqueScalingGroups`]: [],
          [`${first}.name`]: 'leader',
        },
        says: `${cliquesPath}.name: Duplicate value: "leader"`,
      },
    ],
  },
  {
    id: 'V28',
    field: `${cliquesPath}.roleName`,
    types: ['FieldValueDuplicate'],
    demands: 'be unique among the cliques, even if empty',
    check: ({ set }) =>
      repeated(set.cliques.map(({ spec }) => text(spec['roleName']))).map((role) =>
        duplicate(`${cliquesPath}.roleName`, role),
      ),
    accepts: { given: { [`${first}.spec.roleName`]: '' } },
    refuses: [
      {
        given: { [`${first}.spec.roleName`]: 'worker' },
        says: `${cliquesPath}.roleName: Duplicate value: "worker"`,
      },
    ],
  },
];

function checkMinAvailable({ path, spec }: CliqueView): readonly FieldError[] {
  const field = `${path}.spec.minAvailable`;
  const least = integerAt(spec, 'minAvailable');
  const replicas = integerAt(spec, 'replicas') ?? 0;
  if (least === undefined) return [required(field, 'must be from 1 to replicas')];
  if (least <= 0) return [invalid(field, least, 'must be greater than 0')];
  if (replicas <= 0 || least <= replicas) return fine;
  return [invalid(field, least, `must not be greater than replicas (${replicas})`)];
}

function checkMinReplicas({ path, spec }: CliqueView): readonly FieldError[] {
  const config = spec['autoScalingConfig'];
  if (!isObject(config)) return fine;
  const field = `${path}.spec.autoScalingConfig.minReplicas`;
  const least = integerAt(config, 'minReplicas');
  const floor = integerAt(spec, 'minAvailable') ?? 1;
  if (least === undefined) return [required(field, `must be minAvailable (${floor}) or more`)];
  if (least >= floor) return fine;
  return [invalid(field, least, `must not be less than minAvailable (${floor})`)];
}

function checkMaxReplicas({ path, spec }: CliqueView): readonly FieldError[] {
  const config = spec['autoScalingConfig'];
  if (!isObject(config)) return fine;
  const most = integerAt(config, 'maxReplicas') ?? 0;
  const floors = {
    minReplicas: integerAt(config, 'minReplicas') ?? 0,
    replicas: integerAt(spec, 'replicas') ?? 0,
  };
  return Object.entries(floors)
    .filter(([, floor]) => most < floor)
    .map(([name, floor]) =>
      invalid(
        `${path}.spec.autoScalingConfig.maxReplicas`,
        most,
        `must not be less than ${name} (${floor})`,
      ),
    );
}
