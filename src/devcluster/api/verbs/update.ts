// PUT, and what PUT and PATCH share: the live object is read, the new one derived from it, checked
// and committed only if nothing came in between; overtaken patches are derived again.
import { isEqual, isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { trackManagedFields } from '#src/devcluster/patch/managed-fields.ts';
import { collectionOf, fieldManagerOf } from '../call.ts';
import type { Call } from '../call.ts';
import { once } from '../conversion.ts';
import { badRequest, modified, notFound, otherName, qualified } from '../errors.ts';
import { writeAttempts } from '../limits.ts';
import { completeDefinition, isDefinition } from '../resources/definitions.ts';
import { apiVersionOf } from '../resources/registry.ts';
import { nameOf } from '../store/collection.ts';
import { copyJson } from '../store/copy.ts';
import { shownAs, storedAs } from '../store/versions.ts';
import { expectedOf, readObject } from '../wire/body.ts';
import { stored } from '../wire/reply.ts';
import type { Reply } from '../wire/reply.ts';
import { createObject } from './create.ts';
import {
  bumpGeneration,
  isFinished,
  isolateStatus,
  isWrittenByServer,
  requireVersion,
  stampUpdate,
} from './meta.ts';
import { attemptOf, checkObject, dropUnknown, mutate, setDefaults } from './prepare.ts';

/** Kinds of which a PUT may make a new one. */
const isCreatedByPut: ReadonlySet<string> = new Set([
  'services',
  'endpoints',
  'events',
  'events.events.k8s.io',
  'limitranges',
  'leases.coordination.k8s.io',
  'roles.rbac.authorization.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
  'clusterroles.rbac.authorization.k8s.io',
  'clusterrolebindings.rbac.authorization.k8s.io',
]);

/** PUT of an object, or of it to `/status`. */
export async function update(call: Call): Promise<Reply> {
  const { resource } = call;
  const sent = readObject(call.request, expectedOf(resource));
  requireName(call, sent);
  requireVersion(call, sent);
  dropUnknown(call, sent);
  const isThere = collectionOf(call).get(call.target.namespace, call.target.name) !== undefined;
  if (!isThere && isCreatedByPut.has(qualified(resource)) && call.target.subresource === '') {
    delete sent.metadata['resourceVersion'];
    const created = await createObject(call, sent, {});
    return once(shownAs(call, created), (shown) => stored(shown, 201));
  }
  const object = await replace(call, 'UpdateOptions', () => ({ object: copyJson(sent) }));
  return once(shownAs(call, object), (shown) => stored(shown));
}

/** A PUT says itself which object it is. */
export function requireName({ target }: Call, sent: Stored): void {
  if (nameOf(sent) === target.name) return;
  if (nameOf(sent) !== '') throw otherName(nameOf(sent), target.name);
  throw badRequest(
    `the name of the object (${target.name} based on URL) was undeterminable: ` +
      'name must be provided',
  );
}

/** The next form of an object, as its request wants it. */
export interface Wanted {
  readonly object: Stored;
  /** True: `metadata.managedFields` is already settled (server-side apply). */
  readonly managed?: boolean;
}

/**
 * Replaces the addressed object by what `derive` makes of it. `derive` may throw and may be called
 * again when another write came first. Returns the object as stored (or as it would be).
 */
export async function replace(
  call: Call,
  optionsKind: 'UpdateOptions' | 'PatchOptions',
  derive: (live: Stored) => Wanted,
): Promise<Stored> {
  const { namespace, name } = call.target;
  const collection = collectionOf(call);
  for (let attempt = 1; ; attempt++) {
    const live = collection.get(namespace, name);
    if (live === undefined) throw notFound(call.resource, name);
    const showing = shownAs(call, live);
    const shown = showing instanceof Promise ? await showing : showing;
    const next = await prepareUpdate(call, optionsKind, derive(shown), shown);
    if (next === shown || call.dryRun) return next;
    const keeping = storedAs(call, next);
    const kept = keeping instanceof Promise ? await keeping : keeping;
    if (commit(call, kept, live)) return kept;
    if (attempt === writeAttempts) throw modified(call.resource, name);
  }
}

function commit(call: Call, next: Stored, live: Stored): boolean {
  const { store } = call.core;
  const collection = collectionOf(call);
  // Not `metadata` as a whole: it gets the next version, and the past must keep its own.
  const { metadata, ...parts } = live;
  shareUnchanged(next, parts);
  shareUnchanged(next.metadata, metadata);
  if (isFinished(next) && !holdsNamespace(call, next)) return store.remove(collection, live, next);
  return store.put(collection, next, live);
}

/** Takes over the parts that stayed the same, so that the log of changes holds them once. */
function shareUnchanged(next: JsonObject, live: JsonObject): void {
  for (const [key, value] of Object.entries(live)) {
    const same = typeof value === 'object' && value !== null && isEqual(next[key], value);
    if (same) next[key] = value;
  }
}

/** A namespace is also kept by `spec.finalizers`. */
export function holdsNamespace(call: Call, object: Stored): boolean {
  if (call.resource.group !== '' || call.resource.plural !== 'namespaces') return false;
  const spec = object['spec'];
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) return false;
  const finalizers = spec['finalizers'];
  return Array.isArray(finalizers) && finalizers.length > 0;
}

