// DELETE of one object or of many: preconditions, grace periods, finalizers and the propagation
// policies. Removing dependents is the garbage collector's work; this only leaves it the marks.
import { listAt, objectAt, textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { collectionOf, readDryRun } from '../call.ts';
import type { Call } from '../call.ts';
import { once } from '../conversion.ts';
import { badOption, badRequest, conflict, modified, notFound, qualified } from '../errors.ts';
import { writeAttempts } from '../limits.ts';
import { completeDefinition, isDefinition } from '../resources/definitions.ts';
import { nameOf, namespaceOf } from '../store/collection.ts';
import { copyJson } from '../store/copy.ts';
import { shownAs } from '../store/versions.ts';
import { objectMediaTypes, readJson } from '../wire/body.ts';
import { own, stored } from '../wire/reply.ts';
import type { Reply } from '../wire/reply.ts';
import { listPage } from './list.ts';
import { finalizersOf, isFinished } from './meta.ts';
import type { Preconditions } from './meta.ts';
import { requireDeletable } from './namespaces.ts';
import { attemptOf } from './prepare.ts';
import { holdsNamespace } from './update.ts';

export interface DeleteOptions extends Preconditions {
  readonly dryRun: boolean;
  readonly graceSeconds: number | undefined;
  readonly policy: 'Background' | 'Foreground' | 'Orphan' | undefined;
}

const policies = ['Background', 'Foreground', 'Orphan'] as const;

/** DELETE of one object. */
export async function remove(call: Call): Promise<Reply> {
  const options = readDeleteOptions(call);
  requireDeletable(call, call.target.name);
  const outcome = await deleteObject(call, call.target.namespace, call.target.name, options);
  if (!outcome.gone || returnsObject.has(qualified(call.resource))) {
    return once(shownAs(call, outcome.object), (shown) => stored(shown));
  }
  return own(deletedStatus(call, outcome.object));
}

/** Kinds whose DELETE answers with the object even when it is gone. */
const returnsObject: ReadonlySet<string> = new Set([
  'pods',
  'services',
  'serviceaccounts',
  'persistentvolumeclaims',
  'persistentvolumes',
  'resourcequotas',
]);

/** DELETE of a collection: everything that the selectors mean. */
export async function removeMany(call: Call): Promise<Reply> {
  const options = readDeleteOptions(call);
  const listing = listPage(call);
  const page = listing instanceof Promise ? await listing : listing;
  for (const object of page.items) {
    try {
      await deleteObject(call, namespaceOf(object), nameOf(object), options);
    } catch (error) {
      const gone = collectionOf(call).get(namespaceOf(object), nameOf(object)) === undefined;
      if (!gone) throw error;
    }
  }
  const { resource } = call;
  const apiVersion =
    resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
  const metadata = { resourceVersion: String(call.core.store.version) };
  const head = { kind: resource.listKind, apiVersion, metadata };
  return {
    status: 200,
    headers: {},
    body: { kind: 'list', head, items: page.items, bare: !resource.custom },
  };
}

function deletedStatus({ resource }: Call, object: Stored): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: nameOf(object),
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.plural,
      uid: textAt(object.metadata, 'uid'),
    },
  };
}

/** From the body (DeleteOptions) or, without one, from the query. */
function readDeleteOptions(call: Call): DeleteOptions {
  const { request, query } = call;
  const body = readJson(request, objectMediaTypes);
  const options = isObject(body) ? body : {};
  const kind = textAt(options, 'kind');
  if (kind !== '' && kind !== 'DeleteOptions') {
    const version = textAt(options, 'apiVersion');
    throw badRequest(`no kind "${kind}" is registered for version "${version}"`);
  }
  const preconditions = objectAt(options, 'preconditions');
  const grace = options['gracePeriodSeconds'] ?? query.get('gracePeriodSeconds') ?? undefined;
  const policy = options['propagationPolicy'] ?? query.get('propagationPolicy') ?? undefined;
  const known = policies.find((each) => each === policy);
  const named = known ?? orphanChoice(options['orphanDependents']);
  if (policy !== undefined && policy !== '' && known === undefined) {
    throw badOption('DeleteOptions', {
      type: 'FieldValueNotSupported',
      field: 'propagationPolicy',
      value: policy,
      detail: 'supported values: "Foreground", "Background", "Orphan", "nil"',
    });
  }
  if (known !== undefined && typeof options['orphanDependents'] === 'boolean') {
    throw badOption('DeleteOptions', {
      type: 'FieldValueInvalid',
      field: 'propagationPolicy',
      value: known,
      detail: 'orphanDependents and deletionPropagation cannot be both set',
    });
  }
  return {
    uid: textAt(preconditions, 'uid'),
    resourceVersion: textAt(preconditions, 'resourceVersion'),
    graceSeconds: grace === undefined ? undefined : readGrace(grace),
    policy: named,
    dryRun: call.dryRun || readDryRun(listAt(options, 'dryRun').map(String), 'DeleteOptions'),
  };
}

