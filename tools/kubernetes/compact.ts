// Development tool: turns Kubernetes' published swagger.json into the one compact data file that
// the embedded cluster loads (`node tools/kubernetes/compact.ts --kubernetes 1.35.5
// SWAGGER [V3_DIR]`). Kept: types, formats, required, lists' and maps' merge rules, kinds; dropped:
// every description.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { builtinLines, transportKinds } from '#src/devcluster/schema/builtin-table.ts';
import { isRecord } from '#src/devcluster/schema/record.ts';

type Node = Record<string, unknown>;
type Definitions = Record<string, Node>;

const refPrefix = '#/definitions/';
const kindKey = 'x-kubernetes-group-version-kind';
const dropped = new Set(['description', 'x-kubernetes-unions']);

/** Names of the definitions that describe a served kind, its list, or a transport kind. */
function rootNames(definitions: Definitions): string[] {
  const wanted = new Set<string>();
  for (const line of builtinLines) {
    wanted.add(`${line.apiVersion}|${line.kind}`);
    wanted.add(`${line.apiVersion}|${line.kind}List`);
  }
  for (const [apiVersion, kind] of transportKinds) wanted.add(`${apiVersion}|${kind}`);
  return Object.entries(definitions)
    .filter(([, definition]) => kindsOf(definition).some((kind) => wanted.has(kind)))
    .map(([name]) => name);
}

function kindsOf(definition: Node): string[] {
  const list = definition[kindKey];
  if (!Array.isArray(list)) return [];
  return list.filter(isRecord).map((entry) => {
    const group = String(entry['group']);
    const version = String(entry['version']);
    return `${group === '' ? version : `${group}/${version}`}|${String(entry['kind'])}`;
  });
}

/** A copy without descriptions; `seen` gets the name of every definition that it points at. */
function strip(node: unknown, seen: (name: string) => void, insideProperties = false): unknown {
  if (Array.isArray(node)) return node.map((item) => strip(item, seen));
  if (!isRecord(node)) return node;
  const result: Node = {};
  for (const [key, value] of Object.entries(node)) {
    if (!insideProperties && dropped.has(key)) continue;
    if (key === '$ref' && typeof value === 'string') seen(value.slice(refPrefix.length));
    result[key] = strip(value, seen, key === 'properties' && !insideProperties);
  }
  return result;
}

/** Kinds that every group shares (DeleteOptions) list all groups of Kubernetes: keep the served. */
function narrowKinds(definition: Node): void {
  const list = definition[kindKey];
  if (!Array.isArray(list) || list.length < 2) return;
  const served = new Set(builtinLines.map((line) => line.apiVersion));
  definition[kindKey] = list.filter((entry) => {
    if (!isRecord(entry)) return false;
    const { group, version } = entry;
    return served.has(group === '' ? String(version) : `${String(group)}/${String(version)}`);
  });
}

/** Defaults that say something (not the zero of the type), from the v3 documents. */
function copyDefaults(target: Definitions, directory: string): number {
  let copied = 0;
  for (const file of readdirSync(directory).filter((name) => name.endsWith('_openapi.json'))) {
    const document: unknown = JSON.parse(readFileSync(join(directory, file), 'utf8'));
    const components = isRecord(document) ? document['components'] : undefined;
    const schemas = isRecord(components) ? components['schemas'] : undefined;
    if (!isRecord(schemas)) continue;
    for (const [name, schema] of Object.entries(schemas)) {
      const known = target[name]?.['properties'];
      const properties = isRecord(schema) ? schema['properties'] : undefined;
      if (!isRecord(known) || !isRecord(properties)) continue;
      for (const [field, property] of Object.entries(properties)) {
        const into = known[field];
        const value = isRecord(property) ? property['default'] : undefined;
        if (!isRecord(into) || !value || isRecord(value) || into['default'] === value) continue;
        into['default'] = value;
        copied += 1;
      }
    }
  }
  return copied;
}

/** The definitions reachable from the served kinds, stripped, by name. */
export function compactDefinitions(definitions: Definitions): Definitions {
  const result: Definitions = {};
  const pending = rootNames(definitions);
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const definition = definitions[name];
    if (result[name] !== undefined || definition === undefined) continue;
    const stripped = strip(definition, (next) => pending.push(next));
    if (!isRecord(stripped)) continue;
    narrowKinds(stripped);
    result[name] = stripped;
  }
  return Object.fromEntries(Object.entries(result).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function main(): void {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { kubernetes: { type: 'string' } },
  });
  const [swaggerPath, v3Directory] = positionals;
  const version = values.kubernetes;
  if (swaggerPath === undefined || version === undefined) {
    console.error('usage: compact.ts --kubernetes VERSION SWAGGER_JSON [OPENAPI_V3_DIRECTORY]');
    process.exitCode = 2;
    return;
  }
  const swagger: unknown = JSON.parse(readFileSync(swaggerPath, 'utf8'));
  const all = isRecord(swagger) ? swagger['definitions'] : undefined;
  if (!isRecord(all)) throw new Error(`${swaggerPath}: no "definitions", so no swagger 2.0 file`);
  const source: Definitions = {};
  for (const [name, value] of Object.entries(all)) if (isRecord(value)) source[name] = value;
  const definitions = compactDefinitions(source);
  const defaults = v3Directory === undefined ? 0 : copyDefaults(definitions, v3Directory);
  const path = fileURLToPath(
    new URL('../../src/devcluster/schema/data/kubernetes.json', import.meta.url),
  );
  const text = JSON.stringify({ version, definitions });
  writeFileSync(path, `${text}\n`);
  const found = new Set(Object.values(definitions).flatMap(kindsOf));
  const count = Object.keys(definitions).length;
  console.error(`${count} definitions, ${defaults} defaults, ${text.length} bytes`);
  for (const line of builtinLines)
    if (!found.has(`${line.apiVersion}|${line.kind}`))
      console.error(`missing: ${line.apiVersion} ${line.kind}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
