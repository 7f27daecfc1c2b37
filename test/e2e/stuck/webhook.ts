// Admission webhooks of somebody else, which look at the pods of one namespace: one that refuses
// them, one that holds them with a gate of its own, and one whose certificate has ended.
import { createServer } from 'node:https';
import { json } from 'node:stream/consumers';
import { at } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { createAuthority, validFrom } from '#src/tls/authority.ts';
import type { Scene } from './scene.ts';

interface Webhook {
  readonly kind: 'Validating' | 'Mutating';
  /** Of the review, besides its UID. */
  readonly response: JsonObject;
  readonly hasEnded?: true;
}

const yearMs = 365 * 24 * 3_600_000;
const admission = '/apis/admissionregistration.k8s.io/v1';

/** Until the scene is closed. */
export async function addWebhook(scene: Scene, { kind, response, hasEnded }: Webhook) {
  const authority = await createAuthority('Webhooks', Date.now());
  const validity = hasEnded === true ? { validity: validFrom(Date.now() - yearMs, 90) } : {};
  const { cert, key } = await authority.server(['localhost'], ['127.0.0.1'], validity.validity);
  const server = createServer({ cert, key }, (request, reply) => {
    void json(request).then((review) => {
      const answer = { uid: at(review, 'request', 'uid'), ...response };
      const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer };
      reply.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
    });
  });
  const plural = `${kind.toLowerCase()}webhookconfigurations`;
  const name = `policy-${scene.namespace}`;
  await scene.create(`${admission}/${plural}`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name },
    webhooks: [
      {
        name: 'policy.example.com',
        clientConfig: {
          url: `https://127.0.0.1:${port}/`,
          caBundle: Buffer.from(authority.cert).toString('base64'),
        },
        rules: [
          { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] },
        ],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': scene.namespace } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
  scene.atEnd(async () => {
    await scene.delete(`${admission}/${plural}/${name}`);
    server.closeAllConnections();
    server.close();
  });
}
