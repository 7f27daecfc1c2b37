// What each way of registering asks of the API server, request by request, for each kind of webhook
// and with and without an authority to trust.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { register, registrationPaths, webhookConfigurations } from '#src/admission/registration.ts';
import type { Registered, RegisteredWebhook } from '#src/admission/webhook.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import type { KubeRequest, KubeTransport } from '#src/kube/transport/transport.ts';

type Way = 'none' | 'url' | 'service';

const judging: RegisteredWebhook = {
  configuration: 'judging',
  name: 'judging.example',
  path: '/judge',
  mutating: false,
  optional: false,
  labels: { app: 'ours' },
  rules: [
    {
      ...{ apiGroups: ['grove.io'], apiVersions: ['v1alpha1'], resources: ['podcliquesets'] },
      ...{ operations: ['CREATE'], scope: 'Namespaced' },
    },
  ],
};
const changing: RegisteredWebhook = { ...judging, configuration: 'changing', mutating: true };
const guarding: RegisteredWebhook = {
  ...judging,
  ...{ configuration: 'guarding', optional: true, about: { part: 'ours' } },
};
const converting: Registered = { path: '/convert', definitions: ['as.example', 'bs.example'] };

const base = '/apis/admissionregistration.k8s.io/v1';
const applied = '?fieldManager=coppice-admission&force=true';
const authorities = 'a PEM';
const caBundle = Buffer.from(authorities).toString('base64');

async function registered(
  way: Way,
  webhook: Registered,
  { pem = authorities, trusted = [] as readonly string[], status = 200 } = {},
): Promise<readonly KubeRequest[]> {
  const requests: KubeRequest[] = [];
  const transport: KubeTransport = {
    request: (request) => {
      requests.push(request);
      return Promise.resolve({ status, headers: {}, body: { message: 'not you' } });
    },
    watch: () => () => {},
  };
  const { admission } = defaultConfiguration;
  const configuration = {
    ...defaultConfiguration,
    admission: { ...admission, registration: way, serviceName: 'webhooks' },
  };
  const options = { configuration, transport, webhooks: [webhook], namespace: 'ours' };
  await register(options, { authorities: pem, port: 9443, trusted });
  return requests;
}

const first = (requests: readonly KubeRequest[], ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (value, name) => (value as Record<string, unknown>)[name],
    requests[0]?.body,
  );

describe('Registering', () => {
  it('is left to others where the configuration says so', async () => {
    expect(await registered('none', judging)).toEqual([]);
  });

  it.each<[Way, JsonObject]>([
    ['url', { url: 'https://127.0.0.1:9443/judge' }],
    ['service', { service: { name: 'webhooks', namespace: 'ours', path: '/judge', port: 9443 } }],
  ])('by %s applies the whole configuration of a webhook', async (way, clientConfig) => {
    expect(await registered(way, judging)).toEqual([
      {
        method: 'PATCH',
        path: `${base}/validatingwebhookconfigurations/judging${applied}`,
        contentType: 'application/apply-patch+yaml',
        body: {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingWebhookConfiguration',
          metadata: { name: 'judging', labels: { app: 'ours' } },
          webhooks: [
            {
              name: 'judging.example',
              admissionReviewVersions: ['v1'],
              clientConfig: { ...clientConfig, caBundle },
              failurePolicy: 'Fail',
              matchPolicy: 'Exact',
              sideEffects: 'None',
              timeoutSeconds: 5,
              namespaceSelector: {},
              objectSelector: {},
              matchConditions: [
                {
                  name: 'not-being-deleted',
                  expression:
                    "request.operation != 'UPDATE' || !has(oldObject.metadata.deletionTimestamp)",
                },
              ],
              rules: [...judging.rules],
            },
          ],
        },
      },
    ]);
  });

  it('puts a webhook that changes objects into a configuration of its kind', async () => {
    const [request] = await registered('url', changing);
    expect(request?.path).toBe(`${base}/mutatingwebhookconfigurations/changing${applied}`);
    expect(request?.body).toMatchObject({ kind: 'MutatingWebhookConfiguration' });
  });

  it.each<[readonly string[], readonly JsonObject[]]>([
    [[], []],
    [
      ['me', 'a "b"'],
      [
        {
          name: 'not-trusted',
          expression: '!(request.userInfo.username in ["me", "a \\"b\\""])',
        },
      ],
    ],
  ])('keeps requests of %j away from the authorizer', async (trusted, conditions) => {
    const requests = await registered('url', guarding, { trusted });
    expect(first(requests, 'webhooks', 0, 'matchConditions')).toEqual(conditions);
    expect(first(requests, 'webhooks', 0, 'objectSelector')).toEqual({
      matchLabels: { part: 'ours' },
    });
  });

  it('leaves the trust to whoever wrote the certificate', async () => {
    const pem = '';
    expect(first(await registered('url', judging, { pem }), 'webhooks', 0, 'clientConfig')).toEqual(
      { url: 'https://127.0.0.1:9443/judge' },
    );
    expect(
      first(
        await registered('url', converting, { pem }),
        ...['spec', 'conversion', 'webhook', 'clientConfig'],
      ),
    ).toEqual({ url: 'https://127.0.0.1:9443/convert', service: null });
  });

  it('tells each definition who converts its objects, and takes the other way back', async () => {
    const patch = (name: string, config: JsonObject): KubeRequest => ({
      method: 'PATCH',
      path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`,
      contentType: 'application/merge-patch+json',
      body: {
        spec: {
          conversion: {
            strategy: 'Webhook',
            webhook: { clientConfig: { ...config, caBundle }, conversionReviewVersions: ['v1'] },
          },
        },
      },
    });
    const service = { name: 'webhooks', namespace: 'ours', path: '/convert', port: 9443 };
    const byService = { url: null, service };
    expect(await registered('service', converting)).toEqual([
      patch('as.example', byService),
      patch('bs.example', byService),
    ]);
    const byUrl = { url: 'https://127.0.0.1:9443/convert', service: null };
    expect(await registered('url', converting)).toEqual([
      patch('as.example', byUrl),
      patch('bs.example', byUrl),
    ]);
  });

  it('ends where the API server refuses, and says what', async () => {
    await expect(registered('url', converting, { status: 403 })).rejects.toThrow(
      /^as\.example cannot be registered: .*not you/,
    );
  });
});

describe('Configurations of webhooks', () => {
  it('are one for each webhook, in their order, and found at their paths', () => {
    const webhooks = [judging, changing];
    const all = webhookConfigurations({
      ...{ webhooks, trusted: [] },
      clientConfig: (path) => ({ url: path }),
    });
    expect(all.map(({ metadata }) => metadata)).toMatchObject([
      { name: 'judging' },
      { name: 'changing' },
    ]);
    expect(
      first([{ method: 'GET', path: '', body: all[0] }], 'webhooks', 0, 'clientConfig'),
    ).toEqual({ url: '/judge' });
    expect([...webhooks, converting].map(registrationPaths)).toEqual([
      [`${base}/validatingwebhookconfigurations/judging`],
      [`${base}/mutatingwebhookconfigurations/changing`],
      ['as.example', 'bs.example'].map(
        (name) => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`,
      ),
    ]);
  });
});
