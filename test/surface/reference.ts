// docs/reference/<group>.md: every field of the CRDs of an API group with its type, default and
// description, printer columns, rules, and what the original has not.
import { isRecord } from '#src/devcluster/schema/record.ts';
import { builtInOf } from '#tools/crds/inline.ts';
import type { Definition, Shape, Version } from '#tools/crds/shapes.ts';
import { type Addition, additions } from './additions.ts';
import { allDefinitions } from './client.ts';
import { kubernetesVersion } from '#src/devcluster/schema/definitions.ts';
import { generatedBy, page, table } from './page.ts';
import { fieldsOf, isCondition, rulesOf, type Field } from './reference-fields.ts';

/** What each group is for. */
const groups: Readonly<Record<string, string>> = {
  'grove.io': 'Workloads that Grove defines: sets of cliques, and what they are made of.',
  'scheduler.grove.io': 'What a controller of workloads tells a scheduler of gangs.',
  'resource.nvidia.com':
    "Domains of nodes that share memory over NVLink, as NVIDIA's DRA driver has.",
  'agents.x-k8s.io': 'Sandboxes, as agent-sandbox defines them.',
  'extensions.agents.x-k8s.io': 'Templates, warm pools and claims of Sandboxes.',
};

const mark = '**Coppice**';

const additionsOf = (kind: string, what: Addition['what']): readonly Addition[] =>
  additions.filter((one) => one.kind === kind && one.what === what);

/** Throws where an addition is of nothing that is there. */
function hold(kind: string, what: Addition['what'], there: readonly string[]): void {
  for (const { name } of additionsOf(kind, what)) {
    if (!there.includes(name)) throw new Error(`${kind} has no ${what} ${name}`);
  }
}

const marked = (kind: string, what: Addition['what'], name: string): string =>
  additionsOf(kind, what).some((one) => one.name === name) ? ` ${mark}` : '';

const release = kubernetesVersion.split('.').slice(0, 2).join('.');

/** `io.k8s.api.core.v1.PodSpec` has the anchor podspec-v1-core. */
function linkOf(name: string): string {
  const [short = '', version = '', group = ''] = name.split('.').toReversed();
  const groupOf = name.includes('networking') ? 'networking-k8s-io' : group;
  const anchor = `${short}-${version}-${groupOf}`.toLowerCase();
  const site = 'https://kubernetes.io/docs/reference/generated/kubernetes-api';
  return `[${short}](${site}/v${release}/#${anchor})`;
}

const conditionLink =
  '[Condition](https://kubernetes.io/docs/reference/generated/kubernetes-api/' +
  `v${release}/#condition-v1-meta)`;

const typeOf = ({ schema, isRequired }: Field): string => {
  const known = builtInOf(schema);
  const needed = isRequired ? ', required' : '';
  if (known !== undefined) return `${linkOf(known)}${needed}`;
  const { enum: values, type, format, items, additionalProperties } = schema;
  if (Array.isArray(values)) {
    return `${values.map((value) => `\`${String(value)}\``).join(', ')}${needed}`;
  }
  if (isRecord(items)) {
    const item = isCondition(items)
      ? conditionLink
      : typeOf({ path: '', schema: items, isRequired: false });
    return `list of ${item}${needed}`;
  }
  if (isRecord(additionalProperties)) return `map of string${needed}`;
  return `${typeof format === 'string' ? format : String(type)}${needed}`;
};

/** `1..63 characters`, `at least 0`. */
function rangeOf(least: unknown, most: unknown, unit: string): readonly string[] {
  if (least === undefined && most === undefined) return [];
  const words =
    least === undefined
      ? `at most ${String(most)}`
      : most === undefined
        ? `at least ${String(least)}`
        : `${String(least)} to ${String(most)}`;
  return [`; ${words}${unit}`];
}

const limitsOf = ({ minimum, maximum, ...more }: Shape): string =>
  [
    ...rangeOf(minimum, maximum, ''),
    ...rangeOf(more['minItems'], more['maxItems'], ' items'),
    ...rangeOf(more['minLength'], more['maxLength'], ' characters'),
  ].join('');

const row = (kind: string, field: Field): readonly string[] => [
  `\`${field.path}\`${marked(kind, 'field', field.path)}`,
  `${typeOf(field)}${limitsOf(field.schema)}`,
  field.schema['default'] === undefined ? '' : `\`${JSON.stringify(field.schema['default'])}\``,
  String(field.schema['description'] ?? ''),
];

const fieldTable = (kind: string, fields: readonly Field[]): readonly string[] =>
  table(
    ['field', 'type', 'default', 'description'],
    fields.map((field) => row(kind, field)),
  );

