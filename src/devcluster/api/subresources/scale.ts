// The scale subresource: autoscaling/v1 Scale as a view of the replica fields of a workload, by
// fixed paths for built-in kinds and by the paths of the CRD for custom ones.
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';
import { collectionOf } from '../call.ts';
import type { Call } from '../call.ts';
import { once, type Soon } from '../conversion.ts';
import { badRequest, invalid, notFound } from '../errors.ts';
import { scalePathsOf, valueAt } from '../resources/scale-paths.ts';
import { copyJson } from '../store/copy.ts';
import { shownAs } from '../store/versions.ts';
import { checkPreconditions } from '../verbs/meta.ts';
import { patcher, undecodable } from '../verbs/patch.ts';
import { selectorText } from '../verbs/selectors.ts';
import { replace, requireName } from '../verbs/update.ts';
import { asExpected, readObject } from '../wire/body.ts';
import { own } from '../wire/reply.ts';
import type { Reply } from '../wire/reply.ts';

const scaleKind = { apiVersion: 'autoscaling/v1', kind: 'Scale' };

const countAt = (object: Stored, path: readonly string[]): number => {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : 0;
};

function scaleOf(resource: ResourceInfo, object: Stored): Stored {
  const paths = scalePathsOf(resource);
  const selector =
    paths.selector === undefined ? '' : selectorText(valueAt(object, paths.selector));
  const { metadata } = object;
  const kept = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'] as const;
  const meta: JsonObject = {};
  for (const field of kept) if (metadata[field] !== undefined) meta[field] = metadata[field];
  return {
    ...scaleKind,
    metadata: meta,
    spec: { replicas: countAt(object, paths.spec) },
    status: {
      replicas: countAt(object, paths.status),
      ...(selector === '' ? {} : { selector }),
    },
  };
}

export function getScale(call: Call): Soon<Reply> {
  const live = collectionOf(call).get(call.target.namespace, call.target.name);
  if (live === undefined) throw notFound(call.resource, call.target.name);
  return once(shownAs(call, live), (shown) => own(scaleOf(call.resource, shown)));
}

export async function updateScale(call: Call): Promise<Reply> {
  const sent = readObject(call.request, scaleKind);
  requireName(call, sent);
  if (!isCount(sentReplicas(sent))) {
    throw badRequest('no kind is registered for the type v1.Scale: spec.replicas must be an int32');
  }
  return write(call, 'UpdateOptions', () => sent);
}

export async function patchScale(call: Call): Promise<Reply> {
  const apply = patcher(call);
  return write(call, 'PatchOptions', (scale) => {
    const next = apply(scale);
    if (!isObject(next)) throw badRequest('the patch leaves no object');
    const sent = asExpected(next, scaleKind);
    if (!isCount(sentReplicas(sent))) {
      const why = 'json: cannot unmarshal spec.replicas: it must be an int32';
      throw undecodable(JSON.stringify(next), why);
    }
    return sent;
  });
}

async function write(
  call: Call,
  optionsKind: 'UpdateOptions' | 'PatchOptions',
  derive: (scale: Stored) => Stored,
): Promise<Reply> {
  const { resource } = call;
  const object = await replace(call, optionsKind, (live) => {
    const scale = derive(scaleOf(resource, live));
    checkPreconditions(resource, live, {
      uid: textAt(scale.metadata, 'uid'),
      resourceVersion: textAt(scale.metadata, 'resourceVersion'),
    });
    return { object: withReplicas(resource, copyJson(live), replicasOf(scale, resource)) };
  });
  return once(shownAs(call, object), (shown) => own(scaleOf(resource, shown)));
}

const sentReplicas = (scale: Stored): unknown => objectAt(scale, 'spec')?.['replicas'] ?? 0;

const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31;

/** A negative one of a custom kind is refused with the object itself. */
function replicasOf(scale: Stored, resource: ResourceInfo): number {
  const replicas = sentReplicas(scale);
  if (isCount(replicas) && (replicas >= 0 || resource.custom)) return replicas;
  const detail = 'must be greater than or equal to 0';
  throw invalid({ group: 'autoscaling', kind: 'Scale' }, textAt(scale.metadata, 'name'), [
    { type: 'FieldValueInvalid', field: 'spec.replicas', value: replicas, detail },
  ]);
}

function withReplicas(resource: ResourceInfo, object: Stored, replicas: number): Stored {
  const path = scalePathsOf(resource).spec;
  let at: JsonObject = object;
  for (const key of path.slice(0, -1)) {
    const next = objectAt(at, key) ?? {};
    at[key] = next;
    at = next;
  }
  const last = path.at(-1);
  if (last !== undefined) at[last] = replicas;
  return object;
}
