// The kinds of all modules, which machines/kinds.ts adds: everyone who builds a path, a reference
// or a subject asks here; the permissions of the chart are held to it (test/charts).
import type { ActorKind, Feature, Kind, KindRow, SchedulerBackend } from './kind.ts';

export type { ActorKind, Feature, Kind, SchedulerBackend } from './kind.ts';

/** As modules describe them, and with the version that the cluster serves. */
const described = new Map<string, KindRow>();
const rows = new Map<string, KindRow>();
const actors = new Map<string, Kind>();
const lives = new Map<Kind, string>();

/** Makes the kinds of a module known; `living` names those that have an actor each. Modules that
 *  share a kind share its row. Throws where two rows differ. */
export function addKinds(
  kinds: Readonly<Record<string, KindRow>>,
  living: Readonly<Record<string, Kind>>,
): void {
  for (const [kind, row] of Object.entries(kinds)) {
    const known = described.get(kind);
    if (known === row) continue;
    if (known !== undefined) throw new Error(`two modules describe ${kind}`);
    described.set(kind, row);
    rows.set(kind, row);
  }
  for (const [actor, kind] of Object.entries(living)) {
    actors.set(actor, kind);
    lives.set(kind, actor);
  }
}

export const isKind = (name: string): name is Kind => rows.has(name);

export const allKinds = (): readonly Kind[] => [...rows.keys()].filter(isKind);

export function kindRow(kind: Kind): KindRow {
  const row = rows.get(kind);
  if (row === undefined) throw new Error(`no module has the kind ${kind}`);
  return row;
}

/** What bodies, references and paths of ours say. It may change until the first list of the kind is
 *  complete, so whoever builds one asks each time. */
export const apiVersionOf = (kind: Kind): string => kindRow(kind).apiVersion;

/** All that Coppice can do with, best first. */
export function versionsOf(kind: Kind): readonly [string, ...string[]] {
  const { apiVersion, olderVersions = [] } = described.get(kind) ?? kindRow(kind);
  return [apiVersion, ...olderVersions];
}

/** The kind is addressed in this version from now on: the transport has found what is served. */
export function useVersion(kind: Kind, apiVersion: string): void {
  if (!versionsOf(kind).includes(apiVersion)) throw new Error(`${kind} has no ${apiVersion}`);
  rows.set(kind, { ...kindRow(kind), apiVersion });
}

/** True for the lower-case kinds that have an actor. */
export const isActorKind = (name: string): name is ActorKind => actors.has(name);

export const allActorKinds = (): readonly ActorKind[] => [...actors.keys()].filter(isActorKind);

/** The kind of the object whose life such an actor leads. */
export function objectKind(actor: ActorKind): Kind {
  const kind = actors.get(actor);
  if (kind === undefined) throw new Error(`no module has the actor ${actor}`);
  return kind;
}

/** The actor that leads the life of objects of this kind, if it has one. */
export function actorKindOf(kind: Kind): ActorKind | undefined {
  const actor = lives.get(kind);
  return actor !== undefined && isActorKind(actor) ? actor : undefined;
}

/** What the API calls the kind, in objects and references. */
export const apiKind = (kind: Kind): string => kindRow(kind).kind ?? kind;

/** Empty for kinds of the core. */
export function apiGroup(kind: Kind): string {
  const [group = '', version] = apiVersionOf(kind).split('/');
  return version === undefined ? '' : group;
}

export const isClusterScoped = (kind: Kind): boolean => kindRow(kind).isClusterScoped === true;

/** True where objects of the kind are observed. */
export const isWatched = (kind: Kind): boolean => kindRow(kind).isUnwatched !== true;

/** The scheduler backend that an object of this kind is for, if it is for one. */
export const backendOf = (kind: Kind): SchedulerBackend | undefined => kindRow(kind).backend;

/** The part of the configuration that an object of this kind is for, if it is for one. */
export const featureOf = (kind: Kind): Feature | undefined => kindRow(kind).feature;

/** True where the cluster may not serve the kind, which then counts as no objects. */
export const mayBeMissing = (kind: Kind): boolean =>
  kindRow(kind).isOptional === true || backendOf(kind) !== undefined;

/** Kinds that are listed anew at a take-over. */
export const decidingKinds = (): readonly Kind[] =>
  allKinds().filter((kind) => kindRow(kind).isDeciding === true);
