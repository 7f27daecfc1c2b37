// Claims to devices in a pod spec: an entry of the pod, and a reference to it in each container
// that uses the devices (spec controllers 8.1, 8.2). Used where PodCliques and pods are built.
import { isObject, list, object, text } from '../../kubernetes/json.ts';
import type { Json, JsonObject } from '../../kubernetes/objects.ts';

/** An entry of `spec.resourceClaims`: its name, and where the claim comes from. */
export interface PodClaim {
  readonly name: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

const everyContainer = (): boolean => true;

/**
 * The pod spec with this claim last among its own, and last among those of each container and init
 * container that `uses` it. The same spec where a claim of that name is there already, which may be
 * the user's, or where no container uses it. The input is kept.
 */
export function withClaim(
  podSpec: JsonObject,
  claim: PodClaim,
  uses: (container: JsonObject) => boolean = everyContainer,
): JsonObject {
  const claims = jsonList(podSpec['resourceClaims']);
  if (claims.some((entry) => isNamed(entry, claim.name))) return podSpec;
  if (!containersIn(podSpec).some(uses)) return podSpec;
  const referring = (container: Json): Json =>
    isObject(container) && uses(container) ? withReference(container, claim.name) : container;
  const next: JsonObject = { ...podSpec, resourceClaims: [...claims, { ...claim }] };
  for (const field of ['containers', 'initContainers']) {
    const containers = podSpec[field];
    if (Array.isArray(containers)) next[field] = containers.map(referring);
  }
  return next;
}

/** The containers of a pod spec, then its init containers. */
export const containersIn = (podSpec: unknown): readonly JsonObject[] => {
  const { containers, initContainers } = object(podSpec);
  return [...list(containers), ...list(initContainers)].filter(isObject);
};

function withReference(container: JsonObject, name: string): JsonObject {
  const resources = object(container['resources']);
  const claims = jsonList(resources['claims']);
  if (claims.some((entry) => isNamed(entry, name))) return container;
  return { ...container, resources: { ...resources, claims: [...claims, { name }] } };
}

const isNamed = (entry: Json, name: string): boolean =>
  isObject(entry) && text(entry['name']) === name;

const jsonList = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
