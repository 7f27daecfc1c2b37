// Admission by webhooks as the write path asks for it. The embedded cluster builds one with its
// registry and store behind the lookups and puts it in place of `noAdmission`.
import type { Admission } from '#src/devcluster/api/admission.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { WebhookWorld } from './call.ts';
import { callMutating, callValidating, isWanted } from './dispatch.ts';

export { callMutating, callValidating } from './dispatch.ts';
export type { WebhookWorld } from './call.ts';
export { webhookPoster } from './post.ts';
export type { PostReview, WebhookPoster, WebhookTarget } from './post.ts';

export interface WebhookSources extends WebhookWorld {
  /** The live configuration objects; asked at every write, so they must be cheap to give. */
  readonly mutating: () => readonly Stored[];
  readonly validating: () => readonly Stored[];
}

export function webhookAdmission(sources: WebhookSources): Admission {
  return {
    wants: (attempt) => {
      const mutating = sources.mutating();
      const validating = sources.validating();
      if (mutating.length + validating.length === 0) return false;
      return isWanted(mutating, attempt, sources) || isWanted(validating, attempt, sources);
    },
    mutate: async (attempt, warn) => {
      const object = await callMutating(sources.mutating(), attempt, sources, warn);
      if (object === undefined) throw new Error('a DELETE has no object to mutate');
      return object;
    },
    validate: (attempt, warn) => callValidating(sources.validating(), attempt, sources, warn),
  };
}
