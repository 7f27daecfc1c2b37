// JSON merge patch (RFC 7386) for the fake cluster.
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';

export function mergePatch(object: KubeObject, patch: JsonObject): KubeObject {
  const merged = merge(object, patch);
  return {
    ...merged,
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: metadataOf(merged, object),
  };
}

function metadataOf(merged: Record<string, unknown>, object: KubeObject): KubeObject['metadata'] {
  const { metadata } = merged;
  if (typeof metadata !== 'object' || metadata === null) return object.metadata;
  return { ...metadata, name: object.metadata.name };
}

function merge(target: unknown, patch: JsonObject): Record<string, unknown> {
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else if (isJsonObject(value)) merged[name] = merge(merged[name], value);
    else merged[name] = value;
  }
  return merged;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isJsonObject = (value: unknown): value is JsonObject => isRecord(value);
