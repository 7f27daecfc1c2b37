// Rules for a PodCliqueSet as a whole (spec api 3.3: V1-V3, V42): metadata, replicas, the order of
// start-up and the delay before a gang is ended.
import { invalid, required } from '#machines/kubernetes/field-errors.ts';
import { object, text } from '#machines/kubernetes/json.ts';
import { validateObjectMeta } from '#machines/kubernetes/object-meta.ts';
import { durationMs } from '#machines/kubernetes/time.ts';
import { examples, type FieldError, fine, type Rule, unless } from '../rule.ts';
import { integerAt, type SetSubject, templatePath } from '../view.ts';
import { quoted } from '../words.ts';

const startupTypes: readonly string[] = [
  'CliqueStartupTypeAnyOrder',
  'CliqueStartupTypeInOrder',
  'CliqueStartupTypeExplicit',
];

const startupPath = `${templatePath}.cliqueStartupType`;
const delayPath = `${templatePath}.terminationDelay`;

export const wholeRules: readonly Rule<SetSubject>[] = [
  {
    id: 'V1',
    field: 'metadata.*',
    demands: 'follow the rules of Kubernetes for metadata; the name is a DNS-1123 subdomain',
    check: ({ set }) =>
      validateObjectMeta({ ...set.raw, metadata: object(set.raw['metadata']) }, true),
    accepts: { given: { 'metadata.name': 'base.a' } },
    refuses: [
      { given: { 'metadata.namespace': null }, says: 'metadata.namespace: Required value' },
      {
        given: { "metadata.labels['a b']": 'x' },
        says:
          'metadata.labels: Invalid value: "a b": name part must consist of alphanumeric' +
          " characters, '-', '_' or '.', and must start and end with an alphanumeric character" +
          " (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is" +
          " '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      },
    ],
  },
  {
    id: 'V2',
    field: 'spec.replicas',
    demands: 'not be negative',
    check: ({ set }) => {
      const replicas = integerAt(set.spec, 'replicas') ?? 0;
      return unless(replicas >= 0, () =>
        invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
      );
    },
    ...examples('spec.replicas', 0, [
      -1,
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ]),
  },
  {
    id: 'V3',
    field: startupPath,
    demands: `be one of ${startupTypes.join(', ')}`,
    check: ({ set: { startupType } }) => checkStartupType(startupType),
    ...examples(
      startupPath,
      'CliqueStartupTypeInOrder',
      [null, `${startupPath}: Required value: must be one of ${quoted(startupTypes)}`],
      [
        'InOrder',
        `${startupPath}: Invalid value: "InOrder": must be one of ${quoted(startupTypes)}`,
      ],
    ),
  },
  {
    id: 'V42',
    field: delayPath,
    demands: 'be a duration above 0',
    check: ({ set }) => checkDelay(text(set.template['terminationDelay'])),
    ...examples(
      delayPath,
      '90s',
      [null, `${delayPath}: Required value: must be a duration above 0, e.g. 4h0m0s`],
      ['0s', `${delayPath}: Invalid value: "0s": must be greater than 0`],
      [
        '4 hours',
        `${delayPath}: Invalid value: "4 hours": must be a duration above 0, e.g. 4h0m0s`,
      ],
    ),
  },
];

function checkStartupType(type: string): readonly FieldError[] {
  const detail = `must be one of ${quoted(startupTypes)}`;
  if (type === '') return [required(startupPath, detail)];
  return unless(startupTypes.includes(type), () => invalid(startupPath, type, detail));
}

function checkDelay(delay: string): readonly FieldError[] {
  const want = 'must be a duration above 0, e.g. 4h0m0s';
  if (delay === '') return [required(delayPath, want)];
  const ms = durationMs(delay);
  if (ms === undefined) return [invalid(delayPath, delay, want)];
  return ms > 0 ? fine : [invalid(delayPath, delay, 'must be greater than 0')];
}
