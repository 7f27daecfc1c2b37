// Rules for the annotation that enrols cliques in a ComputeDomain (spec api 3.6), at the set, its
// cliques and its groups.
import { forbidden, invalid, invalidEach } from '#machines/kubernetes/field-errors.ts';
import { checkLabel } from '#machines/kubernetes/names.ts';
import { fine, type FieldError, type Rule, unless } from '../rule.ts';
import {
  annotationOf,
  cliquesPath,
  type CliqueView,
  groupsPath,
  type GroupView,
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
      ? placesOf(subject.set).flatMap((place) => check(place, subject))
      : fine;

export const mnnvlRules: readonly Rule<SetSubject>[] = [
  {
    id: 'M1',
    field,
    types: ['FieldValueInvalid'],
    demands: `be \`${none}\` or a DNS-1123 label, in a new object`,
    check: whenNew(({ field, value }) =>
      value === undefined || value === none ? fine : invalidEach(field, value, checkLabel(value)),
    ),
    accepts: { given: { [onSet]: 'training' }, settings: isOn },
    refuses: [
      {
        given: { [onClique]: 'a.b' },
        settings: isOn,
        says: `${cliquesPath}[0].annotations.${key}: Invalid value: "a.b": must not contain dots`,
      },
    ],
  },
  {
    id: 'M2',
    field,
    types: ['FieldValueInvalid'],
    demands: `be \`${none}\` in a new object while network.autoMNNVLEnabled is off`,
    check: whenNew(({ field, value }, { settings }) =>
      unless(settings.autoMnnvl || value === undefined || value === none, () =>
        invalid(field, value, 'MNNVL is switched off in the operator: only "none" is allowed'),
      ),
    ),
    accepts: { given: { [onSet]: none } },
    refuses: [
      {
        given: { [`${groupsPath}[0].annotations['${key}']`]: 'training' },
        says:
          `${groupsPath}[0].annotations.${key}: Invalid value: "training":` +
          ' MNNVL is switched off in the operator: only "none" is allowed',
      },
    ],
  },
];

/** Judged together with the structural rules, before the other rules for updates. */
export const mnnvlUpdateRules: readonly Rule<UpdateSubject>[] = [
  {
    id: 'M3',
    field,
    types: ['FieldValueForbidden'],
    demands: 'neither be added nor removed by an update',
    check: ({ set, old }) =>
      changed(set, old)
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
    types: ['FieldValueInvalid'],
    demands: 'keep its value in an update',
    check: ({ set, old }) =>
      changed(set, old)
        .filter(({ value, before }) => value !== undefined && before !== undefined)
        .map(({ field, value }) => invalid(field, value, 'field is immutable')),
    accepts: { given: { [onSet]: 'training' }, before: {} },
    refuses: [
      {
        given: { [onSet]: 'serving' },
        before: { [onSet]: 'training' },
        says: `metadata.annotations.${key}: Invalid value: "serving": field is immutable`,
      },
    ],
  },
];

const setPlace = ({ metadata }: SetView): Place => ({
  field: `metadata.annotations.${key}`,
  name: '',
  value: annotationOf(metadata, key),
});

const partPlaces = (parts: readonly (CliqueView | GroupView)[]): readonly Place[] =>
  parts.map(({ path, name, raw }) => ({
    field: `${path}.annotations.${key}`,
    name,
    value: annotationOf(raw, key),
  }));

const placesOf = (set: SetView): readonly Place[] => [
  setPlace(set),
  ...partPlaces(set.cliques),
  ...partPlaces(set.groups),
];

type Changed = Place & { readonly before: string | undefined };

/** Cliques and groups are matched by name; what is new is left to U2 and U8. */
const changed = (set: SetView, old: SetView): readonly Changed[] => [
  ...changes([setPlace(set)], [setPlace(old)]),
  ...changes(partPlaces(set.cliques), partPlaces(old.cliques)),
  ...changes(partPlaces(set.groups), partPlaces(old.groups)),
];

function changes(now: readonly Place[], then: readonly Place[]): readonly Changed[] {
  const byName = new Map(then.map((place) => [place.name, place]));
  return now.flatMap((place) => {
    const before = byName.get(place.name);
    return before === undefined || before.value === place.value
      ? []
      : [{ ...place, before: before.value }];
  });
}
