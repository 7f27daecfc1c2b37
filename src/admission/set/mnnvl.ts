// Rules for the annotation that enrols cliques in a ComputeDomain (spec api 3.6), at the set, its
// cliques and its groups.
import { forbidden, invalid, invalidEach } from '#machines/kubernetes/field-errors.ts';
import { checkLabel } from '#machines/kubernetes/names.ts';
import { type FieldError, fine, type Rule, unless } from '../rule.ts';
import { pairs } from '../update/pairs.ts';
import {
  annotationOf,
  cliquesPath,
  groupsPath,
  type SetSubject,
  type SetView,
  type UpdateSubject,
} from '../view.ts';

const key = 'grove.io/mnnvl-group';
/** The value that says: no group. */
const none = 'none';

const onSet = `metadata.annotations['${key}']`;
const onClique = `${cliquesPath}[0].annotations['${key}']`;
const field = '<set metadata, clique or group>.annotations.grove.io/mnnvl-group';
const isOn = { autoMnnvl: true };

interface Place {
  readonly field: string;
  /** Of the clique or group; blank for the set itself. */
  readonly name: string;
  readonly value: string | undefined;
}

/** Of the new object's places where the set is created; none for an update. */
const whenNew =
  (check: (place: Place, subject: SetSubject) => readonly FieldError[]) =>
  (subject: SetSubject): readonly FieldError[] =>
    subject.old === undefined
      ? placesOf(subject.set)
          .flat()
          .flatMap((place) => check(place, subject))
      : fine;

export const mnnvlRules: readonly Rule<SetSubject>[] = [
  {
    id: 'M1',
    field,
    demands: `be \`${none}\` or a DNS-1123 label, in a new object`,
    check: whenNew(({ field, value }) =>
      value === undefined ? fine : invalidEach(field, value, checkLabel(value)),
    ),
    accepts: { given: { [onSet]: 'training' }, settings: isOn },
    refuses: {
      given: { [onClique]: 'a.b' },
      settings: isOn,
      says: `${cliquesPath}[0].annotations.${key}: Invalid value: "a.b": must not contain dots`,
    },
  },
  {
    id: 'M2',
    field,
    demands: `be \`${none}\` in a new object while network.autoMNNVLEnabled is off`,
    check: whenNew(({ field, value }, { settings }) =>
      unless(settings.autoMnnvl || value === undefined || value === none, () =>
        invalid(field, value, 'MNNVL is switched off in the operator: only "none" is allowed'),
      ),
    ),
    accepts: { given: { [onSet]: none } },
    refuses: {
      given: { [`${groupsPath}[0].annotations['${key}']`]: 'training' },
      says:
        `${groupsPath}[0].annotations.${key}: Invalid value: "training":` +
        ' MNNVL is switched off in the operator: only "none" is allowed',
    },
  },
];

/** Judged together with the structural rules, before the other rules for updates. */
export const mnnvlUpdateRules: readonly Rule<UpdateSubject>[] = [
  {
    id: 'M3',
    field,
    demands: 'neither be added nor removed by an update',
    check: (subject) =>
      changed(subject)
        .filter(({ value, before }) => value === undefined || before === undefined)
        .map(({ field, value }) =>
          forbidden(field, `cannot be ${value === undefined ? 'removed' : 'added'} later`),
        ),
    accepts: { given: { [onSet]: 'training' }, before: {}, settings: isOn },
    refuses: [
      {
        given: { [onClique]: none },
        before: { [onClique]: null },
        says: `${cliquesPath}[0].annotations.${key}: Forbidden: cannot be added later`,
      },
      {
        given: { [onSet]: null },
        before: { [onSet]: 'training' },
        says: `metadata.annotations.${key}: Forbidden: cannot be removed later`,
      },
    ],
  },
  {
    id: 'M4',
    field,
    demands: 'keep its value in an update',
    check: (subject) =>
      changed(subject)
        .filter(({ value, before }) => value !== undefined && before !== undefined)
        .map(({ field, value }) => invalid(field, value, 'field is immutable')),
    accepts: { given: { [onSet]: 'training' }, before: {} },
    refuses: {
      given: { [onSet]: 'serving' },
      before: { [onSet]: 'training' },
      says: `metadata.annotations.${key}: Invalid value: "serving": field is immutable`,
    },
  },
];

const setPlace = ({ metadata }: SetView): Place => ({
  field: `metadata.annotations.${key}`,
  name: '',
  value: annotationOf(metadata, key),
});

/** Of the set, its cliques and its groups: names are told apart within each. */
const placesOf = (set: SetView): readonly (readonly Place[])[] => [
  [setPlace(set)],
  ...[set.cliques, set.groups].map((parts) =>
    parts.map(({ path, name, raw }) => ({
      field: `${path}.annotations.${key}`,
      name,
      value: annotationOf(raw, key),
    })),
  ),
];

/** Places with another value than before; parts that are new are left to U2 and U8. */
function changed({ set, old }: UpdateSubject): readonly (Place & { before: Place['value'] })[] {
  const before = placesOf(old);
  return placesOf(set)
    .flatMap((places, index) => pairs(places, before[index] ?? []))
    .map(([place, then]) => ({ ...place, before: then.value }))
    .filter((place) => place.value !== place.before);
}