/** Everything between the wish and the commit; `live` itself when nothing would change. */
async function prepareUpdate(
  call: Call,
  optionsKind: string,
  wanted: Wanted,
  live: Stored,
): Promise<Stored> {
  const { resource, target } = call;
  const { managedFields } = wanted.object.metadata;
  stampUpdate(call, wanted.object, live);
  const sent = wanted.object;
  let object = isolateStatus(call, sent, live);
  setDefaults(call, object);
  resource.strategy.prepareUpdate?.(object, live, target.subresource);
  const options: JsonObject = { kind: optionsKind, apiVersion: 'meta.k8s.io/v1' };
  const parts = { operation: 'UPDATE', name: target.name, options, oldObject: live } as const;
  const attempt = attemptOf(call, { ...parts, object });
  const asked = call.core.admission.wants(attempt);
  if (asked) object = await mutate(call, attempt, object);
  if (wanted.managed === true && managedFields !== undefined) {
    object.metadata['managedFields'] = managedFields;
  }
  if (isDefinition(resource) && target.subresource === '') {
    completeDefinition(call.core, object, live);
  }
  if (isEqual(object, live)) return live;
  // A binding goes past the pod's own rules: the node that it sets is not a new wish.
  const isByServer = isWrittenByServer.has(target.subresource);
  if (!isByServer) bumpGeneration(resource, object, live);
  checkObject(call, object, live);
  if (asked) {
    const final = attemptOf(call, { ...parts, object });
    await call.core.admission.validate(final, (warning) => call.warnings.push(warning));
  }
  // Nor is it in the record of who owns what.
  if (wanted.managed !== true && !isByServer) {
    track(call, object, live, asTracked(call, object, sent));
  }
  return object;
}

/** Who owns what is told from what was sent: a status of a custom resource that comes without the
 *  labels changes none of them, but its sender leaves them without an owner. */
const asTracked = ({ resource, target }: Call, object: Stored, sent: Stored): Stored =>
  resource.custom && target.subresource === 'status'
    ? { ...object, metadata: sent.metadata }
    : object;

function track(call: Call, object: Stored, live: Stored, after: Stored): void {
  const managers = trackManagedFields({
    before: live,
    after,
    manager: fieldManagerOf(call),
    operation: 'Update',
    schema: call.resource.schema,
    now: rfc3339(call.core.environment.clock.now()),
    subresource: call.target.subresource,
    apiVersion: apiVersionOf(call.resource),
  });
  if (managers.length > 0) object.metadata['managedFields'] = managers.filter(isObject);
  else delete object.metadata['managedFields'];
}
