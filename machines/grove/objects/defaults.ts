// Grove's defaults (spec controllers 9.6, api 3.2), applied when an object is read: the controller
// is right without the webhook too, and the webhook uses the same functions.
import { at, count, isObject, object, text } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';

export interface CliqueNumbers {
  readonly replicas: number;
  readonly minAvailable: number;
}

/**
 * Replicas 0 or absent becomes 1; minAvailable absent becomes the replicas as given. An explicit 0
 * is rejected at admission; without a webhook it counts as 1, since a gang of nothing cannot be
 * placed.
 */
export function cliqueNumbers(spec: unknown): CliqueNumbers {
  const given = count(at(spec, 'replicas')) ?? 0;
  const replicas = given === 0 ? 1 : given;
  const least = count(at(spec, 'minAvailable')) ?? given;
  return { replicas, minAvailable: Math.max(1, least) };
}

/** A pod spec with restartPolicy and terminationGracePeriodSeconds filled in. The input is kept. */
export function defaultedPodSpec(podSpec: unknown): JsonObject {
  const given = object(podSpec);
  return {
    ...given,
    restartPolicy: text(given['restartPolicy']) === '' ? 'Always' : text(given['restartPolicy']),
    terminationGracePeriodSeconds: count(given['terminationGracePeriodSeconds']) ?? 30,
  };
}

/** Absent config publishes; a config without the field too (schema default). */
export function publishesNotReady(template: unknown): boolean {
  const config = at(template, 'headlessServiceConfig');
  return !isObject(config) || at(config, 'publishNotReadyAddresses') !== false;
}