/** What of the older version is not as in the stored one, and what it has not. */
function olderOf(kind: string, stored: readonly Field[], older: Version): readonly string[] {
  const fields = fieldsOf(older.schema);
  const before = new Map(stored.map((field) => [field.path, row(kind, field).join('|')]));
  const other = fields.filter((field) => before.get(field.path) !== row(kind, field).join('|'));
  const paths = new Set(fields.map(({ path }) => path));
  const missing = stored
    .filter(({ path }) => !paths.has(path))
    // What is in something that is missing needs no mention.
    .filter(({ path }) => paths.has(path.replace(/(?:\[\])?\.[^.]+$/, '')))
    .map(({ path }) => `\`${path}\``);
  return [
    `### ${kind} ${older.version}, deprecated`,
    '',
    'Served beside the stored version and converted; new manifests should not use it.',
    ...(missing.length === 0 ? [] : [`It has no ${missing.join(', ')}.`]),
    ...(other.length === 0 ? [] : ['What differs:', '', ...fieldTable(kind, other)]),
    '',
  ];
}

function headOf(definition: Definition): readonly string[] {
  const { group, version, kind, plural, shortName, scope, scaleSelector } = definition;
  const parts = [
    ...(definition.isWithoutStatus === true ? [] : ['`status`']),
    ...(scaleSelector === undefined ? [] : ['`scale`']),
  ];
  return [
    `## ${kind}`,
    '',
    String(definition.schema['description']),
    '',
    ...table(
      ['apiVersion', 'resource', 'short name', 'scope', 'subresources'],
      [
        [
          `\`${group}/${version}\``,
          `\`${plural}\``,
          shortName === undefined ? '' : `\`${shortName}\``,
          scope,
          parts.join(', '),
        ],
      ],
    ),
    '',
  ];
}

const namesOf = (kind: string, what: Addition['what'], names: readonly string[]): string =>
  names.map((name) => `\`${name}\`${marked(kind, what, name)}`).join(', ');

function kindOf(definition: Definition): readonly string[] {
  const { kind, columns, schema, deprecated } = definition;
  const fields = fieldsOf(schema);
  const rules = rulesOf(schema);
  hold(
    kind,
    'field',
    fields.map(({ path }) => path),
  );
  hold(
    kind,
    'column',
    columns.map(({ name }) => name),
  );
  hold(
    kind,
    'rule',
    rules.map(({ message }) => message),
  );
  const conditions = additionsOf(kind, 'condition');
  return [
    ...headOf(definition),
    ...fieldTable(kind, fields),
    '',
    ...(columns.length === 0
      ? []
      : [
          `Columns of \`kubectl get\`: ${namesOf(
            kind,
            'column',
            columns.map(({ name }) => name),
          )}.`,
          '',
        ]),
    ...(conditions.length === 0
      ? []
      : [...conditions.map(({ name, why }) => `- Condition \`${name}\` ${mark}: ${why}.`), '']),
    ...(rules.length === 0
      ? []
      : [
          'Rules that the API server itself holds:',
          '',
          ...table(
            ['at', 'says'],
            rules.map(({ path, message }) => [
              path === '' ? 'the object' : `\`${path}\``,
              `${message}${marked(kind, 'rule', message)}`,
            ]),
          ),
          '',
        ]),
    ...(deprecated === undefined ? [] : olderOf(kind, fields, deprecated)),
  ];
}

const pageOf = (group: string, about: string): string =>
  page(
    `# ${group}`,
    '',
    generatedBy('tools/crds'),
    '',
    `${about} A list field is written with \`[]\`, what is behind a link is as in`,
    `Kubernetes ${release}. ${mark} marks what the original has not; everything else is`,
    'as it is there. Rules beyond the schema are in [admission](../admission.md), the states of each kind in',
    '[charts](../charts.md), types for TypeScript in [the client](../typescript-client.md).',
    '',
    ...allDefinitions()
      .filter((definition) => definition.group === group)
      .flatMap(kindOf)
      .slice(0, -1),
  );

const overview = (): string =>
  page(
    '# API reference',
    '',
    generatedBy('tools/crds'),
    '',
    ...Object.entries(groups).map(([group, about]) => `- [${group}](${group}.md): ${about}`),
    '',
    ...table(
      ['kind', 'apiVersion', 'short name'],
      allDefinitions().map(({ kind, group, version, shortName = '' }) => [
        `[${kind}](${group}.md#${kind.toLowerCase()})`,
        `\`${group}/${version}\``,
        shortName,
      ]),
    ),
  );

/** Path to text. */
export const referencePages = (): Readonly<Record<string, string>> => ({
  'docs/reference/README.md': overview(),
  ...Object.fromEntries(
    Object.entries(groups).map(([group, about]) => [
      `docs/reference/${group}.md`,
      pageOf(group, about),
    ]),
  ),
});
