// A PodCliqueSet as the rules read it: total, so that any JSON has a view, and with the paths under
// which errors are reported. Unlike the machines' observed objects it keeps what is wrong.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import { at, isObject, list, object, strings, text, textOf } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { AdmissionSettings, Found } from './situation.ts';

export interface CliqueView {
  /** `spec.template.cliques[2]` */
  readonly path: string;
  readonly name: string;
  readonly raw: JsonObject;
  readonly spec: JsonObject;
  readonly podSpec: JsonObject;
}

export interface GroupView {
  /** `spec.template.podCliqueScalingGroups[0]` */
  readonly path: string;
  readonly name: string;
  readonly raw: JsonObject;
  readonly cliqueNames: readonly string[];
}

export interface SetView {
  readonly raw: JsonObject;
  readonly metadata: JsonObject;
  readonly name: string;
  readonly spec: JsonObject;
  readonly template: JsonObject;
  readonly startupType: string;
  readonly cliques: readonly CliqueView[];
  readonly groups: readonly GroupView[];
  /** The scaling groups of the cliques that one lists, by name. */
  readonly groupOf: ReadonlyMap<string, string>;
}

/** What a rule for PodCliqueSets looks at. */
export interface SetSubject {
  readonly set: SetView;
  /** Absent: it is created. */
  readonly old?: SetView;
  readonly settings: AdmissionSettings;
  readonly found: Found;
}

/** What a rule for updates looks at. */
export interface UpdateSubject extends SetSubject {
  readonly old: SetView;
}

export const templatePath = 'spec.template';
export const cliquesPath = 'spec.template.cliques';
export const groupsPath = 'spec.template.podCliqueScalingGroups';

export function viewSet(source: unknown): SetView {
  const raw = object(source);
  const metadata = object(raw['metadata']);
  const spec = object(raw['spec']);
  const template = object(spec['template']);
  const groups = list(template['podCliqueScalingGroups']).map(viewGroup);
  return {
    raw,
    metadata,
    name: text(metadata['name']),
    spec,
    template,
    startupType: text(template['cliqueStartupType']),
    cliques: list(template['cliques']).map(viewClique),
    groups,
    groupOf: new Map(
      groups.flatMap(({ name, cliqueNames }) => cliqueNames.map((clique) => [clique, name])),
    ),
  };
}

function viewClique(source: unknown, index: number): CliqueView {
  const spec = object(at(source, 'spec'));
  return {
    path: `${cliquesPath}[${index}]`,
    name: text(at(source, 'name')),
    raw: object(source),
    spec,
    podSpec: object(spec['podSpec']),
  };
}

const viewGroup = (source: unknown, index: number): GroupView => ({
  path: `${groupsPath}[${index}]`,
  name: text(at(source, 'name')),
  raw: object(source),
  cliqueNames: strings(at(source, 'cliqueNames')),
});

/** The same rule for each clique. */
export const eachClique =
  (check: (clique: CliqueView) => readonly FieldError[]) =>
  ({ set }: SetSubject): readonly FieldError[] =>
    set.cliques.flatMap(check);

/** The same rule for each scaling group. */
export const eachGroup =
  (check: (group: GroupView) => readonly FieldError[]) =>
  ({ set }: SetSubject): readonly FieldError[] =>
    set.groups.flatMap(check);

/** A number as Go reads an absent int32. */
export const integerAt = (source: JsonObject, key: string): number | undefined => {
  const value = source[key];
  return typeof value === 'number' ? value : undefined;
};

export const isExplicit = (set: SetView): boolean =>
  set.startupType === 'CliqueStartupTypeExplicit';

/** The scheduler that a clique names, or the default one. */
export const schedulerOf = (
  { podSpec }: CliqueView,
  { defaultSchedulerName }: AdmissionSettings,
): string => text(podSpec['schedulerName']).trim() || defaultSchedulerName;

export const namesOf = (parts: readonly { readonly name: string }[]): readonly string[] =>
  parts.map(({ name }) => name);

/** The annotation of an object or template; undefined where it is not set. */
export const annotationOf = (metadata: JsonObject, key: string): string | undefined =>
  textOf(at(metadata, 'annotations', key));

/**
 * Equal as Kubernetes compares fields: nothing, an empty list, an empty map and an empty text are
 * the same.
 */
export function isSame(a: unknown, b: unknown): boolean {
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  }
  if (isObject(a) && isObject(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...keys].every((key) => isSame(at(a, key), at(b, key)));
  }
  return a === b;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);
