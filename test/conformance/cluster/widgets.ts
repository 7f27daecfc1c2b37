// The suite's own CustomResourceDefinition: one kind that has every feature of a CRD that the
// checks ask about. Installed once per server.
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Session } from './session.ts';
import { widgetGroup } from './session.ts';

const integer = (more: JsonObject = {}): JsonObject => ({ type: 'integer', ...more });
const text = (more: JsonObject = {}): JsonObject => ({ type: 'string', ...more });

const port: JsonObject = {
  type: 'object',
  required: ['name'],
  properties: {
    name: text(),
    number: integer({ minimum: 1, maximum: 65535 }),
    protocol: text({ default: 'TCP' }),
  },
};

const specSchema: JsonObject = {
  type: 'object',
  required: ['size'],
  properties: {
    size: integer({ minimum: 0, format: 'int32' }),
    limit: integer(),
    replicas: integer({ default: 1 }),
    color: text({ enum: ['red', 'green', 'blue'], default: 'red' }),
    code: text({ pattern: '^[a-z]{3}$', maxLength: 3 }),
    owner: text({
      maxLength: 20,
      'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'owner does not change' }],
    }),
    tags: {
      type: 'array',
      items: text(),
      maxItems: 5,
      'x-kubernetes-list-type': 'set',
    },
    ports: {
      type: 'array',
      items: port,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    share: { 'x-kubernetes-int-or-string': true },
    selector: text(),
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    nested: {
      type: 'object',
      default: {},
      properties: { level: integer({ default: 7 }), note: text({ nullable: true }) },
    },
  },
  'x-kubernetes-validations': [
    {
      rule: '!has(self.limit) || self.size <= self.limit',
      message: 'size is above the limit',
    },
  ],
};

const widgetDefinition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${widgetGroup}` },
  spec: {
    group: widgetGroup,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: specSchema,
              status: {
                type: 'object',
                properties: { replicas: integer(), selector: text(), phase: text() },
              },
            },
          },
        },
      },
    ],
  },
};

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A definition of its own for checks that change or delete it. */
export function definitionNamed(plural: string): JsonObject {
  const copy = structuredClone(widgetDefinition);
  const spec = objectAt(copy, 'spec') ?? {};
  const kind = `${plural.slice(0, 1).toUpperCase()}${plural.slice(1, -1)}`;
  spec['names'] = { plural, singular: plural.slice(0, -1), kind };
  copy['metadata'] = { name: `${plural}.${widgetGroup}` };
  return copy;
}

/** Creates the definition and waits until its objects are served. */
export async function installDefinition(session: Session, definition: JsonObject): Promise<void> {
  const answer = await session.send('POST', definitions, definition);
  if (answer.status !== 201 && answer.status !== 409) {
    throw new Error(`definition: ${answer.status} ${String(answer.body['message'])}`);
  }
  const name = String(objectAt(definition, 'metadata')?.['name']);
  await session.eventually(`${name} is established`, async () => {
    const status = objectAt(await session.get(`${definitions}/${name}`), 'status');
    const conditions = objectsAt(status, 'conditions');
    return conditions.some((each) => each['type'] === 'Established' && each['status'] === 'True');
  });
  const plural = name.split('.')[0] ?? '';
  const spec = objectAt(definition, 'spec');
  const path = `/apis/${textAt(spec, 'group')}/${textAt(objectsAt(spec, 'versions')[0], 'name')}`;
  await session.eventually(`${plural} are served`, () => session.exists(`${path}/${plural}`));
}

export const installWidgets = (session: Session): Promise<void> =>
  installDefinition(session, widgetDefinition);
