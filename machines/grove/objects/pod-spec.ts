// What is added to the containers of a pod spec where PodCliques and pods are built. The input is
// kept.
import { listAt } from '../../kubernetes/fields.ts';
import { isObject, list, object, text } from '../../kubernetes/json.ts';
import type { Json, JsonObject } from '../../kubernetes/objects.ts';

const containerFields = ['containers', 'initContainers'];

/** The pod spec with the containers and init containers changed, where there are such. */
function withContainers(podSpec: JsonObject, change: (container: Json) => Json[]): JsonObject {
  const lists = containerFields.filter((field) => listAt(podSpec, field).length > 0);
  const changed = lists.map((field) => [field, listAt(podSpec, field).flatMap(change)]);
  return { ...podSpec, ...Object.fromEntries(changed) };
}

/** The containers of a pod spec, then its init containers. */
export const containersIn = (podSpec: unknown): readonly JsonObject[] =>
  containerFields.flatMap((field) => list(object(podSpec)[field])).filter(isObject);

/** An entry of `spec.resourceClaims`: its name, and where the claim comes from. */
export interface PodClaim {
  readonly name: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

/**
 * Claims to devices: the pod spec with this claim last among its own, and last among those of each
 * container and init container that `uses` it (spec controllers 8.1, 8.2). The same spec where a
 * claim of that name is there already, which may be the user's, or where no container uses it.
 */
export function withClaim(
  podSpec: JsonObject,
  claim: PodClaim,
  uses: (container: JsonObject) => boolean = () => true,
): JsonObject {
  const claims = listAt(podSpec, 'resourceClaims');
  if (claims.some((entry) => isNamed(entry, claim.name))) return podSpec;
  if (!containersIn(podSpec).some(uses)) return podSpec;
  return withContainers({ ...podSpec, resourceClaims: [...claims, { ...claim }] }, (container) =>
    isObject(container) && uses(container) ? [withReference(container, claim.name)] : [container],
  );
}

function withReference(container: JsonObject, name: string): JsonObject {
  const resources = object(container['resources']);
  const claims = listAt(resources, 'claims');
  if (claims.some((entry) => isNamed(entry, name))) return container;
  return { ...container, resources: { ...resources, claims: [...claims, { name }] } };
}

const isNamed = (entry: Json, name: string): boolean =>
  isObject(entry) && text(entry['name']) === name;

/**
 * Environment variables that Grove injects into containers and init containers (spec api 5.5): ours
 * first, so that the user's may refer to them; the user's of the same name are dropped.
 */
export function withEnvironment(podSpec: JsonObject, env: readonly JsonObject[]): JsonObject {
  const ours = new Set(env.map((entry) => entry['name']));
  const isTheirs = (entry: Json): boolean => !isObject(entry) || !ours.has(text(entry['name']));
  return withContainers(podSpec, (container) =>
    isObject(container)
      ? [{ ...container, env: [...env, ...listAt(container, 'env').filter(isTheirs)] }]
      : [],
  );
}
