// The configuration file: docs/configuration.md for people, a flat list for the diff.
import type { Field } from '#src/config/field.ts';
import { operatorApiVersion, operatorKind } from '#src/config/operator.ts';
import { apiVersion, kind, schema } from '#src/config/schema.ts';
import { generatedBy, page, table } from './page.ts';

interface Row {
  readonly path: string;
  readonly type: string;
  readonly fallback: string;
  readonly doc: string;
  /** Holds other fields: a heading, not a value. */
  readonly isSection: boolean;
}

function rowsOf(fields: Readonly<Record<string, Field<unknown>>>, prefix: string): readonly Row[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const isPlain = field.type === 'an object';
    const below = isPlain ? '' : '[]';
    const row = {
      path,
      type: field.type,
      fallback: isPlain ? '' : shown(field.fallback),
      doc: field.doc,
      isSection: isPlain,
    };
    return [row, ...(field.fields === undefined ? [] : rowsOf(field.fields, `${path}${below}.`))];
  });
}

const shown = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));

export const renderConfiguration = (): string =>
  page(
    `${apiVersion} ${kind}`,
    ...rowsOf(schema.fields, '')
      .filter(({ isSection }) => !isSection)
      .map(({ path, type, fallback }) => `${path}: ${type} (default ${fallback})`),
  );

export const configurationPage = (): string =>
  page(
    '# Configuration file',
    '',
    generatedBy('src/config/schema.ts'),
    '',
    `\`coppice controller --config FILE\` reads YAML or JSON of \`apiVersion: ${apiVersion}\`, \`kind: ${kind}\`.`,
    'Every field has a default; a file may set any part. An unknown field is an error: a file with a',
    'mistake is refused as a whole (exit code 2) and all its mistakes are listed with what would be right.',
    '',
    `Grove's own file (\`${operatorApiVersion}\`, \`${operatorKind}\`) is read as it is, leniently as Grove reads`,
    'it: unknown fields are passed over and noted in the log. Its webhooks are served, its log level and format and the',
    'namespace of its lease take effect. Requests are limited only where the file has `runtimeClientConnection`;',
    '`controllers.*.concurrentSyncs` has no counterpart, as actors need no workers.',
    '',
    ...table(
      ['field', 'type', 'default', 'meaning'],
      rowsOf(schema.fields, '').map(({ path, type, fallback, doc, isSection }) =>
        isSection
          ? [`**\`${path}\`**`, '', '', doc]
          : [`\`${path}\``, type, fallback === '' ? '' : `\`${fallback}\``, doc],
      ),
    ),
    '',
    'A file that sets some of them:',
    '',
    '```yaml',
    `apiVersion: ${apiVersion}`,
    `kind: ${kind}`,
    'clientConnection:',
    '  qps: 100',
    '  burst: 150',
    'bus:',
    '  servers: [nats://nats.messaging:4222]',
    '  credentialsFile: /var/run/secrets/nats/coppice.creds',
    'log:',
    '  level: info',
    '  format: json',
    'scheduler:',
    '  profiles:',
    '    - name: kai-scheduler',
    '  defaultProfileName: kai-scheduler',
    '```',
  );
