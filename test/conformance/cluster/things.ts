// A custom kind of two versions, and webhooks that convert it well or badly, for the checks of
// conversions.ts.
import { expect } from 'vitest';
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import { list } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { expectRefusal, metaOf, specOf } from './session.ts';
import type { Answer, Session } from './session.ts';
import { webhookServer } from './webhook-server.ts';
import { definitions, installDefinition } from './widgets.ts';

export const groupOf = (s: Session): string => `${s.namespace}.coppice.dev`;

const counted = (field: string, fallback: number): JsonObject => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { [field]: { type: 'integer', default: fallback }, note: { type: 'string' } },
    },
    status: { type: 'object', properties: { [field]: { type: 'integer' } } },
  },
});

/** v1 counts by `size` and is stored, v2 counts by `amount` and can be scaled. */
const definition = (s: Session, conversion: JsonObject): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${groupOf(s)}` },
  spec: {
    group: groupOf(s),
    names: { plural: 'things', singular: 'thing', kind: 'Thing' },
    scope: 'Namespaced',
    conversion,
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: counted('size', 1) },
        subresources: { status: {} },
      },
      {
        name: 'v2',
        served: true,
        storage: false,
        schema: { openAPIV3Schema: counted('amount', 5) },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.amount', statusReplicasPath: '.status.amount' },
        },
      },
    ],
  },
});

export const things = (s: Session, version: string, ...more: string[]): string =>
  [`/apis/${groupOf(s)}/${version}/namespaces/${s.namespace}/things`, ...more].join('/');

export const thing = (
  s: Session,
  version: string,
  name: string,
  spec: JsonObject = {},
): JsonObject => ({
  apiVersion: `${groupOf(s)}/${version}`,
  kind: 'Thing',
  metadata: { name },
  spec,
});

/** The other name of the count; the rest stays. */
function renamed(section: unknown, from: string, to: string): JsonObject {
  const { [from]: count, ...rest } = (section ?? {}) as JsonObject;
  return count === undefined ? rest : { ...rest, [to]: count };
}

function converted(from: JsonObject, apiVersion: string): JsonObject {
  const [before, after] = apiVersion.endsWith('v2') ? ['size', 'amount'] : ['amount', 'size'];
  const metadata = objectAt(from, 'metadata') ?? {};
  const labels = { ...objectAt(metadata, 'labels'), via: apiVersion.split('/')[1] ?? '' };
  const { status } = from;
  return {
    ...from,
    apiVersion,
    metadata: { ...metadata, labels, finalizers: ['lost.in/conversion'] },
    spec: renamed(from['spec'], before, after),
    ...(status === undefined ? {} : { status: renamed(status, before, after) }),
  };
}

type Respond = Parameters<typeof webhookServer>[0];

const convert: Respond = (request) => ({
  convertedObjects: list(request['objects']).map((object) =>
    converted(object as JsonObject, textAt(request, 'desiredAPIVersion')),
  ),
  result: { status: 'Success' },
});

/** Runs the check with the webhook, which `respond` may make do anything. */
export async function withWebhook(
  s: Session,
  check: () => Promise<void>,
  respond: Respond = convert,
): Promise<void> {
  const server = await webhookServer(respond);
  const { clientConfig } = server;
  try {
    await withDefinition(s, conversionBy(clientConfig), check);
  } finally {
    await server.close();
  }
}

export const conversionBy = (clientConfig: JsonObject): JsonObject => ({
  strategy: 'Webhook',
  webhook: { conversionReviewVersions: ['v1'], clientConfig },
});

export async function withDefinition(
  s: Session,
  conversion: JsonObject,
  check: () => Promise<void>,
): Promise<void> {
  const crd = definition(s, conversion);
  const path = `${definitions}/${textAt(metaOf(crd), 'name')}`;
  await installDefinition(s, crd);
  try {
    await check();
  } finally {
    await s.send('DELETE', path);
    await s.eventuallyGone(path);
  }
}

/** What an answer that could not be converted says. */
export function expectFailure(answer: Answer, why: RegExp): void {
  expectRefusal(answer, 500, '', /conversion webhook for .*Kind=Thing /);
  expectRefusal(answer, 500, '', why);
}

export const refusing =
  (change: (object: JsonObject) => unknown): Respond =>
  (request) => ({
    convertedObjects: list(request['objects']).map((object) => {
      const good = converted(object as JsonObject, textAt(request, 'desiredAPIVersion'));
      return change(good) as JsonObject;
    }),
    result: { status: 'Success' },
  });

/** An object that is stored as it is, and asked for in the other version. */
export const expectBroken = (s: Session, respond: Respond, why: RegExp): Promise<void> =>
  withWebhook(
    s,
    async () => {
      await s.create(things(s, 'v1'), thing(s, 'v1', 'a'));
      expectFailure(await s.send('GET', things(s, 'v2', 'a')), why);
      expect(specOf(await s.get(things(s, 'v1', 'a')))).toEqual({ size: 1 });
    },
    respond,
  );
