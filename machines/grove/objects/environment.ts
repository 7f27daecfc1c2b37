// Environment variables that Grove injects into containers and init containers (spec api 5.5): ours
// first, so that the user's may refer to them; the user's of the same name are dropped.
import { isObject, list, text } from '../../kubernetes/json.ts';
import type { Json, JsonObject } from '../../kubernetes/objects.ts';

/** The pod spec with these variables in every container and init container; the input is kept. */
export function withEnvironment(podSpec: JsonObject, env: readonly JsonObject[]): JsonObject {
  const containers = each(podSpec['containers'], env);
  const inits = each(podSpec['initContainers'], env);
  return {
    ...podSpec,
    ...(containers.length > 0 ? { containers } : {}),
    ...(inits.length > 0 ? { initContainers: inits } : {}),
  };
}

const each = (containers: unknown, env: readonly JsonObject[]): JsonObject[] =>
  list(containers)
    .filter(isObject)
    .map((container) => ({ ...container, env: [...env, ...others(container['env'], env)] }));

function others(given: Json | undefined, env: readonly JsonObject[]): Json[] {
  if (!Array.isArray(given)) return [];
  const ours = new Set(env.map((entry) => entry['name']));
  return given.filter((entry) => !isObject(entry) || !ours.has(text(entry['name'])));
}
