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
  'Coppice fills in defaults, refuses invalid objects and protects the objects that it manages, through webhooks',
  'that its process serves over TLS. Names, paths and rules are those of Grove. A refusal lists all errors',
  'of the object at once, in the format of Kubernetes field errors:',
  '',
  '```',
  'Error from server (Forbidden): admission webhook "pcs.validating.webhooks.grove.io" denied the request:',
  '[spec.replicas: Invalid value: -1: must be greater than or equal to 0, spec.template.cliques[0].spec.minAvailable: …]',
  '```',
  '',
  'The examples change a valid set of three cliques, `router` (two pods), `leader` and `worker`, the',
  'last two in the scaling group `decode`; `null` removes a value. A test runs every one of them.',
];

const safety = [
  '## What happens while the controller is away',
  '',
  '`failurePolicy` is `Fail`, so a PodCliqueSet or ClusterTopologyBinding cannot be changed without',
  'validation. Everything else continues: the rules name only these resources, never `status` or `scale`; the',
  'authorizer sees only objects labelled `app.kubernetes.io/managed-by: grove-operator`, and no',
  'requests of users that it trusts. An object that is being deleted is not sent, so finalizers can be removed.',
  '',
  'Unlike Grove, Coppice accepts an update that changes neither spec nor labels nor annotations, whatever',
  'has happened to a queue or topology meanwhile: otherwise finalizers could not be set.',
];

const certificates = [
  '## Certificates',
  '',
  'With `admission.certificates.mode: auto` the process creates an authority and a certificate and keeps',
  'them in the Secret `grove-webhook-server-cert`. Each is replaced at two thirds of its lifetime, in an order',
  'that never interrupts admission: the new authority is trusted next to the old one in every',
  '`caBundle`; five minutes later it signs a new certificate; five minutes after that the old authority',
  'is removed. All replicas read one Secret and write it with the version that they read, so they',
  'agree. Nothing is restarted. With `manual` the process rereads the files `tls.crt` and `tls.key` whenever',
  'they change. If `ca.crt` is beside them, as cert-manager writes it, and the process registers the webhooks, these',
  'trust it; otherwise the provider of the files is responsible for `caBundle`.',
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
    'Active with `authorizer.enabled`. The first matching line decides. The default exemptions are those of',
    'Grove: the garbage collector, the autoscaler, the controller manager, and two users of KAI. A deleted namespace',
    'goes after its sets: until then the authorizer refuses its controller the managed objects, and it retries.',
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
    stages.flat().map((rule: Rule<Subject>) => [
      rule.id,
      `\`${rule.field}\``,
      rule.demands,
      exampleOf(rule.accepts),
      [rule.refuses]
        .flat()
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