/** The deprecated form of the policy. */
const orphanChoice = (value: unknown): DeleteOptions['policy'] =>
  typeof value === 'boolean' ? (value ? 'Orphan' : 'Background') : undefined;

export function readGrace(value: unknown): number {
  const seconds = Number(value);
  // A negative one means the shortest, as in Kubernetes.
  if (Number.isInteger(seconds)) return seconds < 0 ? 1 : seconds;
  throw badRequest(`strconv.ParseInt: parsing "${String(value)}": invalid syntax`);
}

interface Outcome {
  /** The object as it is now, or as it last was. */
  readonly object: Stored;
  readonly gone: boolean;
}

/** Deletes one object as far as its finalizers and its grace let it go. */
export async function deleteObject(
  call: Call,
  namespace: string,
  name: string,
  options: DeleteOptions,
): Promise<Outcome> {
  const { store, admission } = call.core;
  const collection = collectionOf(call);
  for (let attempt = 1; ; attempt++) {
    const live = collection.get(namespace, name);
    if (live === undefined) throw notFound(call.resource, name);
    checkDeletable(live, options);
    const review = attemptOf(call, {
      operation: 'DELETE',
      name,
      options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' },
      oldObject: live,
      dryRun: options.dryRun,
    });
    if (admission.wants(review)) {
      await admission.validate(review, (warning) => call.warnings.push(warning));
    }
    const next = terminating(call, live, options);
    if (next === live) return { object: live, gone: false };
    const gone = isFinished(next) && !holdsNamespace(call, next);
    if (options.dryRun) return { object: gone ? live : next, gone };
    // Only what can have a grace is marked on its way out.
    const last = gone && call.resource.strategy.graceSeconds === undefined ? { ...live } : next;
    const done = gone ? store.remove(collection, live, last) : store.put(collection, next, live);
    if (done) return { object: gone ? last : next, gone };
    if (attempt === writeAttempts) throw modified(call.resource, name);
  }
}

/** A delete has words of its own for preconditions that do not hold, and names the kind. */
function checkDeletable(live: Stored, { uid, resourceVersion }: DeleteOptions): void {
  const own = textAt(live.metadata, 'uid');
  const version = textAt(live.metadata, 'resourceVersion');
  const kind = textAt(live, 'kind');
  const refuse = (why: string): never => {
    throw conflict({ group: '', plural: kind, kind }, nameOf(live), why);
  };
  if (uid !== '' && uid !== own) {
    refuse(
      `the UID in the precondition (${uid}) does not match the UID in record (${own}).` +
        ' The object might have been deleted and then recreated',
    );
  }
  if (resourceVersion !== '' && resourceVersion !== version) {
    refuse(
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the` +
        ` ResourceVersion in record (${version}). The object might have been modified`,
    );
  }
}

/** The object with the marks of its deletion; `live` itself when it has them already. */
function terminating(call: Call, live: Stored, options: DeleteOptions): Stored {
  const metadata: JsonObject = copyJson(live.metadata);
  const finalizers = finalizersFor(live, options.policy);
  if (finalizers.length > 0) metadata['finalizers'] = finalizers;
  else delete metadata['finalizers'];
  const grace = call.resource.strategy.graceSeconds?.(live, options.graceSeconds) ?? 0;
  const since = textAt(live.metadata, 'deletionTimestamp');
  const before = live.metadata['deletionGracePeriodSeconds'];
  const shortened = typeof before === 'number' && grace < before;
  const same = finalizers.join() === finalizersOf(live).join();
  if (since !== '' && !shortened && same) return live;
  if (since === '' || shortened) {
    metadata['deletionTimestamp'] = rfc3339(call.core.environment.clock.now() + grace * 1000);
    metadata['deletionGracePeriodSeconds'] = grace;
    const generation = live.metadata['generation'];
    if (since === '' && typeof generation === 'number') metadata['generation'] = generation + 1;
  }
  const next = withPhase(call, { ...live, metadata });
  if (isDefinition(call.resource)) completeDefinition(call.core, next, live);
  return next;
}

/** A namespace says in its status that it is going away. */
function withPhase({ resource }: Call, object: Stored): Stored {
  if (resource.group !== '' || resource.plural !== 'namespaces') return object;
  return { ...object, status: { ...objectAt(object, 'status'), phase: 'Terminating' } };
}

/** The finalizers that tell the garbage collector what becomes of the dependents. */
function finalizersFor(live: Stored, policy: DeleteOptions['policy']): string[] {
  const present = finalizersOf(live);
  if (policy === undefined) return present;
  const others = present.filter((name) => name !== 'orphan' && name !== 'foregroundDeletion');
  if (policy === 'Orphan') return [...others, 'orphan'];
  if (policy === 'Foreground') return [...others, 'foregroundDeletion'];
  return others;
}
