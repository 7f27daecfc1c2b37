// Calls one webhook for one request, by the rules of its configuration: conditions, side effects on
// dry runs, time-out, failure policy. callMutating and callValidating in dispatch.ts stand on it.
import { textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { AdmissionAttempt } from '#src/devcluster/api/admission.ts';
import { ApiError, badRequest } from '#src/devcluster/api/errors.ts';
import type { ResourceInfo } from '#src/devcluster/contract.ts';
import { conditionsHold } from './conditions.ts';
import type { PostReview } from './post.ts';
import { denial, internalError, readVerdict, reviewRequest } from './review.ts';
import type { Verdict } from './review.ts';
import type { MatchLookups, Webhook } from './webhook.ts';

export interface WebhookWorld extends MatchLookups {
  readonly post: PostReview;
  /** An id for a review: unique, UUID-like. */
  readonly newUid: () => string;
  /** URL of a Service inside the cluster; undefined: cannot be reached from here. */
  readonly serviceUrl?: (service: JsonObject) => string | undefined;
  /** Told of calls that failed and were passed over by failurePolicy Ignore. */
  readonly ignored?: (webhook: string, why: string) => void;
}

/** What a webhook said; undefined: it was not asked, or failed and is to be ignored. */
export async function callWebhook(
  webhook: Webhook,
  attempt: AdmissionAttempt,
  resource: ResourceInfo,
  world: WebhookWorld,
  mutating: boolean,
): Promise<Verdict | undefined> {
  const uid = world.newUid();
  const request = reviewRequest(attempt, resource, uid);
  if (!asksFor(webhook, request, attempt, world)) return undefined;
  if (attempt.dryRun && webhook.hasSideEffects) {
    throw badRequest(`admission webhook "${webhook.name}" does not support dry run`);
  }
  const review = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request };
  let verdict: Verdict;
  try {
    verdict = readVerdict(await post(webhook, review, world), uid, mutating);
  } catch (error) {
    const why = error instanceof Error ? reasonOf(error) : String(error);
    if (!webhook.failOpen) throw internalError(`failed calling webhook "${webhook.name}": ${why}`);
    world.ignored?.(webhook.name, why);
    return undefined;
  }
  if (!verdict.allowed) throw denial(webhook, verdict.status);
  return verdict;
}

/** Where a condition cannot be evaluated the failure policy decides, as for a call that fails. */
function asksFor(
  webhook: Webhook,
  request: JsonObject,
  attempt: AdmissionAttempt,
  world: WebhookWorld,
): boolean {
  try {
    return conditionsHold(webhook, request);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    world.ignored?.(webhook.name, why);
    if (webhook.failOpen) return false;
    const { group, plural } = attempt.resource;
    throw new ApiError({
      code: 403,
      reason: 'Forbidden',
      message: `${group === '' ? plural : `${plural}.${group}`} "${attempt.name}" is forbidden: ${why}`,
    });
  }
}

async function post(webhook: Webhook, review: JsonObject, world: WebhookWorld): Promise<unknown> {
  const base = webhook.url ?? serviceUrl(webhook, world);
  const url = new URL(base);
  url.searchParams.set('timeout', `${webhook.timeoutSeconds}s`);
  const { caBundle } = webhook;
  try {
    const timeoutMs = webhook.timeoutSeconds * 1000;
    return await world.post({ url: url.href, caBundle, timeoutMs }, review);
  } catch (error) {
    throw new Error(`failed to call webhook: Post "${url.href}"`, { cause: error });
  }
}

function serviceUrl(webhook: Webhook, world: WebhookWorld): string {
  const { service = {} } = webhook;
  const url = world.serviceUrl?.(service);
  if (url !== undefined) return url;
  const name = `${textAt(service, 'namespace')}/${textAt(service, 'name')}`;
  throw new Error(
    `service ${name} cannot be reached: pods of this cluster do not run; use clientConfig.url`,
  );
}

/** The message with its causes; a time-out in the words of a real server. */
function reasonOf(error: Error): string {
  if (error.name === 'TimeoutError') return 'context deadline exceeded';
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${reasonOf(cause)}` : error.message;
}
