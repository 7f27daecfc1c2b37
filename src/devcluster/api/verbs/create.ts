// POST of an object: the path from the body to the commit. Also the second half of a server-side
// apply that found nothing to apply to.
import { textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import { admitPod } from '#src/devcluster/admission/pods.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { blankOf } from '#src/devcluster/patch/blank.ts';
import { trackManagedFields } from '#src/devcluster/patch/managed-fields.ts';
import { collectionOf, fieldManagerOf } from '../call.ts';
import type { Call } from '../call.ts';
import { once } from '../conversion.ts';
import { alreadyExists, forbidden, methodNotAllowed } from '../errors.ts';
import { nameAttempts } from '../limits.ts';
import { completeDefinition, isDefinition } from '../resources/definitions.ts';
import { apiVersionOf } from '../resources/registry.ts';
import { nameOf } from '../store/collection.ts';
import { shownAs, storedAs } from '../store/versions.ts';
import { expectedOf, readObject } from '../wire/body.ts';
import { stored } from '../wire/reply.ts';
import type { Reply } from '../wire/reply.ts';
import { generatedName, stampNew } from './meta.ts';
import { requireOpenNamespace, requireStayingDefinition } from './namespaces.ts';
import { attemptOf, checkObject, dropUnknown, mutate, setDefaults } from './prepare.ts';

/** POST to a collection. */
export async function create(call: Call): Promise<Reply> {
  if (call.target.name !== '') throw methodNotAllowed();
  const { resource } = call;
  const sent = readObject(call.request, expectedOf(resource));
  dropUnknown(call, sent);
  const object = await createObject(call, sent, {});
  return once(shownAs(call, object), (shown) => stored(shown, 201));
}

export interface CreateHow {
  /** From an apply: ownership is already recorded in the object. */
  readonly managed?: boolean;
}

/** Creates the object, which belongs to this function from now on; returns it as stored. */
export async function createObject(call: Call, sent: Stored, how: CreateHow): Promise<Stored> {
  const applied = how.managed === true ? sent.metadata['managedFields'] : undefined;
  stampNew(call, sent);
  requireOpenNamespace(call);
  requireStayingDefinition(call);
  setDefaults(call, sent);
  // What admission adds after this belongs to nobody.
  const managedFields = applied ?? managersOfNew(call, sent);
  admitBuiltIn(call, sent);
  call.resource.strategy.prepareCreate?.(sent, call.core.environment);
  const object = await admit(call, sent);
  if (isDefinition(call.resource)) completeDefinition(call.core, object, undefined);
  if (managedFields !== undefined) object.metadata['managedFields'] = managedFields;
  else delete object.metadata['managedFields'];
  if (call.dryRun) return pretend(call, object);
  const kept = storedAs(call, object);
  return commit(call, kept instanceof Promise ? await kept : kept);
}

async function admit(call: Call, sent: Stored): Promise<Stored> {
  const options: JsonObject = { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' };
  const parts = { operation: 'CREATE', name: nameOf(sent), options } as const;
  const attempt = attemptOf(call, { ...parts, object: sent });
  if (!call.core.admission.wants(attempt)) {
    checkObject(call, sent, undefined);
    return sent;
  }
  const object = await mutate(call, attempt, sent);
  checkObject(call, object, undefined);
  const final = attemptOf(call, { ...parts, object });
  await call.core.admission.validate(final, (warning) => call.warnings.push(warning));
  return object;
}

/** What a real server's own admission plugins do with the kind. */
function admitBuiltIn({ resource, core }: Call, object: Stored): void {
  if (resource.group !== '' || resource.plural !== 'pods') return;
  const refusal = admitPod(core.store, object, core.environment.random);
  if (refusal !== undefined) throw forbidden(resource, nameOf(object), refusal);
}

function managersOfNew(call: Call, object: Stored): JsonObject[] | undefined {
  const { schema, custom } = call.resource;
  const managers = trackManagedFields({
    before: undefined,
    ...(custom ? {} : { blank: blankOf(schema) }),
    after: object,
    manager: fieldManagerOf(call),
    operation: 'Update',
    schema,
    now: rfc3339(call.core.environment.clock.now()),
    subresource: '',
    apiVersion: apiVersionOf(call.resource),
  });
  return managers.length > 0 ? managers.filter(isObject) : undefined;
}

/** A dry run says what would be: also that the name is taken. */
function pretend(call: Call, object: Stored): Stored {
  const { namespace } = call.target;
  if (collectionOf(call).get(namespace, nameOf(object)) !== undefined) {
    throw alreadyExists(call.resource, nameOf(object));
  }
  return object;
}

function commit(call: Call, object: Stored): Stored {
  const collection = collectionOf(call);
  const prefix = textAt(object.metadata, 'generateName');
  for (let attempt = 1; ; attempt++) {
    if (call.core.store.put(collection, object, undefined)) return object;
    const generated = prefix !== '' && nameOf(object).startsWith(prefix);
    if (!generated || attempt === nameAttempts) {
      throw alreadyExists(call.resource, nameOf(object));
    }
    object.metadata['name'] = generatedName(prefix, call.core.environment.random);
  }
}
