// A review as the API server sends it, and ports that remember what was looked up: for the tests of
// the webhooks.
import type { Lookups } from '#src/admission/lookups.ts';
import type { AdmissionRequest, Answer } from '#src/admission/review.ts';
import { enabledWebhooks, type WebhookPorts } from '#src/admission/webhooks.ts';
import { baseSet, baseSettings } from './examples.ts';

export interface Asked {
  /** What they are asked stands in `asked`. */
  readonly ports: WebhookPorts;
  readonly asked: string[];
}

export function ports(more: Partial<WebhookPorts> = {}): Asked {
  const asked: string[] = [];
  const lookups: Lookups = {
    binding: async (name) => {
      asked.push(`binding ${name}`);
      return { is: 'there', domains: ['block', 'rack'] };
    },
    queue: async (name) => {
      asked.push(`queue ${name}`);
      return { is: 'there', state: 'Open' };
    },
    set: async (namespace, name) => {
      asked.push(`set ${namespace}/${name}`);
      return { is: 'there', annotations: {} };
    },
  };
  return { ports: { settings: baseSettings, lookups, trusted: ['me'], ...more }, asked };
}

const request = (more: Partial<AdmissionRequest>): AdmissionRequest => ({
  uid: 'review-1',
  operation: 'CREATE',
  resource: 'grove.io/podcliquesets',
  plural: 'podcliquesets',
  namespace: 'default',
  name: 'base',
  user: 'alice',
  object: baseSet,
  oldObject: undefined,
  ...more,
});

/** What the webhook at that path answers; a creation of `baseSet` unless `more` says otherwise. */
export async function ask(
  name: string,
  more: Partial<AdmissionRequest>,
  using: WebhookPorts = ports().ports,
): Promise<Answer> {
  const webhook = enabledWebhooks(true).find(({ path }) => path === `/webhooks/${name}`);
  if (webhook === undefined) throw new Error(`no webhook ${name}`);
  return webhook.answer(request(more), using);
}
