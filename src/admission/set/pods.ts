// Rules for the pod templates inside a PodCliqueSet (spec api 3.3: V23-V26, V29-V30). The reported
// paths are Grove's, with a `.spec` behind podSpec that the object does not have.
import { invalid, invalidEach } from '#machines/kubernetes/field-errors.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { examples, type FieldError, fine, type Rule, unique, unless } from '../rule.ts';
import { cliquesPath, type CliqueView, schedulerOf, type SetSubject } from '../view.ts';
import { checkStrictEnvironmentName, quoted } from '../words.ts';

const first = `${cliquesPath}[0]`;
const pod = `${first}.spec.podSpec`;
const container = `${pod}.containers[0]`;
const schedulerPath = `${cliquesPath}.spec.podSpec.schedulerName`;

/** Of each clique, when the set is created. */
const whenNew =
  (check: (clique: CliqueView, path: string) => readonly FieldError[]) =>
  ({ set, old }: SetSubject): readonly FieldError[] =>
    old === undefined
      ? set.cliques.flatMap((clique) => check(clique, `${clique.path}.spec.podSpec.spec`))
      : fine;

export const podRules: readonly Rule<SetSubject>[] = [
  {
    id: 'V23',
    field: `${cliquesPath}[n].spec.podSpec.spec.topologySpreadConstraints`,
    demands: 'not be set in a new object: the topologyConstraint places the pods of a gang',
    check: whenNew(({ podSpec }, path) => {
      const spread = list(podSpec['topologySpreadConstraints']);
      return unless(spread.length === 0, () =>
        invalid(`${path}.topologySpreadConstraints`, spread, 'must not be set'),
      );
    }),
    ...examples(
      `${pod}.topologySpreadConstraints`,
      [],
      [
        [{ maxSkew: 1 }],
        `${pod}.spec.topologySpreadConstraints: Invalid value: [{"maxSkew":1}]: must not be set`,
      ],
    ),
  },
  {
    id: 'V24',
    field: `${cliquesPath}[n].spec.podSpec.spec.nodeName`,
    demands: 'not be set in a new object: the scheduler places the pods',
    check: whenNew(({ podSpec }, path) => {
      const node = text(podSpec['nodeName']);
      return unless(node.trim() === '', () => invalid(`${path}.nodeName`, node, 'must not be set'));
    }),
    ...examples(`${pod}.nodeName`, '', [
      'node-1',
      `${pod}.spec.nodeName: Invalid value: "node-1": must not be set`,
    ]),
  },
  {
    id: 'V25',
    field: `${cliquesPath}[n].spec.podSpec.spec.containers[m].env[e].name, also of initContainers`,
    demands: "be a strict environment variable name: letters, digits, '-', '_' and '.'",
    check: ({ set }) =>
      containersOf(set.cliques).flatMap(({ path, names }) =>
        names.flatMap((name, index) =>
          invalidEach(`${path}.env[${index}].name`, name, checkStrictEnvironmentName(name)),
        ),
      ),
    accepts: { given: { [`${container}.env[0].name`]: '_a.B-1' } },
    refuses: [
      {
        given: { [`${container}.env[0].name`]: '..A' },
        says: `${pod}.spec.containers[0].env[0].name: Invalid value: "..A": must not start with '..'`,
      },
      {
        given: { [`${pod}.initContainers`]: [{ name: 'init', env: [{ name: '1A' }] }] },
        says:
          `${pod}.spec.initContainers[0].env[0].name: Invalid value: "1A": a valid environment` +
          " variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must" +
          " not start with a digit (e.g. 'my.env-name', or 'MY_ENV.NAME', or 'MyEnvName1', regex" +
          " used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
      },
    ],
  },
  {
    id: 'V26',
    field: `${cliquesPath}[n].spec.podSpec.spec.containers[m].env, also of initContainers`,
    demands: 'name each variable once',
    check: ({ set }) =>
      containersOf(set.cliques).flatMap(({ path, names }) => unique(`${path}.env`, names)),
    ...examples(
      `${container}.env`,
      [{ name: 'A' }, { name: 'B' }],
      [
        [{ name: 'A' }, { name: 'B' }, { name: 'A' }],
        `${pod}.spec.containers[0].env: Duplicate value: "A"`,
      ],
    ),
  },
  {
    id: 'V29',
    field: schedulerPath,
    demands: 'be the same in all cliques; an empty name means the default backend',
    check: ({ set, settings }) => {
      const names = [...new Set(set.cliques.map((clique) => schedulerOf(clique, settings)))];
      return unless(names.length < 2, () =>
        invalid(schedulerPath, names.join(', '), 'all cliques must use the same scheduler'),
      );
    },
    accepts: { given: { [`${pod}.schedulerName`]: 'default-scheduler' } },
    refuses: {
      given: { [`${cliquesPath}[1].spec.podSpec.schedulerName`]: 'lpx-scheduler' },
      settings: { schedulerNames: ['default-scheduler', 'lpx-scheduler'] },
      says:
        `${schedulerPath}: Invalid value: "default-scheduler, lpx-scheduler":` +
        ' all cliques must use the same scheduler',
    },
  },
  {
    id: 'V30',
    field: schedulerPath,
    demands: 'name an enabled backend',
    check: ({ set, settings }) => {
      const [clique] = set.cliques;
      if (clique === undefined) return fine;
      const name = schedulerOf(clique, settings);
      return unless(settings.schedulerNames.includes(name), () =>
        invalid(
          schedulerPath,
          name,
          `this scheduler is not enabled; enabled are ${quoted(settings.schedulerNames)}`,
        ),
      );
    },
    accepts: {
      settings: { defaultSchedulerName: 'lpx-scheduler', schedulerNames: ['lpx-scheduler'] },
    },
    refuses: {
      given: Object.fromEntries(
        [0, 1, 2].map((n) => [`${cliquesPath}[${n}].spec.podSpec.schedulerName`, 'mine']),
      ),
      says: [
        `${schedulerPath}: Invalid value: "mine": this scheduler is not enabled;` +
          ' enabled are "default-scheduler"',
        'spec: Invalid value: "mine": no scheduler backend of this name is enabled',
      ],
      also: ['B1'],
    },
  },
];

interface ContainerView {
  readonly path: string;
  /** Of its environment variables. */
  readonly names: readonly string[];
}

const containersOf = (cliques: readonly CliqueView[]): readonly ContainerView[] =>
  cliques.flatMap(({ path, podSpec }) =>
    ['containers', 'initContainers'].flatMap((key) =>
      list(podSpec[key]).map((source, index) => ({
        path: `${path}.spec.podSpec.spec.${key}[${index}]`,
        names: list(at(source, 'env')).map((entry) => text(at(entry, 'name'))),
      })),
    ),
  );
