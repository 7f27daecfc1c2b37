// Conversions of custom resources: reviews in and out over HTTPS, and how the CRDs learn of the
// webhook and whom to trust for it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { ConversionError, convertAll } from '#src/admission/conversion.ts';
import { readTrusting, trust } from '#src/admission/certificates/trust.ts';
import { register } from '#src/admission/registration.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { sandboxConversion } from '#src/modules/agentsandbox/conversion/webhook.ts';
import { sandboxObject } from '#test/crds/agent-sandbox-rules.ts';
import { Bench, definitions } from '#test/devcluster/api/support.ts';
import { crdObject, definitions as generated } from '#tools/crds/generate.ts';
import { type Served, serveWebhooks } from './served.ts';

const reviewOf = (objects: unknown, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  request: {
    uid: 'some-uid',
    desiredAPIVersion: 'agents.x-k8s.io/v1beta1',
    objects: objects as JsonObject[],
    ...more,
  },
});

const never = (error: unknown): never => {
  throw error;
};

describe('A ConversionReview', () => {
  const { convert } = sandboxConversion;

  it('is answered with all objects in the wanted version, in their order', () => {
    const objects = ['a', 'b'].map((name) =>
      sandboxObject('Sandbox', 'v1alpha1', { 'metadata.name': name }),
    );
    const answer = convertAll(reviewOf(objects), convert, never);
    expect(answer).toMatchObject({
      ok: true,
      allowed: true,
      review: {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'ConversionReview',
        response: {
          uid: 'some-uid',
          result: { status: 'Success' },
          convertedObjects: ['a', 'b'].map((name) => ({
            apiVersion: 'agents.x-k8s.io/v1beta1',
            kind: 'Sandbox',
            metadata: { name },
            spec: { operatingMode: 'Running' },
          })),
        },
      },
    });
  });

  it('fails as a whole with the name of the object that cannot be converted', () => {
    const objects = [sandboxObject('Sandbox', 'v1alpha1'), { metadata: { name: 'b' } }];
    expect(convertAll(reviewOf(objects), convert, never)).toEqual({
      ok: true,
      allowed: false,
      review: {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'ConversionReview',
        response: {
          uid: 'some-uid',
          result: {
            status: 'Failure',
            message: '/b:  of  cannot be converted to agents.x-k8s.io/v1beta1',
          },
        },
      },
    });
  });

  it('fails without a word of a bug, of which the log hears', () => {
    const heard: unknown[] = [];
    const bug = new TypeError('a bug');
    const answer = convertAll(
      reviewOf([{}]),
      () => never(bug),
      (error) => heard.push(error),
    );
    expect(at(answer, 'review', 'response', 'result', 'message')).toBe(
      'the webhook failed, see the log of the controller',
    );
    expect(heard).toEqual([bug]);
    const said = convertAll(reviewOf([{}]), () => never(new ConversionError('no')), never);
    expect(at(said, 'review', 'response', 'result', 'message')).toBe('/: no');
  });

  it.each([
    ['another kind', { kind: 'AdmissionReview' }, 'the body must be a ConversionReview of'],
    ['nothing', undefined, 'the body must be a ConversionReview of apiextensions.k8s.io/v1'],
    ['no request', { ...reviewOf([]), request: 5 }, 'request is missing'],
    ['no uid', reviewOf([], { uid: '' }), 'request must have a uid'],
    ['no version', reviewOf([], { desiredAPIVersion: 7 }), 'a desiredAPIVersion'],
    ['no list', reviewOf({}), 'a list of objects'],
  ])('that has %s is a bad request', (_, body, why) => {
    const answer = convertAll(body, convert, never);
    expect(answer).toEqual({ ok: false, problem: expect.stringContaining(why) });
  });
});

