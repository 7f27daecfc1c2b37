// `metadata` as the server keeps it: what it sets on create, what it carries over on update
// whatever the client sent, and when `generation` grows.
import type { Random } from '#actors/ports.ts';
import { listAt, textAt } from '#machines/kubernetes/fields.ts';
import { isEqual } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';
import type { Call } from '../call.ts';
import { badRequest, conflict, invalid, modified, unexplained } from '../errors.ts';
import { generatePrefixLimit } from '../limits.ts';
import { nameOf } from '../store/collection.ts';
import { copyJson } from '../store/copy.ts';

/** Letters of generated names: no vowels, nothing that looks like something else. */
const nameLetters = 'bcdfghjklmnpqrstvwxz2456789';

export function generatedName(prefix: string, random: Random): string {
  let name = prefix.slice(0, generatePrefixLimit);
  for (let letter = 0; letter < 5; letter++) {
    name += nameLetters[Math.floor(random.next() * nameLetters.length)] ?? 'x';
  }
  return name;
}

/** A version 4 UUID out of the cluster's own randomness. */
export function newUid(random: Random): string {
  let digits = '';
  for (let at = 0; at < 32; at++) digits += Math.floor(random.next() * 16).toString(16);
  const variant = (8 + Math.floor(random.next() * 4)).toString(16);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20),
  ].join('-');
}

const serverOwned = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'selfLink',
] as const;

