// What an update may not change of the cliques of a PodCliqueSet (spec api 3.4: U1-U5). Cliques are
// matched by name (spec controllers 10.1 rule 57).
import { invalid } from '#machines/kubernetes/field-errors.ts';
import { type FieldError, fine, type Rule, unless } from '../rule.ts';
import { cliquesPath, type CliqueView, templatePath, type UpdateSubject } from '../view.ts';
import { noNewNames, pairs, sameFields, sameNumber } from './pairs.ts';

const startup = `${templatePath}.cliqueStartupType`;
const extra = {
  name: 'extra',
  spec: { roleName: 'extra', replicas: 1, minAvailable: 1, podSpec: { containers: [] } },
};
const first = `${cliquesPath}[0]`;
const named = (...names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap((name, index) => [
      [`${cliquesPath}[${index + 1}].name`, name],
      [`${cliquesPath}[${index + 1}].spec.roleName`, name],
    ]),
  );
const swapped = named('worker', 'leader');
const unswapped = named('leader', 'worker');

/** Below `spec` of a clique. */
const fixed = ['roleName', 'minAvailable', 'startsAfter', 'podSpec.schedulerName'];

export const cliqueUpdateRules: readonly Rule<UpdateSubject>[] = [
  {
    id: 'U1',
    field: cliquesPath,
    demands: 'keep the number of cliques',
    check: ({ set, old }) => sameNumber(cliquesPath, 'clique', set.cliques, old.cliques),
    accepts: { before: { [`${first}.spec.replicas`]: 5 } },
    refuses: {
      given: { [`${cliquesPath}[3]`]: null },
      before: { [`${cliquesPath}[3]`]: extra },
      says: `${cliquesPath}: Forbidden: the number of cliques cannot change (it was 4)`,
    },
  },
  {
    id: 'U2',
    field: `${cliquesPath}.name`,
    demands: 'not add a clique with a new name',
    check: ({ set, old }) => noNewNames(cliquesPath, 'clique', set.cliques, old.cliques),
    accepts: { given: swapped, before: unswapped },
    refuses: {
      given: { [`${first}.name`]: 'front' },
      before: { [`${first}.name`]: 'router' },
      says: `${cliquesPath}.name: Forbidden: there was no clique of the name "front"`,
    },
  },
  {
    id: 'U3',
    field: cliquesPath,
    demands: 'keep the order of the cliques, if they start in order or explicitly',
    check: ({ set, old }) =>
      set.startupType === 'CliqueStartupTypeAnyOrder' ? fine : checkOrder(set.cliques, old.cliques),
    accepts: { given: swapped, before: unswapped },
    refuses: {
      given: { [startup]: 'CliqueStartupTypeInOrder', ...swapped },
      before: unswapped,
      says: [
        `${cliquesPath}: Invalid value: "worker": must stay at index 2, and is at 1`,
        `${cliquesPath}: Invalid value: "leader": must stay at index 1, and is at 2`,
      ],
    },
  },
  {
    id: 'U4',
    field: fixed.map((field) => `${cliquesPath}.spec.${field}`).join(', '),
    demands: 'not change; an empty scheduler name differs from that of the default backend',
    check: ({ set, old }) =>
      pairs(set.cliques, old.cliques).flatMap(([{ spec }, before]) =>
        sameFields(`${cliquesPath}.spec`, fixed, spec, before.spec),
      ),
    accepts: { before: { [`${first}.spec.replicas`]: 5, [`${first}.spec.startsAfter`]: [] } },
    refuses: [
      {
        given: { [`${first}.spec.roleName`]: 'front' },
        before: { [`${first}.spec.roleName`]: 'router' },
        says: `${cliquesPath}.spec.roleName: Invalid value: "front": field is immutable`,
      },
      {
        before: { [`${first}.spec.minAvailable`]: 2 },
        says: `${cliquesPath}.spec.minAvailable: Invalid value: 1: field is immutable`,
      },
      {
        before: { [`${cliquesPath}[2].spec.startsAfter`]: ['leader'] },
        says: `${cliquesPath}.spec.startsAfter: Invalid value: null: field is immutable`,
      },
      {
        given: { [`${first}.spec.podSpec.schedulerName`]: 'default-scheduler' },
        before: { [`${first}.spec.podSpec.schedulerName`]: null },
        says:
          `${cliquesPath}.spec.podSpec.schedulerName:` +
          ' Invalid value: "default-scheduler": field is immutable',
      },
    ],
  },
  {
    id: 'U5',
    field: `${cliquesPath}[n].resourceSharing`,
    demands: 'not change',
    check: ({ set, old }) =>
      pairs(set.cliques, old.cliques).flatMap(([{ path, raw }, before]) =>
        sameFields(path, ['resourceSharing'], raw, before.raw),
      ),
    accepts: { given: { [`${first}.resourceSharing`]: [] }, before: {} },
    refuses: {
      given: { [`${first}.resourceSharing`]: [{ name: 'a', scope: 'PerReplica' }] },
      before: { [`${first}.resourceSharing`]: null },
      says: `${first}.resourceSharing: Invalid value: [{"name":"a","scope":"PerReplica"}]: field is immutable`,
    },
  },
];

function checkOrder(
  cliques: readonly CliqueView[],
  old: readonly CliqueView[],
): readonly FieldError[] {
  const places = new Map(old.map(({ name }, index) => [name, index]));
  return cliques.flatMap(({ name }, index) => {
    const before = places.get(name) ?? index;
    return unless(before === index, () =>
      invalid(cliquesPath, name, `must stay at index ${before}, and is at ${index}`),
    );
  });
}