describe('The admission server', () => {
  let served: Served;
  const answers: unknown[] = [];
  beforeAll(async () => {
    served = await serveWebhooks({
      webhooks: [sandboxConversion],
      onError: never,
      onAnswer: ({ path, status, allowed }) => answers.push([path, status, allowed]),
    });
  });
  afterAll(() => served.server.close());

  it.each([
    [reviewOf([sandboxObject('Sandbox', 'v1alpha1')]), 200, '"status":"Success"', true],
    [reviewOf([{}]), 200, '"status":"Failure"', false],
    [{}, 400, 'the body must be a ConversionReview', false],
  ])('converts, and counts its answers', async (review, status, said, allowed) => {
    const agent = served.agent({ connections: 1 });
    const body = JSON.stringify(review);
    const { origin } = served;
    const answer = await agent.request({ origin, path: '/convert', method: 'POST', body });
    expect([answer.statusCode, await answer.body.text()]).toEqual([
      status,
      expect.stringContaining(said),
    ]);
    await agent.close();
    expect(answers.at(-1)).toEqual(['/convert', status, allowed]);
  });
});

describe('The CRDs', () => {
  const bench = new Bench();
  const crds = (generated['agentsandbox'] ?? []).map(crdObject);
  beforeAll(async () => {
    await bench.cluster.start();
    for (const crd of crds) await bench.post(definitions, crd);
  });
  afterAll(() => bench.cluster.stop());

  const conversions = () =>
    Promise.all(
      sandboxConversion.definitions.map(async (name) =>
        at((await bench.get(`${definitions}/${name}`)).body, 'spec', 'conversion'),
      ),
    );
  const registerAs = (registration: 'none' | 'service' | 'url', authorities = 'PEM') => {
    const { admission, ...rest } = defaultConfiguration;
    const configuration = { ...rest, admission: { ...admission, registration } };
    const { transport } = bench;
    const options = { configuration, transport, webhooks: [sandboxConversion], namespace: 'ours' };
    return register(options, { authorities, port: 2750, trusted: [] });
  };

  it('of the module are those that are converted', () => {
    const names = crds.map((crd) => at(crd, 'metadata', 'name'));
    expect(sandboxConversion.definitions.toSorted()).toEqual(names.map(String).toSorted());
  });

  it('are left alone by who registers nothing', async () => {
    await registerAs('none');
    expect(await conversions()).toEqual(crds.map(() => ({ strategy: 'None' })));
  });

  it('point at the Service, and then at the address', async () => {
    await registerAs('service');
    const caBundle = Buffer.from('PEM').toString('base64');
    const service = { name: 'grove-operator', namespace: 'ours', path: '/convert', port: 2750 };
    const webhook = (clientConfig: JsonObject) => ({
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig },
    });
    expect(await conversions()).toEqual(crds.map(() => webhook({ caBundle, service })));
    await registerAs('url');
    const url = 'https://127.0.0.1:2750/convert';
    expect(await conversions()).toEqual(crds.map(() => webhook({ caBundle, url })));
  });

  it('trust another authority in time, each unless it was changed meanwhile', async () => {
    const { transport } = bench;
    const configurations = await readTrusting(transport, [sandboxConversion]);
    expect(configurations.map(({ object }) => at(object, 'metadata', 'name'))).toEqual(
      sandboxConversion.definitions,
    );
    await bench.patch(`${definitions}/${sandboxConversion.definitions[0]}`, {
      metadata: { labels: { a: 'b' } },
    });
    await trust(transport, configurations, 'NEW');
    const bundles = (await conversions()).map((conversion) =>
      Buffer.from(
        String(at(conversion, 'webhook', 'clientConfig', 'caBundle')),
        'base64',
      ).toString(),
    );
    expect(bundles).toEqual(['PEM', 'NEW', 'NEW', 'NEW']);
  });

  it('cannot be registered where they are not there', async () => {
    await bench.delete(`${definitions}/${sandboxConversion.definitions[3]}`);
    await expect(registerAs('service')).rejects.toThrow(
      'sandboxwarmpools.extensions.agents.x-k8s.io cannot be registered',
    );
  });
});
