// The scale subresource: autoscaling/v1 Scale as a view of the replica fields of a workload, by
// fixed paths for built-in kinds and by the paths of the CRD for custom ones.
import type { Json, JsonObject } from '#machines/objects.ts';
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';
import { isObject, objectAt, textAt } from '#src/devcluster/strategies/json.ts';
import { asExpected, readObject } from '../body.ts';
import { collectionOf } from '../call.ts';
import { asVersion } from '../versions.ts';
import type { Call } from '../call.ts';
import { copyJson } from '../copy.ts';
import { badRequest, invalid, notFound } from '../errors.ts';
import { checkPreconditions } from '../meta.ts';
import { patcher } from '../patch.ts';
import { own } from '../reply.ts';
import { selectorText } from '../selectors.ts';
import type { Reply } from '../reply.ts';
import { replace, requireName } from '../update.ts';

const scaleKind = { apiVersion: 'autoscaling/v1', kind: 'Scale' };

interface ScalePaths {
  readonly spec: readonly string[];
  readonly status: readonly string[];
  readonly selector: readonly string[] | undefined;
}

function pathsOf(resource: ResourceInfo): ScalePaths {
  const scale = resource.subresources.find((each) => each.name === 'scale')?.scale;
  return {
    spec: split(scale?.specReplicasPath ?? '.spec.replicas'),
    status: split(scale?.statusReplicasPath ?? '.status.replicas'),
    selector: scale === undefined ? ['spec', 'selector'] : splitSome(scale.labelSelectorPath),
  };
}

const split = (path: string): string[] => path.split('.').filter((part) => part !== '');
const splitSome = (path: string | undefined): string[] | undefined =>
  path === undefined || path === '' ? undefined : split(path);

const valueAt = (object: Stored, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => (isObject(at) ? at[key] : undefined), object);

const countAt = (object: Stored, path: readonly string[]): number => {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : 0;
};

function scaleOf(resource: ResourceInfo, object: Stored): Stored {
  const paths = pathsOf(resource);
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

export function getScale(call: Call): Reply {
  const live = collectionOf(call).get(call.target.namespace, call.target.name);
  if (live === undefined) throw notFound(call.resource, call.target.name);
  return own(scaleOf(call.resource, live));
}

export async function updateScale(call: Call): Promise<Reply> {
  const sent = readObject(call.request, scaleKind);
  requireName(call, sent);
  return write(call, 'UpdateOptions', () => sent);
}

export async function patchScale(call: Call): Promise<Reply> {
  const apply = patcher(call);
  return write(call, 'PatchOptions', (scale) => {
    const next = apply(scale);
    if (!isObject(next)) throw badRequest('the patch leaves no object');
    return asExpected(next, scaleKind);
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
    return { object: withReplicas(resource, copyJson(live), replicasOf(scale)) };
  });
  return own(scaleOf(resource, asVersion(resource, object)));
}

function replicasOf(scale: Stored): number {
  const replicas = objectAt(scale, 'spec')?.['replicas'] ?? 0;
  if (typeof replicas === 'number' && Number.isInteger(replicas) && replicas >= 0) return replicas;
  const detail = 'must be greater than or equal to 0';
  throw invalid({ group: 'autoscaling', kind: 'Scale' }, textAt(scale.metadata, 'name'), [
    { type: 'FieldValueInvalid', field: 'spec.replicas', value: replicas, detail },
  ]);
}

function withReplicas(resource: ResourceInfo, object: Stored, replicas: number): Stored {
  const path = pathsOf(resource).spec;
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
