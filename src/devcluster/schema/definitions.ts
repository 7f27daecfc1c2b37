// The OpenAPI definitions of the built-in kinds, loaded once from the compact data file, and the
// resolution of `$ref` in them. Everybody who walks a schema calls `resolve` at each step.
import { readFileSync } from 'node:fs';
import type { Schema } from '../contract.ts';
import { isRecord } from './record.ts';

const refPrefix = '#/definitions/';

function load(): { version: string; definitions: ReadonlyMap<string, Schema> } {
  const url = new URL('./data/kubernetes.json', import.meta.url);
  const data: unknown = JSON.parse(readFileSync(url, 'utf8'));
  const definitions = new Map<string, Schema>();
  const source = isRecord(data) ? data['definitions'] : undefined;
  if (!isRecord(data) || !isRecord(source)) throw new Error(`${url.pathname}: not a data file`);
  for (const [name, value] of Object.entries(source)) {
    if (isRecord(value)) definitions.set(name, value);
  }
  return { version: String(data['version']), definitions };
}

const loaded = load();

/** The Kubernetes release that the built-in definitions were taken from, e.g. `1.35.5`. */
export const kubernetesVersion = loaded.version;

/** All built-in definitions by their OpenAPI name, e.g. `io.k8s.api.core.v1.Pod`. */
export const definitions: ReadonlyMap<string, Schema> = loaded.definitions;

/** The name that a `$ref` points at, undefined where the schema is none. */
export function refName(schema: Schema): string | undefined {
  const ref = schema['$ref'];
  return typeof ref === 'string' && ref.startsWith(refPrefix)
    ? ref.slice(refPrefix.length)
    : undefined;
}

/** The schema behind a `$ref`; any other schema as it is. Throws for a name that is not there. */
export function resolve(schema: Schema): Schema {
  const name = refName(schema);
  if (name === undefined) return schema;
  const target = definitions.get(name);
  if (target === undefined) throw new Error(`no definition named ${name}`);
  return target;
}

const namesByKind = new Map<string, string>();
for (const [name, definition] of definitions) {
  const list = definition['x-kubernetes-group-version-kind'];
  if (!Array.isArray(list)) continue;
  for (const entry of list) {
    if (!isRecord(entry)) continue;
    namesByKind.set(
      `${String(entry['group'])}/${String(entry['version'])}/${String(entry['kind'])}`,
      name,
    );
  }
}

/** The definition name of a kind, undefined for a kind that is not built in. */
export const definitionNameOf = (
  group: string,
  version: string,
  kind: string,
): string | undefined => namesByKind.get(`${group}/${version}/${kind}`);
