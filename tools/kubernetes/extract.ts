// Development tool: reads the Go types of Kubernetes' API and writes the numbers, names and types
// of their protobuf fields to data/messages.json, which decode.ts loads
// (`node tools/kubernetes/extract.ts K8S_IO_API_DIR K8S_IO_APIMACHINERY_DIR`).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  builtinLines,
  splitApiVersion,
  transportKinds,
} from '#src/devcluster/schema/builtin-table.ts';

const [apiDir = '', machineryDir = ''] = process.argv.slice(2);

/** `core/v1` to the source of its types. */
function sourceOf(place: string): string {
  const file =
    place === 'meta/v1'
      ? join(machineryDir, 'pkg/apis/meta/v1/types.go')
      : join(apiDir, place, 'types.go');
  return readFileSync(file, 'utf8');
}

interface Place {
  readonly structs: ReadonlyMap<string, string>;
  /** `type X []string`, `type X map[...]...`, `type X string`. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Import name to place. */
  readonly imports: ReadonlyMap<string, string>;
}

const places = new Map<string, Place>();

function placeOf(place: string): Place {
  const known = places.get(place);
  if (known !== undefined) return known;
  const source = sourceOf(place);
  const structs = new Map<string, string>();
  for (const [, name = '', body = ''] of source.matchAll(
    /^type (\w+) struct \{\n([\s\S]*?)^\}/gm,
  )) {
    structs.set(name, body);
  }
  const aliases = new Map<string, string>();
  for (const [, name = '', target = ''] of source.matchAll(
    /^\s*type (\w+) ((?:\[\]|map\[|\w)[^\s{]*)$/gm,
  )) {
    aliases.set(name, target);
  }
  const imports = new Map<string, string>();
  for (const [, name = '', group = '', version = ''] of source.matchAll(
    /^\s+(\w*)\s*"k8s\.io\/(?:api|apimachinery\/pkg\/apis)\/(\w+)\/(\w+)"/gm,
  )) {
    imports.set(name === '' ? version : name, `${group}/${version}`);
  }
  const made = { structs, aliases, imports };
  places.set(place, made);
  return made;
}

const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'bool',
  int32: 'int',
  int64: 'int',
  uint32: 'int',
  uint64: 'int',
  int: 'int',
  float64: 'double',
  '[]byte': 'bytes',
  'types.UID': 'string',
  'types.NodeName': 'string',
  'resource.Quantity': 'quantity',
  'intstr.IntOrString': 'intOrString',
  'runtime.RawExtension': 'raw',
  'types.PatchType': 'string',
};
const wellKnown: Readonly<Record<string, string>> = {
  'meta/v1.Time': 'time',
  'meta/v1.MicroTime': 'microTime',
  'meta/v1.Duration': 'duration',
  'meta/v1.FieldsV1': 'raw',
};

type Messages = Record<string, Record<string, [name: string, type: string]>>;
const messages: Messages = {};

/** The type of a Go expression seen from a place; adds the messages that it needs. */
function typeOf(place: string, expression: string): string {
  const scalar = scalars[expression];
  if (scalar !== undefined) return scalar;
  if (expression.startsWith('*')) return `*${typeOf(place, expression.slice(1))}`;
  if (expression.startsWith('[]')) return `[]${typeOf(place, expression.slice(2))}`;
  const map = /^map\[[^\]]+\](.+)$/.exec(expression);
  if (map !== null) return `{}${typeOf(place, map[1] ?? '')}`;
  const [prefix, name] = expression.includes('.') ? expression.split('.') : ['', expression];
  const home = prefix === '' ? place : placeOf(place).imports.get(prefix ?? '');
  if (home === undefined || name === undefined) throw new Error(`${place}: what is ${expression}?`);
  const full = `${home}.${name}`;
  if (wellKnown[full] !== undefined) return wellKnown[full];
  const alias = placeOf(home).aliases.get(name);
  if (alias === '[]string') return 'strings';
  if (alias !== undefined) return typeOf(home, alias);
  addMessage(home, name);
  return full;
}

const field = /^\s*(?:(\w+)\s+)?([\w.*[\]]+)\s+`json:"([^"]*)"[^`]*?protobuf:"([^"]*)"/;

function addMessage(place: string, name: string): void {
  const full = `${place}.${name}`;
  if (messages[full] !== undefined) return;
  const body = placeOf(place).structs.get(name);
  if (body === undefined) throw new Error(`no struct ${full}`);
  const fields: Messages[string] = {};
  messages[full] = fields;
  for (const line of body.split('\n')) {
    const match = field.exec(line);
    if (match === null) continue;
    const [, , expression = '', json = '', tag = ''] = match;
    const number = tag.split(',')[1] ?? '';
    const [key = ''] = json.split(',');
    const inline = key === '' && json.includes('inline');
    fields[number] = [key, `${inline ? '^' : ''}${typeOf(place, expression)}`];
  }
}

/** `rbac.authorization.k8s.io` to `rbac`; the core group to `core`. */
const folderOf = (group: string): string => {
  const [first = ''] = group.split('.');
  return { '': 'core', internal: 'apiserverinternal' }[first] ?? first;
};

const elsewhere = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);
const kinds: Record<string, string> = {};
const served = builtinLines.map(({ apiVersion, kind }) => [apiVersion, kind] as const);
const meta = new Set(['Status', 'DeleteOptions', 'WatchEvent', 'APIGroupList', 'APIResourceList']);
for (const [apiVersion, kind] of [...served, ...transportKinds]) {
  const [group, version] = splitApiVersion(apiVersion);
  if (elsewhere.has(group) || kind === 'WatchEvent') continue;
  const place = meta.has(kind) ? 'meta/v1' : `${folderOf(group)}/${version}`;
  addMessage(place, kind);
  kinds[`${apiVersion}/${kind}`] = `${place}.${kind}`;
}
const lines = Object.entries(messages).map(
  ([name, fields]) => `    ${JSON.stringify(name)}: ${JSON.stringify(fields)}`,
);
const head = `{\n  "kinds": ${JSON.stringify(kinds)},\n`;
const text = `${head}  "messages": {\n${lines.join(',\n')}\n  }\n}\n`;
writeFileSync(
  fileURLToPath(new URL('../../src/devcluster/protobuf/data/messages.json', import.meta.url)),
  text,
);