/** Takes the namespace from the address; refuses one that says something else. */
export function takeNamespace(call: Call, object: Stored): void {
  const { metadata } = object;
  if (!call.resource.namespaced) {
    if (textAt(metadata, 'namespace') === '') delete metadata['namespace'];
    return;
  }
  const sent = textAt(metadata, 'namespace');
  if (sent !== '' && sent !== call.target.namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  metadata['namespace'] = call.target.namespace;
}

/** Fills `metadata` of an object that is about to be created. */
export function stampNew(call: Call, object: Stored): void {
  const { metadata } = object;
  const { clock, random } = call.core.environment;
  takeNamespace(call, object);
  if (textAt(metadata, 'resourceVersion') !== '') {
    throw unexplained('resourceVersion should not be set on objects to be created');
  }
  for (const field of serverOwned) delete metadata[field];
  delete metadata['resourceVersion'];
  delete metadata['managedFields'];
  const prefix = textAt(metadata, 'generateName');
  if (nameOf(object) === '' && prefix !== '') metadata['name'] = generatedName(prefix, random);
  metadata['uid'] = newUid(random);
  metadata['creationTimestamp'] = rfc3339(clock.now());
  if (countsGeneration(call.resource)) metadata['generation'] = 1;
}

/**
 * Fills `metadata` of an object that is about to replace `live`. Throws Conflict when the client
 * named another version or UID, and a refusal when names do not fit the address.
 */
export function stampUpdate(call: Call, object: Stored, live: Stored): void {
  const { metadata } = object;
  const name = nameOf(live);
  takeNamespace(call, object);
  const sentName = nameOf(object);
  if (sentName !== '' && sentName !== name) {
    throw badRequest(
      `the name of the object (${sentName}) does not match the name on the URL (${name})`,
    );
  }
  if (call.target.verb === 'patch') requireSameUid(call, metadata, live);
  const resourceVersion = textAt(metadata, 'resourceVersion');
  if (!/^\d*$/.test(resourceVersion)) {
    throw unexplained(`strconv.ParseUint: parsing "${resourceVersion}": invalid syntax`);
  }
  checkPreconditions(call.resource, live, { uid: textAt(metadata, 'uid'), resourceVersion });
  metadata['name'] = name;
  const owned: string[] = [...serverOwned, 'resourceVersion'];
  // A client may send managedFields, e.g. to reset them; an empty list says nothing.
  if (listAt(metadata, 'managedFields').length === 0) owned.push('managedFields');
  for (const field of owned) {
    const value = live.metadata[field];
    if (value === undefined) delete metadata[field];
    else metadata[field] = value;
  }
}

/** In a PUT another UID is a failed precondition (409), in a PATCH a wish to change it (422). */
function requireSameUid(call: Call, metadata: JsonObject, live: Stored): void {
  const uid = textAt(metadata, 'uid');
  if (uid === '' || uid === textAt(live.metadata, 'uid')) return;
  const field = 'metadata.uid';
  throw invalid(call.resource, nameOf(live), [
    { type: 'FieldValueInvalid', field, value: uid, detail: 'field is immutable' },
  ]);
}

/** Empty strings: not asked for. */
export interface Preconditions {
  readonly uid: string;
  readonly resourceVersion: string;
}

export function checkPreconditions(
  resource: ResourceInfo,
  live: Stored,
  { uid, resourceVersion }: Preconditions,
): void {
  const name = nameOf(live);
  const liveUid = textAt(live.metadata, 'uid');
  if (uid !== '' && uid !== liveUid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${liveUid}`;
    throw conflict(resource, name, why);
  }
  if (resourceVersion !== '' && resourceVersion !== live.metadata['resourceVersion']) {
    throw modified(resource, name);
  }
}

/** Custom resources must name the version that they replace. */
export function requireVersion(call: Call, object: Stored): void {
  if (!call.resource.custom || textAt(object.metadata, 'resourceVersion') !== '') return;
  const { group, plural } = call.resource;
  throw invalid({ group, kind: plural }, call.target.name, [
    {
      type: 'FieldValueInvalid',
      field: 'metadata.resourceVersion',
      value: 0,
      detail: 'must be specified for an update',
    },
  ]);
}

const countsGeneration = (resource: ResourceInfo): boolean =>
  resource.custom || (resource.strategy.countsGeneration ?? resource.strategy.hasStatus);

const hasStatusSubresource = (resource: ResourceInfo): boolean =>
  resource.subresources.some((each) => each.name === 'status');

/** Grows `generation` when the desired state changed: never for metadata or an isolated status. */
export function bumpGeneration(resource: ResourceInfo, object: Stored, live: Stored): void {
  if (!countsGeneration(resource)) return;
  if (!desiredChanged(resource, object, live)) return;
  const before = live.metadata['generation'];
  object.metadata['generation'] = (typeof before === 'number' ? before : 0) + 1;
}

function desiredChanged(resource: ResourceInfo, object: Stored, live: Stored): boolean {
  if (!resource.custom) return !isEqual(object['spec'], live['spec']);
  const isolated = hasStatusSubresource(resource);
  const keys = new Set([...Object.keys(object), ...Object.keys(live)]);
  for (const key of keys) {
    if (key === 'metadata' || key === 'apiVersion' || (key === 'status' && isolated)) continue;
    if (!isEqual(object[key], live[key])) return true;
  }
  return false;
}

/** Subresources by which the server itself writes the object, its conditions too. */
export const isWrittenByServer: ReadonlySet<string> = new Set(['binding', 'eviction']);

/** Keeps apart, in an object of the caller's own, what `/status` and the main resource may
 *  write. */
export function isolateStatus(call: Call, object: Stored, live: Stored): Stored {
  const { resource, target } = call;
  if (target.subresource === 'status') return statusOnly(resource, object, live);
  if (!hasStatusSubresource(resource) || isWrittenByServer.has(target.subresource)) return object;
  const { status: _sent, ...rest } = object;
  const kept: Stored = { ...rest, metadata: object.metadata };
  if (live['status'] !== undefined) kept['status'] = copyJson(live['status']);
  return kept;
}

/** The live object with the sent status; labels and annotations too where the kind is built in. */
function statusOnly(resource: ResourceInfo, object: Stored, live: Stored): Stored {
  const metadata: JsonObject = copyJson(live.metadata);
  if (!resource.custom) {
    for (const field of ['labels', 'annotations'] as const) {
      const value = object.metadata[field];
      if (value === undefined) delete metadata[field];
      else metadata[field] = value;
    }
  }
  const { status: _old, ...rest } = live;
  const next: Stored = { ...copyJson<JsonObject>(rest), metadata };
  if (object['status'] !== undefined) next['status'] = object['status'];
  return next;
}

export const finalizersOf = (object: Stored): string[] =>
  listAt(object.metadata, 'finalizers').filter((name) => typeof name === 'string');

/** True when nothing keeps a terminating object any more. */
export function isFinished(object: Stored): boolean {
  const { metadata } = object;
  if (textAt(metadata, 'deletionTimestamp') === '') return false;
  const grace = metadata['deletionGracePeriodSeconds'];
  return finalizersOf(object).length === 0 && (grace === undefined || grace === 0);
}
