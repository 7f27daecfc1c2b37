// What an update may not change of topology constraints (spec api 3.5): nothing, but for the move
// from the old spelling of a domain to the new one, and the repair of an old set that names no
// topology.
import { forbidden } from '#machines/kubernetes/field-errors.ts';
import { fine, internal, type Rule } from '../rule.ts';
import { pairs } from '../update/pairs.ts';
import {
  cliquesPath,
  type CliqueView,
  groupsPath,
  type GroupView,
  type SetView,
  type UpdateSubject,
} from '../view.ts';
import {
  allOf,
  type Constraint,
  constraintsOf,
  on,
  resolve,
  setConstraintPath as top,
  topologyNamePath,
} from './constraint.ts';

const router = `${cliquesPath}[0].topologyConstraint`;
const decode = `${groupsPath}[0].topologyConstraint`;
const rack = { topologyName: 'fabric', pack: { required: 'rack' } };
const moved = {
  given: { [top]: rack },
  before: { [top]: { topologyName: 'fabric', packDomain: 'rack' } },
};
const repaired = {
  given: { [router]: { topologyName: 'fabric', packDomain: 'rack' } },
  before: { [router]: { packDomain: 'rack' } },
};
const fixedText = 'a topology constraint cannot change';

interface Change {
  readonly path: string;
  readonly now: Constraint | undefined;
  readonly before: Constraint | undefined;
}

/** Forbidden changes: all but a migration, and a repair where the old object may be repaired. */
function forbiddenChanges({ set, old }: UpdateSubject, parts: Parts): readonly Change[] {
  const mayRepair = isRepairable(old);
  return changesOf(set, old, parts).filter(
    (change) => !isMigration(change) && !(mayRepair && isNaming(change)),
  );
}

export const topologyUpdateRules: readonly Rule<UpdateSubject>[] = [
  {
    id: 'T10',
    field: topologyNamePath,
    demands: 'not change',
    check: (subject) =>
      forbiddenChanges(subject, 'set')
        .filter(isRenaming)
        .map(({ before }) =>
          forbidden(
            topologyNamePath,
            before === undefined || before.topologyName === ''
              ? 'a topology cannot be named later'
              : `the topology cannot change (it was "${before.topologyName}")`,
          ),
        ),
    accepts: on(moved),
    refuses: [
      on({
        given: { [top]: { ...rack, topologyName: 'other' } },
        before: { [top]: rack },
        says: `${topologyNamePath}: Forbidden: the topology cannot change (it was "fabric")`,
      }),
      on({
        given: { [top]: rack },
        before: { [top]: null },
        says: `${topologyNamePath}: Forbidden: a topology cannot be named later`,
      }),
    ],
  },
  {
    id: 'T11',
    field: top,
    demands: 'not change; only `packDomain` may move to `pack.required`',
    check: (subject) =>
      forbiddenChanges(subject, 'set')
        .filter((change) => !isRenaming(change))
        .map(({ path }) => forbidden(path, fixedText)),
    accepts: on(moved),
    refuses: on({
      given: { [top]: rack },
      before: { [top]: { ...rack, pack: { required: 'block' } } },
      says: `${top}: Forbidden: ${fixedText}`,
    }),
  },
  {
    id: 'T12',
    field: `${cliquesPath}[n].topologyConstraint, ${groupsPath}[n].topologyConstraint`,
    demands: 'not change; `packDomain` may move, and an old one may get its topology',
    check: (subject) =>
      forbiddenChanges(subject, 'parts').map(({ path }) => forbidden(path, fixedText)),
    accepts: on(repaired),
    refuses: [
      on({
        given: { [decode]: rack },
        before: { [decode]: null },
        says: `${decode}: Forbidden: ${fixedText}`,
      }),
      on({
        given: { [router]: { topologyName: 'fabric', pack: { required: 'rack' } } },
        before: { [router]: { packDomain: 'rack' } },
        says: `${router}: Forbidden: ${fixedText}`,
      }),
    ],
  },
  {
    id: 'T13',
    field: topologyNamePath,
    demands: 'have been unambiguous in the old object, or be repairable',
    check: ({ old }) =>
      isUnresolved(old) && !isRepairable(old)
        ? [internal(topologyNamePath, 'the constraints of the stored object name no one topology')]
        : fine,
    accepts: on(repaired),
    refuses: on({
      given: { [router]: { pack: { required: 'rack' } } },
      before: { 'spec.replicas': 2 },
      says:
        `${topologyNamePath}: Internal error:` +
        ' the constraints of the stored object name no one topology',
    }),
  },
];

/** The update names the topology of an old constraint, so it is judged as if it was created. */
export const isRepair = ({ set, old }: Pick<UpdateSubject, 'set' | 'old'>): boolean =>
  isRepairable(old) &&
  [...changesOf(set, old, 'set'), ...changesOf(set, old, 'parts')].some(isNaming);

const isRepairable = (old: SetView): boolean =>
  allOf(constraintsOf(old)).some(isNameless) && isUnresolved(old);

const isNameless = ({ topologyName, packDomain }: Constraint): boolean =>
  topologyName === '' && packDomain !== '';

function isUnresolved(set: SetView): boolean {
  const { missing, differing, several } = resolve(set);
  return missing.length + differing.length + several.length > 0;
}

type Parts = 'set' | 'parts';

/** Constraints that differ from what they were; cliques and groups by name. */
function changesOf(set: SetView, old: SetView, parts: Parts): readonly Change[] {
  const [now, before] = [constraintsOf(set), constraintsOf(old)];
  if (parts === 'set') {
    return [{ path: top, now: now.set, before: before.set }].filter(isChanged);
  }
  const byOwner = (constraints: readonly Constraint[]) =>
    new Map(constraints.map((each) => [each.owner, each]));
  const kinds = ['cliques', 'groups'] as const;
  const changes = kinds.flatMap((kind) => {
    const [after, former] = [byOwner(now[kind]), byOwner(before[kind])];
    return pairs<CliqueView | GroupView>(set[kind], old[kind]).map(([{ path, name }]) => ({
      path: `${path}.topologyConstraint`,
      now: after.get(name),
      before: former.get(name),
    }));
  });
  return changes.filter(isChanged);
}

const isChanged = ({ now, before }: Change): boolean =>
  now?.topologyName !== before?.topologyName ||
  now?.packDomain !== before?.packDomain ||
  now?.required !== before?.required ||
  now?.preferred !== before?.preferred;

const isRenaming = ({ now, before }: Change): boolean =>
  (now?.topologyName ?? '') !== (before?.topologyName ?? '');

const isMigration = ({ now, before }: Change): boolean =>
  now !== undefined &&
  before !== undefined &&
  before.packDomain !== '' &&
  now.packDomain === '' &&
  now.packRequired === before.packDomain &&
  now.topologyName === before.topologyName &&
  now.preferred === before.preferred;

/** A nameless constraint got its topology and is otherwise as it was. */
const isNaming = ({ now, before }: Change): boolean =>
  now !== undefined &&
  before !== undefined &&
  isNameless(before) &&
  now.topologyName !== '' &&
  !isChanged({ path: '', now: { ...now, topologyName: '' }, before });
