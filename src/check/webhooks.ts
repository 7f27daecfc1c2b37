// Are the admission webhooks registered, for this installation, trusted by the API server, and is
// there a Service that leads to them? And are the certificates in force?
import { X509Certificate } from 'node:crypto';
import { at, list, numberOf, text, word } from '#machines/kubernetes/json.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import { configurationPath } from '#src/admission/registration.ts';
import { enabledWebhooks } from '#src/admission/webhooks.ts';
import { isSuccess } from '#src/kube/errors.ts';
import {
  type Check,
  fine,
  type Finding,
  found,
  type Installation,
  notLooked,
  read,
  unreadable,
} from './finding.ts';

export const webhooksCheck: Check = {
  title: 'admission webhooks',
  run: async (installation) => {
    const { configuration } = installation.configured;
    if (!configuration.admission.enabled || !configuration.modules.grove) return fine;
    const ca = await authoritiesOf(installation);
    const findings: Finding[] = [];
    for (const webhook of enabledWebhooks(configuration.authorizer.enabled)) {
      const response = await read(installation.transport, configurationPath(webhook));
      const why = unreadable(response, 'webhook configurations');
      if (why !== undefined) return notLooked(why);
      if (isSuccess(response)) {
        findings.push(...(await judge(installation, webhook.configuration, response.body, ca)));
      } else
        findings.push(unregistered(webhook.configuration, configuration.admission.registration));
    }
    return found(...distinct(findings));
  },
};

const unregistered = (name: string, registration: string): Finding => ({
  code: 'webhook-missing',
  what: `the webhook configuration ${name} is missing: objects are neither checked nor completed`,
  hint:
    registration === 'none'
      ? 'admission.registration is none, so apply it yourself, or set it to service'
      : 'the controller registers it at its start: restart it, and read its log',
});

async function judge(
  { transport, namespace }: Installation,
  name: string,
  configuration: unknown,
  ca: string | undefined,
): Promise<readonly Finding[]> {
  const [webhook] = list(at(configuration, 'webhooks'));
  const bundle = Buffer.from(text(at(webhook, 'clientConfig', 'caBundle')), 'base64').toString();
  const isTrusted = ca === undefined ? bundle.includes('BEGIN CERTIFICATE') : shares(bundle, ca);
  const trust: readonly Finding[] = isTrusted ? [] : [untrusted(name, bundle)];
  const service = at(webhook, 'clientConfig', 'service');
  if (service === undefined) return trust;
  const where = text(at(service, 'namespace'));
  const called = text(at(service, 'name'));
  if (where !== namespace) {
    return [...trust, elsewhere(name, `${where}/${called}`, namespace)];
  }
  const path = `/api/v1/namespaces/${encodeURIComponent(where)}/services/${encodeURIComponent(called)}`;
  const response = await read(transport, path);
  const port = numberOf(at(service, 'port')) ?? 443;
  const ports = list(at(response.body, 'spec', 'ports')).map((one) => at(one, 'port'));
  if (response.status !== 404 && (!isSuccess(response) || ports.includes(port))) return trust;
  const what =
    response.status === 404
      ? `the webhook ${name} leads to Service ${where}/${called}, which is missing`
      : `the webhook ${name} leads to port ${port} of Service ${where}/${called}, which it has not`;
  return [...trust, { code: 'webhook-service', what, hint: 'helm upgrade makes it anew' }];
}

const untrusted = (name: string, bundle: string): Finding => ({
  code: 'webhook-not-trusted',
  what:
    bundle === ''
      ? `the webhook ${name} has no caBundle, so the API server refuses its certificate`
      : `the caBundle of the webhook ${name} is of another authority than its certificate`,
  hint: 'the controller writes it: restart it; if that does not help, it may not update the object',
});

const elsewhere = (name: string, service: string, namespace: string): Finding => ({
  code: 'webhook-service',
  what: `the webhook ${name} leads to Service ${service}, but the controller is in ${namespace}`,
  hint: 'another installation registered it: remove one of the two',
});

/** True where a certificate of one is among those of the other. */
const shares = (a: string, b: string): boolean =>
  certificatesIn(a).some((certificate) => certificatesIn(b).includes(certificate));

const certificatesIn = (pem: string): readonly string[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []).map((one) =>
    one.replaceAll(/\s/g, ''),
  );

/** Undefined where the Secret may not be read, or there is none. */
async function authoritiesOf(installation: Installation): Promise<string | undefined> {
  const { certificates } = installation.configured.configuration.admission;
  const response = await readSecret(installation, certificates.secretName);
  const ca = word(at(response.body, 'data', 'ca.crt'));
  return ca === undefined ? undefined : Buffer.from(ca, 'base64').toString('utf8');
}

const readSecret = ({ transport, namespace }: Installation, name: string) =>
  read(
    transport,
    `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`,
  );

export const certificatesCheck: Check = {
  title: 'certificates',
  run: async (installation) => {
    const { admission, questions, modules } = installation.configured.configuration;
    const isAutomatic = admission.certificates.mode === 'auto';
    const names = [
      ...(admission.enabled && modules.grove && isAutomatic
        ? [admission.certificates.secretName]
        : []),
      ...(questions.enabled ? [questions.secretName] : []),
    ];
    const findings: Finding[] = [];
    for (const name of names) {
      const response = await readSecret(installation, name);
      const why = unreadable(response, `Secret ${name}`);
      if (why !== undefined) return notLooked(why);
      const pem = Buffer.from(text(at(response.body, 'data', 'tls.crt')), 'base64').toString();
      const problem = problemOf(pem, installation.clock.now());
      if (problem === undefined) continue;
      const what = `the certificate in Secret ${installation.namespace}/${name} ${problem}`;
      const hint = 'a running controller renews it: look whether one runs and may write the Secret';
      findings.push({ code: 'certificate-expired', what, hint });
    }
    return { findings };
  },
};

function problemOf(pem: string, now: number): string | undefined {
  if (!pem.includes('BEGIN CERTIFICATE')) return 'is missing';
  const { validTo, validFrom } = new X509Certificate(pem);
  const [end, begin] = [Date.parse(validTo), Date.parse(validFrom)];
  if (now >= end) return `ended at ${rfc3339(end)}`;
  return now < begin ? `begins only at ${rfc3339(begin)}` : undefined;
}

const distinct = (findings: readonly Finding[]): readonly Finding[] => [
  ...new Map(findings.map((one) => [one.what, one])).values(),
];
