// Fields of the chart's values that the configuration file has no use for: what may be empty, and
// what is handed on to Kubernetes as it is. Used by values.ts.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Field } from '#src/config/field.ts';

/** Helm holds values to the schema; nothing decodes them. */
const shaped = <T>(type: string, schema: JsonObject, fallback: T, doc: string): Field<T> => ({
  ...{ type, schema, fallback, doc },
  decode: () => fallback,
});

/** A text; an empty one stands for none. */
export const optional = (fallback: string, doc: string): Field<string> =>
  shaped('a text, may be empty', { type: 'string' }, fallback, doc);

/** Of labels and annotations. */
export const texts = (doc: string): Field<JsonObject> => {
  const schema = { type: 'object', additionalProperties: { type: 'string' } };
  return shaped('an object of texts', schema, {}, doc);
};

/** An object of the Kubernetes API. */
export const object = (fallback: JsonObject, doc: string): Field<JsonObject> =>
  shaped('an object, as Kubernetes has it', { type: 'object' }, fallback, doc);

/** Objects of the Kubernetes API. */
export const objects = (fallback: readonly JsonObject[], doc: string): Field<unknown> => {
  const schema = { type: 'array', items: { type: 'object' } };
  return shaped('a list of objects, as Kubernetes has them', schema, fallback, doc);
};

/** Values of a subchart that has none: Helm adds `global` to them. */
export const ofSubchart = (doc: string): Field<JsonObject> => {
  const properties = { global: { type: 'object' } };
  const schema = { type: 'object', additionalProperties: false, properties };
  return shaped('nothing', schema, {}, doc);
};
