// One object in the versions that show it: those of a CRD differ in apiVersion alone; the two kinds
// of Event share their objects under different field names. Every verb that reads or writes asks.
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';
import { apiVersionOf } from '../resources/registry.ts';

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
export function asVersion(resource: ResourceInfo, object: Stored): Stored {
  const apiVersion = apiVersionOf(resource);
  if (object['apiVersion'] === apiVersion) return object;
  const shown: Stored = { ...object, apiVersion };
  return isNewerEvent(resource) ? renamed(shown, toNewer) : shown;
}

/** An object of the asked version as it is stored. */
export function asStored(resource: ResourceInfo, object: Stored): Stored {
  return isNewerEvent(resource) ? renamed({ ...object, apiVersion: 'v1' }, toCore) : object;
}

function renamed(object: Stored, fields: ReadonlyMap<string, string>): Stored {
  const result: Stored = { metadata: object.metadata };
  for (const [name, value] of Object.entries(object)) result[fields.get(name) ?? name] = value;
  return result;
}
