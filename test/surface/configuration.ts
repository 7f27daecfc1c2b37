// The configuration file: docs/configuration.md for people, a flat list for the diff.
import type { Field } from '#src/config/field.ts';
import { operatorApiVersion, operatorKind } from '#src/config/operator.ts';
import { apiVersion, kind, schema } from '#src/config/schema.ts';
import { answerMs, maxBodyBytes, maxBodyDepth, webhookTimeoutMs } from '#src/admission/limits.ts';
import { admissionLimits, costlyAtOnce, plainLimits, type ServerLimits } from '#src/http/limits.ts';
import {
  handedOnAtOnce,
  questionLimits,
  questionsAtOnce,
  reviewMs,
} from '#src/questions/limits.ts';
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
    'The Helm chart takes this file as its value `config`. The CRDs of a module are in a subchart, `charts/coppice/charts/<module>`, which',
    '`config.modules.<module>` switches too: absent is on, as here. Helm installs CRDs with the first installation of a release; it never upgrades',
    'or deletes them. After an upgrade of the chart, and where a module is switched on later, apply them:',
    '`helm show crds charts/coppice/charts/grove | kubectl apply --server-side --force-conflicts -f -`.',
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
    '',
    ...limits(),
  );

const meanings: Readonly<Record<keyof ServerLimits, string>> = {
  connections:
    'Connections at once; beyond, one that never asked anything goes, else one that waits.',
  connectionsPerPeer: 'Of them, from one address; beyond, one of the same address goes.',
  helloMs:
    'Milliseconds to the first byte; of those that never asked anything later ones go first.',
  graceMs:
    'Milliseconds in which a connection does not go for another while there is an older one.',
  handshakeMs: 'Milliseconds from the connection to the end of the TLS handshake.',
  headerMs: 'To the end of the header of a request.',
  requestMs: 'To the end of a request.',
  sendMs: 'From the end of an answer until the peer has taken it.',
  idleMs: 'Between two requests.',
  checkMs: 'How often header and request are looked at.',
  headerBytes: 'Bytes of a header.',
};

const limits = (): string[] => [
  '## Limits of the servers',
  '',
  'They are no settings (`src/http/limits.ts`, `src/admission/limits.ts`). Of the connections that may go it is the one that',
  'has waited longest, of the peer that has most; none goes that is being answered. So probes and API servers always get in.',
  '',
  ...table(
    ['limit', 'probes, metrics, actors', 'webhooks', 'meaning'],
    (Object.keys(meanings) as (keyof ServerLimits)[]).map((name) => [
      `\`${name}\``,
      String(plainLimits[name]),
      String(admissionLimits[name]),
      meanings[name],
    ]),
  ),
  '',
  `At most ${costlyAtOnce} requests at once for each of \`/metrics\` and \`/actors\`; the next is answered with 429. A webhook answers`,
  `within ${answerMs} ms, an API server waits ${webhookTimeoutMs} ms, and a review has at most ${maxBodyBytes} bytes`,
  `and is nested at most ${maxBodyDepth} deep; large ones are parsed one at a time, with pauses. The question server has the limits of`,
  `plain HTTP, but ${questionLimits.headerBytes} bytes of a header; ${questionsAtOnce} questions at once, ${handedOnAtOnce} of them handed on, and ${reviewMs} ms to review who asks.`,
];
