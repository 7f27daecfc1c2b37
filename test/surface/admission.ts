// docs/admission.md: the rule tables of admission, each rule with what it accepts and refuses.
import { authorizationRules } from '#src/admission/authorize.ts';
import { defaults } from '#src/admission/defaults.ts';
import type { Advice, Example, Rule } from '#src/admission/rule.ts';
import {
  advice,
  bindingSections,
  type Section,
  setSections,
  updateSections,
} from '#src/admission/validate.ts';
import { enabledWebhooks } from '#src/admission/webhooks.ts';
import { generatedBy, page, table } from './page.ts';

/** Written by hand: what the tables cannot say. */
const opening = [
  '# Admission',
  '',
  generatedBy('src/admission'),
  '',
  'Coppice fills in defaults, refuses what cannot work and protects what it manages, as webhooks that',
  'its process serves over TLS. Names, paths and rules are those of Grove. A refusal names every error',
  'of the object at once, each as Kubernetes writes field errors:',
  '',
  '```',
  'Error from server (Forbidden): admission webhook "pcs.validating.webhooks.grove.io" denied the request:',
  '[spec.replicas: Invalid value: -1: must be greater than or equal to 0, spec.template.cliques[0].spec.minAvailable: …]',
  '```',
  '',
  'The examples change a valid set of three cliques, `router` (two pods), `leader` and `worker`, the',
  'last two in the scaling group `decode`; `null` takes a value away. A test runs every one of them.',
];

const safety = [
  '## What happens while the controller is away',
  '',
  '`failurePolicy` is `Fail`, so a PodCliqueSet or ClusterTopologyBinding cannot be changed without being',
  'judged. Everything else goes on: the rules name only these resources, never `status` or `scale`; the',
  'authorizer sees only objects labelled `app.kubernetes.io/managed-by: grove-operator`, and none of the',
  'requests of users that it trusts. An object that is being deleted is not sent, so finalizers can go.',
  '',
  'Unlike Grove, an update that changes neither spec nor labels nor annotations is accepted, whatever',
  'has happened to a queue or topology meanwhile: else finalizers could not be set.',
];

const certificates = [
  '## Certificates',
  '',
  'With `admission.certificates.mode: auto` the process makes an authority and a certificate and keeps',
  'them in the Secret `grove-webhook-server-cert`. At two thirds of its life each is replaced, in an order',
  'that keeps every admission possible: the new authority is trusted beside the old one in every',
  '`caBundle`; five minutes later it signs a new certificate; five minutes after that the old authority',
  'is forgotten. All replicas read one Secret and write it with the version that they read, so they',
  'agree. Nothing is restarted. With `manual` the files `tls.crt` and `tls.key` are read anew whenever they',
  'change, and `caBundle` is the business of whoever writes them.',
];

export const admissionPage = (): string =>
  page(
    ...opening,
    '',
    '## Webhooks',
    '',
    ...table(
      ['configuration', 'webhook', 'path'],
      enabledWebhooks(true).map(({ configuration, name, path }) => [
        `\`${configuration}\``,
        `\`${name}\``,
        `\`${path}\``,
      ]),
    ),
    '',
    ...safety,
    '',
    '## Defaults of a PodCliqueSet',
    '',
    ...table(
      ['id', 'field', 'when', 'value'],
      defaults.map(({ id, field, when, value }) => [id, `\`${field}\``, when, value]),
    ),
    ...setSections.flatMap(rulesOf),
    ...bindingSections.flatMap(rulesOf),
    ...updateSections.flatMap(rulesOf),
    '',
    '## Warnings',
    '',
    ...table(
      ['id', 'field', 'warns', 'example'],
      advice.map(({ id, field, warns, advises }: Advice<never>) => [
        id,
        `\`${field}\``,
        warns,
        exampleOf(advises),
      ]),
    ),
    '',
    '## Authorizer',
    '',
    'With `authorizer.enabled`. The first line that fits decides. Exempt by default are those that Grove',
    'exempts: the garbage collector, the autoscaler, the controller manager, and two of KAI. A namespace',
    'that is deleted goes after its sets: until then its controller is refused what is managed, and tries again.',
    '',
    ...table(
      ['id', 'when', 'verdict'],
      authorizationRules.map(({ id, when, verdict }) => [id, when, verdict]),
    ),
    '',
    ...certificates,
  );

const rulesOf = <Subject>({ title, stages }: Section<Subject>): readonly string[] => [
  '',
  `## ${title}`,
  '',
  ...table(
    ['id', 'field', 'it must', 'accepted', 'refused'],
    stages
      .flat()
      .map((rule: Rule<Subject>) => [
        rule.id,
        `\`${rule.field}\``,
        rule.demands,
        exampleOf(rule.accepts),
        rule.refuses
          .map((refusal) => `${exampleOf(refusal)}: ${saidOf(refusal.says)}`)
          .join('<br>'),
      ]),
  ),
];

const saidOf = (says: string | readonly string[]): string =>
  [says]
    .flat()
    .map((line) => `\`${line.replaceAll(/ \(e\.g\. .*\)/g, ' (…)')}\``)
    .join(' and ');

/** The values that make the example, or the old ones where only those are special. */
function exampleOf({ given = {}, before }: Example): string {
  const now = Object.entries(given).map(([path, value]) => `${path}: ${JSON.stringify(value)}`);
  const then = Object.entries(before ?? {}).map(
    ([path, value]) => `it was ${path}: ${JSON.stringify(value)}`,
  );
  const shown = [...now, ...then].map((each) => `\`${each}\``);
  return shown.length === 0 ? 'the base set' : shown.join(', ');
}
