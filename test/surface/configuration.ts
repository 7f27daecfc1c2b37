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
    'Every field has a default; a file may set any part. An unknown field is an error: a file with an',
    'error is refused as a whole (exit code 2), and the output lists all errors with correct values.',
    '',
    `Coppice also reads Grove's own file (\`${operatorApiVersion}\`, \`${operatorKind}\`), as leniently as Grove`,
    'does: it skips unknown fields and logs them. Its webhooks are served; its log level, log format and lease namespace',
    'take effect. Requests are limited only if the file has `runtimeClientConnection`;',
    '`controllers.*.concurrentSyncs` has no counterpart, as actors need no workers.',
    '',
    'The Helm chart takes this file as its value `config` ([values of the chart](../charts/coppice/README.md#values)), with a few defaults of its own. The',
    'CRDs of a module are in a subchart, `charts/coppice/charts/<module>`, which `config.modules.<module>` also switches;',
    '[how they are upgraded](../charts/coppice/README.md#upgrade).',
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
    'An example file:',
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
    'Connections at once; above that, one that never sent a request is closed, else one that waits.',
  connectionsPerPeer:
    'Connections from one address; above that, one of the same address is closed.',
  helloMs:
    'Milliseconds to the first byte; of those that never sent a request, later ones are closed first.',
  graceMs:
    'Milliseconds in which a connection is not closed for another while there is an older one.',
  handshakeMs: 'Milliseconds from the connection to the end of the TLS handshake.',
  headerMs: 'To the end of the header of a request.',
  requestMs: 'To the end of a request.',
  sendMs: 'From the end of an answer until the peer has read it.',
  idleMs: 'Between two requests.',
  checkMs: 'How often header and request are checked.',
  headerBytes: 'Bytes of a header.',
};

const limits = (): string[] => [
  '## Limits of the servers',
  '',
  'These are not configurable (`src/http/limits.ts`, `src/admission/limits.ts`). The server closes the connection that has waited',
  'longest, of the peer that has most, and never one that is being answered. So probes and API servers always get in.',
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
  `\`/metrics\` and \`/actors\` each serve at most ${costlyAtOnce} requests at once; the next gets a 429. A webhook answers`,
  `within ${answerMs} ms, an API server waits ${webhookTimeoutMs} ms, and a review has at most ${maxBodyBytes} bytes`,
  `and is nested at most ${maxBodyDepth} deep; large ones are parsed one at a time, with pauses. The question server has the limits of`,
  `plain HTTP, except for ${questionLimits.headerBytes} header bytes; ${questionsAtOnce} questions at once, ${handedOnAtOnce} of them forwarded, and ${reviewMs} ms to review the caller.`,
];
