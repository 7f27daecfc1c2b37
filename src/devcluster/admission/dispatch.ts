// The two rounds of admission by webhooks: mutating ones after each other, each seeing what the one
// before made of the object; validating ones all at once on the final object.
import { isEqual, isObject } from '#machines/kubernetes/json.ts';
import type { AdmissionAttempt } from '#src/devcluster/api/admission.ts';
import { apiVersionOf } from '#src/devcluster/api/resources/registry.ts';
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';
import { jsonPatch } from '#src/devcluster/patch/json.ts';
import { callWebhook } from './call.ts';
import type { WebhookWorld } from './call.ts';
import { internalError } from './review.ts';
import { matchedVersion, webhooksOf } from './webhook.ts';
import type { Webhook } from './webhook.ts';

export type Warn = (warning: string) => void;

/** True when a webhook of the configurations would be asked about the request. */
export function isWanted(
  configurations: readonly Stored[],
  attempt: AdmissionAttempt,
  world: WebhookWorld,
): boolean {
  return webhooksOf(configurations).some(
    (webhook) => matchedVersion(webhook, attempt, world) !== undefined,
  );
}

/**
 * The object as the mutating webhooks leave it; the very same one when none changed it. A webhook
 * with reinvocationPolicy IfNeeded is asked once more when a later one changed the object.
 * Throws ApiError for a refusal.
 */
export async function callMutating(
  configurations: readonly Stored[],
  attempt: AdmissionAttempt,
  world: WebhookWorld,
  warn: Warn,
): Promise<Stored | undefined> {
  const webhooks = webhooksOf(configurations);
  let object = attempt.object;
  let again = new Set<Webhook>();
  const asked = new Set<Webhook>();
  for (const webhook of webhooks) {
    const next = await mutateBy(webhook, { ...attempt, ...present(object) }, world, warn);
    if (next !== undefined && !isEqual(next, object)) {
      object = next;
      again = new Set(asked);
    }
    if (webhook.reinvoke) asked.add(webhook);
  }
  for (const webhook of again) {
    const next = await mutateBy(webhook, { ...attempt, ...present(object) }, world, warn);
    if (next !== undefined) object = next;
  }
  return object;
}

const present = (object: Stored | undefined): { object?: Stored } =>
  object === undefined ? {} : { object };

async function mutateBy(
  webhook: Webhook,
  attempt: AdmissionAttempt,
  world: WebhookWorld,
  warn: Warn,
): Promise<Stored | undefined> {
  const resource = matchedVersion(webhook, attempt, world);
  if (resource === undefined) return attempt.object;
  const verdict = await callWebhook(webhook, attempt, resource, world, true);
  for (const warning of verdict?.warnings ?? []) warn(warning);
  if (verdict?.patch === undefined) return attempt.object;
  return patched(webhook, attempt, resource, verdict.patch);
}

/** The patch is against the version that the webhook saw. */
function patched(
  webhook: Webhook,
  { object, resource }: AdmissionAttempt,
  seenAs: ResourceInfo,
  patch: unknown,
): Stored {
  if (object === undefined) {
    throw internalError(
      `admission webhook "${webhook.name}" attempted to modify the object, which is not supported for this operation`,
    );
  }
  const result = jsonPatch({ ...object, apiVersion: apiVersionOf(seenAs) }, patch);
  if ('error' in result) throw internalError(`webhook "${webhook.name}": ${result.error}`);
  const { value } = result;
  if (!isObject(value) || !isObject(value['metadata'])) {
    throw internalError(`webhook "${webhook.name}": the patch leaves no object with metadata`);
  }
  const apiVersion =
    value['apiVersion'] === apiVersionOf(seenAs) ? apiVersionOf(resource) : value['apiVersion'];
  return {
    ...value,
    ...(apiVersion === undefined ? {} : { apiVersion }),
    metadata: value['metadata'],
  };
}

/** Throws the first refusal, in the order of the webhooks. */
export async function callValidating(
  configurations: readonly Stored[],
  attempt: AdmissionAttempt,
  world: WebhookWorld,
  warn: Warn,
): Promise<void> {
  const calls = webhooksOf(configurations).flatMap((webhook) => {
    const resource = matchedVersion(webhook, attempt, world);
    return resource === undefined ? [] : [callWebhook(webhook, attempt, resource, world, false)];
  });
  const results = await Promise.allSettled(calls);
  for (const result of results) {
    if (result.status === 'fulfilled') {
      for (const warning of result.value?.warnings ?? []) warn(warning);
    }
  }
  const refused = results.find((result) => result.status === 'rejected');
  if (refused !== undefined) throw refused.reason;
}
