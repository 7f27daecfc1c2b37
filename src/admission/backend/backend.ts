// Which scheduler backend a set is for, and the rule that there is one (spec api 3.7). A complaint
// of a backend is one error at `spec`; unlike Grove's its value is the name of the backend and not
// the whole spec, so that people can read it.
import { invalid } from '#machines/kubernetes/field-errors.ts';
import { type Example, type FieldError, fine, type Rule } from '../rule.ts';
import type { Found } from '../situation.ts';
import { allOf, constraintsOf, setConstraintPath } from '../topology/constraint.ts';
import { cliquesPath, schedulerOf, type SetSubject } from '../view.ts';

type Placed = Pick<SetSubject, 'set' | 'settings'>;

/** The scheduler that the first clique asks for; undefined where there is no clique. */
function askedFor({ set, settings }: Placed): string | undefined {
  const [clique] = set.cliques;
  return clique && schedulerOf(clique, settings);
}

export const isFor = (subject: Placed, backend: string): boolean =>
  subject.settings.schedulerNames.includes(backend) && askedFor(subject) === backend;

/** The error of a backend that will not have the set; none without a reason. */
const refusal = (backend: string, why: string | undefined): readonly FieldError[] =>
  why === undefined ? fine : [invalid('spec', backend, why)];

const noConstraints =
  'this scheduler does not know topologyConstraint; remove it from the set, its cliques and groups';

/** A demand of one backend: `problem` says why it will not have the set. The examples are in a
 *  cluster where sets go to this backend, and `says` is what follows its name in the error. */
export function backendRule(
  backend: string,
  id: string,
  demands: string,
  problem: (subject: SetSubject) => string | undefined,
  accepts: Example,
  ...refuses: readonly (Example & { readonly says: string })[]
): Rule<SetSubject> {
  const schedulerNames = ['default-scheduler', backend];
  const settings = { defaultSchedulerName: backend, schedulerNames, topologyAware: true };
  return {
    id,
    field: 'spec',
    demands: `${demands}, for ${backend}`,
    check: (subject) => (isFor(subject, backend) ? refusal(backend, problem(subject)) : fine),
    accepts: { ...accepts, settings },
    refuses: refuses.map(({ says, ...example }) => ({
      ...example,
      settings,
      says: `spec: Invalid value: "${backend}": ${says}`,
    })),
  };
}

/** Of a backend without topologies, with what else it has to find. */
export const noConstraintsRule = (backend: string, id: string, found: Found): Rule<SetSubject> =>
  backendRule(
    backend,
    id,
    'have no topologyConstraint',
    ({ set }) => (allOf(constraintsOf(set)).length > 0 ? noConstraints : undefined),
    { found },
    {
      given: { [setConstraintPath]: { topologyName: 'fabric', pack: { required: 'rack' } } },
      found: { bindings: { fabric: { is: 'there', domains: ['rack'] } }, ...found },
      says: noConstraints,
    },
  );

export const backendRules: readonly Rule<SetSubject>[] = [
  {
    id: 'B1',
    field: 'spec',
    demands: 'be for an enabled backend: the scheduler of the first clique, or the default one',
    check: (subject) => {
      const name = askedFor(subject);
      return name === undefined || subject.settings.schedulerNames.includes(name)
        ? fine
        : refusal(name, 'no scheduler backend of this name is enabled');
    },
    accepts: {},
    refuses: {
      given: Object.fromEntries(
        [0, 1, 2].map((n) => [`${cliquesPath}[${n}].spec.podSpec.schedulerName`, 'volcano']),
      ),
      says: [
        `${cliquesPath}.spec.podSpec.schedulerName: Invalid value: "volcano":` +
          ' this scheduler is not enabled; enabled are "default-scheduler"',
        'spec: Invalid value: "volcano": no scheduler backend of this name is enabled',
      ],
      also: ['V30'],
    },
  },
];
