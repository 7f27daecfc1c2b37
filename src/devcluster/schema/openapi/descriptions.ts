// Short descriptions, in our own words, of the built-in kinds and their most used fields, so that
// `kubectl explain` has something to say. Fields that are not listed show their type only.
import type { Schema } from '../../contract.ts';
import { isRecord } from '../record.ts';
import { fieldTexts, kindTexts } from './texts.ts';

const common: Readonly<Record<string, string>> = {
  apiVersion: 'Group and version of the schema that this object is written in.',
  kind: 'The kind of this object.',
  metadata: 'Name, namespace, labels and the rest that all objects have.',
  spec: 'What is wanted.',
  status: 'What was observed.',
};

const descriptions = new Map<string, Schema>();

/** A definition with the descriptions that there are; the same object for the same name. */
export function describeDefinition(name: string, definition: Schema): Schema {
  const known = descriptions.get(name);
  if (known !== undefined) return known;
  const described = describe(name.replace(/^io\.k8s\.(api\.)?/, ''), definition);
  descriptions.set(name, described);
  return described;
}

function describe(name: string, definition: Schema): Schema {
  const own = kindTexts[name] ?? listText(definition);
  const texts = fieldTexts[name] ?? {};
  const isKind = definition['x-kubernetes-group-version-kind'] !== undefined;
  const properties = definition['properties'];
  const described = isRecord(properties)
    ? Object.fromEntries(
        Object.entries(properties).map(([field, schema]) => {
          const text = texts[field] ?? (isKind ? common[field] : undefined);
          return [
            field,
            text !== undefined && isRecord(schema) ? { ...schema, description: text } : schema,
          ];
        }),
      )
    : undefined;
  return {
    ...(own === undefined ? {} : { description: own }),
    ...definition,
    ...(described === undefined ? {} : { properties: described }),
  };
}

function listText(definition: Schema): string | undefined {
  const marks = definition['x-kubernetes-group-version-kind'];
  const [first] = Array.isArray(marks) ? marks : [];
  const kind = isRecord(first) ? String(first['kind']) : '';
  return kind.endsWith('List') ? `A list of ${kind.slice(0, -'List'.length)} objects.` : undefined;
}
