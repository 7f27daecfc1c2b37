// Checks: admission webhooks by URL - refusal, mutation, failure policies, selectors, dry runs.
import { expect } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { expectRefusal, metaOf } from './session.ts';
import type { Session, Suite } from './session.ts';
import { webhookServer } from './webhook-server.ts';
import type { WebhookServer } from './webhook-server.ts';

const group = 'admissionregistration.k8s.io/v1';
type Kind = 'Mutating' | 'Validating';

/** Runs the check with a webhook on config maps of the session's namespace. */
async function withWebhook(
  s: Session,
  kind: Kind,
  respond: (request: JsonObject) => JsonObject | undefined,
  check: (server: WebhookServer) => Promise<void>,
  more: JsonObject = {},
): Promise<void> {
  const server = await webhookServer(respond);
  const name = `${s.namespace}-${kind.toLowerCase()}`;
  const path = `/apis/${group}/${kind.toLowerCase()}webhookconfigurations`;
  await s.create(path, {
    apiVersion: group,
    kind: `${kind}WebhookConfiguration`,
    metadata: { name },
    webhooks: [
      {
        name: `${name}.coppice.dev`,
        clientConfig: server.clientConfig,
        rules: [
          {
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            apiGroups: [''],
            apiVersions: ['v1'],
            resources: ['configmaps'],
          },
        ],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': s.namespace } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 1,
        ...more,
      },
    ],
  });
  try {
    await s.eventually('the webhook is asked', async () => {
      const answer = await s.send('POST', `${s.path('configmaps')}?dryRun=All`, body('probe'));
      return answer.status >= 400 || server.requests.length > 0;
    });
    await check(server);
  } finally {
    await s.send('DELETE', `${path}/${name}`);
    await server.close();
  }
}

const body = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
});
const encoded = (operations: JsonObject[]): JsonObject => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
const post = (s: Session, name: string) => s.send('POST', s.path('configmaps'), body(name));

export const webhooks: Suite = {
  async 'a validating webhook refuses with its own words and code'(s) {
    const deny = () => ({ allowed: false, status: { code: 403, message: 'not today' } });
    await withWebhook(s, 'Validating', deny, async () => {
      const answer = await post(s, 'a');
      expect(answer.status).toBe(403);
      expect(answer.body['message']).toBe(
        `admission webhook "${s.namespace}-validating.coppice.dev" denied the request: not today`,
      );
      expect(await s.exists(s.path('configmaps', 'a'))).toBe(false);
    });
  },

  async 'a webhook is told the operation, the objects and the user'(s) {
    await withWebhook(
      s,
      'Validating',
      () => ({ allowed: true }),
      async ({ requests }) => {
        await post(s, 'a');
        await s.patch(s.path('configmaps', 'a'), 'merge', { data: { k: 'v' } });
        await s.send('DELETE', s.path('configmaps', 'a'));
        const own = requests.filter((request) => request['name'] === 'a');
        expect(own.map((request) => request['operation'])).toEqual(['CREATE', 'UPDATE', 'DELETE']);
        expect(own[1]).toMatchObject({
          object: { data: { k: 'v' } },
          oldObject: { metadata: { name: 'a' } },
          userInfo: { username: expect.any(String) },
          namespace: s.namespace,
        });
        expect(own[2]).toMatchObject({ object: null, oldObject: { metadata: { name: 'a' } } });
      },
    );
  },

  async 'a mutating webhook changes what is stored'(s) {
    const respond = () => encoded([{ op: 'add', path: '/data', value: { k: 'mutated' } }]);
    await withWebhook(s, 'Mutating', respond, async () => {
      expect((await post(s, 'a')).body['data']).toEqual({ k: 'mutated' });
      expect((await s.get(s.path('configmaps', 'a')))['data']).toEqual({ k: 'mutated' });
    });
  },

  async 'what a webhook makes of an object is validated'(s) {
    const respond = () =>
      encoded([{ op: 'add', path: '/metadata/labels', value: { 'bad key': 'x' } }]);
    await withWebhook(s, 'Mutating', respond, async () => {
      expectRefusal(await post(s, 'a'), 422, 'Invalid', 'metadata.labels');
    });
  },

  async 'warnings of a webhook reach the client'(s) {
    const respond = () => ({ allowed: true, warnings: ['mind the gap'] });
    await withWebhook(s, 'Validating', respond, async () => {
      expect((await post(s, 'a')).headers['warning']).toContain('mind the gap');
    });
  },

  async 'a webhook that does not answer refuses after its time'(s) {
    await withWebhook(
      s,
      'Validating',
      () => undefined,
      async () => {
        const answer = await post(s, 'a');
        expectRefusal(answer, 500, 'InternalError', 'failed calling webhook');
      },
    );
  },

  async 'a webhook that does not answer is passed over with Ignore'(s) {
    const check = async () => {
      expect((await post(s, 'a')).status).toBe(201);
    };
    await withWebhook(s, 'Validating', () => undefined, check, { failurePolicy: 'Ignore' });
  },

  async 'a dry run does not reach a webhook with side effects'(s) {
    const check = async ({ requests }: WebhookServer) => {
      const path = `${s.path('configmaps')}?dryRun=All`;
      expect((await s.send('POST', path, body('a'))).status).toBe(201);
      expect(requests.at(-1)).toMatchObject({ dryRun: true });
    };
    await withWebhook(s, 'Validating', () => ({ allowed: true }), check, {
      sideEffects: 'NoneOnDryRun',
    });
  },

  async 'a webhook for labels hears of them only'(s) {
    const check = async ({ requests }: WebhookServer) => {
      const before = requests.length;
      await s.configMap('plain', {}, { labels: { other: 'yes' } });
      expect(requests.length).toBe(before);
      await s.configMap('marked', {}, { labels: { probe: 'no' } });
      expect(requests.length).toBe(before + 1);
    };
    const matchExpressions = [{ key: 'other', operator: 'DoesNotExist' }];
    await withWebhook(s, 'Validating', () => ({ allowed: true }), check, {
      objectSelector: { matchExpressions },
    });
  },

  async 'a refused update leaves the object as it was'(s) {
    const respond = (request: JsonObject) => ({ allowed: request['operation'] !== 'UPDATE' });
    await withWebhook(s, 'Validating', respond, async () => {
      await post(s, 'a');
      const answer = await s.tryPatch(s.path('configmaps', 'a'), 'merge', { data: { k: 'v' } });
      expect(answer.status).toBe(400);
      expect(metaOf(await s.get(s.path('configmaps', 'a')))['labels']).toBeUndefined();
      expect((await s.get(s.path('configmaps', 'a')))['data']).toBeUndefined();
    });
  },

  async 'a webhook without sideEffects is invalid'(s) {
    const webhook = {
      name: 'a.b.c',
      clientConfig: { url: 'https://127.0.0.1:1/' },
      admissionReviewVersions: ['v1'],
    };
    const answer = await s.send('POST', `/apis/${group}/validatingwebhookconfigurations`, {
      apiVersion: group,
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: `${s.namespace}-bad` },
      webhooks: [webhook],
    });
    expectRefusal(answer, 422, 'Invalid', 'webhooks[0].sideEffects: Required value');
  },
};
