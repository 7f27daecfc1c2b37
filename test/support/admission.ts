// Our webhooks in the process of a test: registered at an embedded cluster as the chart registers
// them, and asked by calling them, so that no socket and no certificate is in the way.
import { webhookConfigurations } from '#src/admission/registration.ts';
import { type AdmissionRequest, decodeReview, encodeReview } from '#src/admission/review.ts';
import { type Admission, type AdmissionOptions, startAdmission } from '#src/admission/start.ts';
import { enabledWebhooks, groveWebhooks, type WebhookPorts } from '#src/admission/webhooks.ts';
import type { PostReview } from '#src/devcluster/admission/index.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { baseSettings } from '#test/admission/examples.ts';

const webhooks = enabledWebhooks(false);

/** Of a cluster without queues and topologies. */
export const admissionPorts: WebhookPorts = {
  settings: baseSettings,
  trusted: [],
  lookups: {
    binding: async () => ({ is: 'missing' }) as const,
    queue: async () => ({ is: 'missing' }) as const,
    set: async () => ({ is: 'missing' }) as const,
  },
};

/** All but the authorizer. */
export const servedWebhooks = webhooks.map(({ path, answer }) => ({
  path,
  answer: (request: AdmissionRequest) => answer(request, admissionPorts),
}));

/** With the webhooks of Grove. */
export const startGroveAdmission = (options: Omit<AdmissionOptions, 'webhooks'>): Admission =>
  startAdmission({ ...options, webhooks: groveWebhooks(options) });

/** For `createCluster`. */
export const reviewInProcess: PostReview = async ({ url }, review) => {
  const webhook = servedWebhooks.find(({ path }) => new URL(url).pathname === path);
  const decoded = decodeReview(review);
  if (webhook === undefined || !decoded.ok) throw new Error(`no review at ${url}`);
  return encodeReview(decoded.request.uid, await webhook.answer(decoded.request));
};

/** All but the authorizer. */
export async function registerWebhooks(transport: KubeTransport): Promise<void> {
  const registered = webhookConfigurations({
    clientConfig: (path) => ({ url: `https://webhooks.test${path}` }),
    webhooks,
    trusted: [],
  });
  for (const body of registered) {
    const plural = `${String(body['kind']).toLowerCase()}s`;
    const path = `/apis/admissionregistration.k8s.io/v1/${plural}`;
    const { status } = await transport.request({ method: 'POST', path, body });
    if (status !== 201) throw new Error(`${plural} are answered with ${status}`);
  }
}
