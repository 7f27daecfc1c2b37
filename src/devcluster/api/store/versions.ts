// One object in the versions that show it: those of a CRD differ in apiVersion alone, unless it has
// a webhook that converts; the two kinds of Event share their objects under different field names.
// Every verb that reads or writes asks.
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';
import { applyDefaults, prune } from '#src/devcluster/schema/structural.ts';
import type { Call } from '../call.ts';
import { once, type Soon } from '../conversion.ts';
import { apiVersionOf } from '../resources/registry.ts';
import { copyJson } from './copy.ts';

/** Field names of core/v1 Events and what events.k8s.io calls them. */
const eventFields: readonly (readonly [core: string, newer: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];
const toNewer = new Map(eventFields);
const toCore = new Map(eventFields.map(([core, newer]) => [newer, core]));

const eventGroup = 'events.k8s.io';

const isNewerEvent = (resource: Pick<ResourceInfo, 'group' | 'plural'>): boolean =>
  resource.group === eventGroup && resource.plural === 'events';

/** The stored object as the asked version shows it; the very same one where nothing differs. */
export function shownAs({ core, resource }: Versioned, object: Stored): Soon<Stored> {
  const apiVersion = apiVersionOf(resource);
  if (object['apiVersion'] === apiVersion) return object;
  if (resource.storage === undefined) {
    const shown: Stored = { ...object, apiVersion };
    return isNewerEvent(resource) ? renamed(shown, toNewer) : shown;
  }
  return once(converted(core, resource, object, apiVersion), (shown) => {
    prune(resource.schema, shown);
    return shown;
  });
}

/** An object of the asked version as it is stored. */
export function storedAs({ core, resource }: Versioned, object: Stored): Soon<Stored> {
  if (isNewerEvent(resource)) return renamed({ ...object, apiVersion: 'v1' }, toCore);
  const { storage } = resource;
  if (storage === undefined || object['apiVersion'] === storage.apiVersion) return object;
  return once(converted(core, resource, object, storage.apiVersion), (kept) => {
    prune(storage.schema, kept);
    // A real server fills them in whenever it reads.
    applyDefaults(storage.schema, kept);
    return kept;
  });
}

type Versioned = Pick<Call, 'core' | 'resource'>;

/** A copy in the other version. */
const converted = (
  core: Call['core'],
  resource: ResourceInfo,
  object: Stored,
  apiVersion: string,
): Soon<Stored> =>
  resource.storage?.converter === undefined
    ? copyJson<Stored>({ ...object, apiVersion })
    : core.convert(resource, object, apiVersion);

function renamed(object: Stored, fields: ReadonlyMap<string, string>): Stored {
  const result: Stored = { metadata: object.metadata };
  for (const [name, value] of Object.entries(object)) result[fields.get(name) ?? name] = value;
  return result;
}
