// Looks at an installation by all checks, one after the other. Called by `coppice check` and
// `kubectl coppice check`, which print what it finds in the same words.
import { at, list, object, text, textOf } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { decodeText, defaultConfiguration } from '#src/config/decode.ts';
import { failureOf, isSuccess, unreachable } from '#src/kube/errors.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { busCheck } from './bus.ts';
import { parkedCheck, serverCheck } from './cluster.ts';
import { crdsCheck } from './crds.ts';
import {
  type Check,
  type Configured,
  type Finding,
  findingCodes,
  type Installation,
  notLooked,
  read,
  type Result,
} from './finding.ts';
import { clocksCheck, leasesCheck } from './leases.ts';
import { permissionsCheck } from './permissions.ts';
import { configurationCheck, othersCheck, podsCheck } from './pods.ts';
import { certificatesCheck, webhooksCheck } from './webhooks.ts';

/** What must be there for the rest to be asked comes first. */
const checks: readonly Check[] = [
  serverCheck,
  clocksCheck,
  configurationCheck,
  podsCheck,
  othersCheck,
  crdsCheck,
  permissionsCheck,
  webhooksCheck,
  certificatesCheck,
  leasesCheck,
  busCheck,
  parkedCheck,
];

export interface Report {
  readonly results: readonly (Result & { readonly title: string })[];
}

export const isBroken = ({ results }: Report): boolean =>
  results.some(({ findings }) =>
    findings.some(({ code }) => findingCodes[code].level === 'problem'),
  );

/** Never rejects for what is wrong with the cluster: that is a finding. */
export async function checkInstallation(installation: Installation): Promise<Report> {
  const results: Report['results'][number][] = [];
  for (const { title, run } of checks) {
    const result = await run(installation).catch((error: unknown) =>
      notLooked(unreachable(error).message),
    );
    results.push({ title, ...result });
    // Every other check would say the same.
    if (result.findings.some(({ code }) => code === 'server-unreachable')) break;
  }
  return { results };
}

const selector = new URLSearchParams({
  labelSelector: 'app.kubernetes.io/name=coppice',
}).toString();

/** In the namespace, or in all of them; undefined: they may not be listed. */
export async function podsOf(
  transport: KubeTransport,
  namespace: string | undefined,
): Promise<readonly JsonObject[] | undefined> {
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const response = await read(transport, `/api/v1${scope}/pods?${selector}`);
  return isSuccess(response) ? list(at(response.body, 'items')).map(object) : undefined;
}

/** From the ConfigMap that the pods mount; the default where they mount none. */
export async function configuredBy(
  transport: KubeTransport,
  pod: JsonObject | undefined,
): Promise<Configured> {
  const byDefault = { configuration: defaultConfiguration, problems: [] };
  const volumes = list(at(pod, 'spec', 'volumes'));
  const name = volumes
    .map((one) => textOf(at(one, 'configMap', 'name')))
    .find((one) => one !== undefined);
  if (name === undefined) return { origin: 'default configuration', ...byDefault };
  const namespace = text(at(pod, 'metadata', 'namespace'));
  const origin = `ConfigMap ${namespace}/${name}`;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps/${encodeURIComponent(name)}`;
  const response = await read(transport, path);
  if (!isSuccess(response)) {
    const problem = `it cannot be read: ${failureOf(response).message}`;
    return { origin, ...byDefault, problems: response.status === 404 ? [problem] : [] };
  }
  return decoded(origin, text(at(response.body, 'data', 'config.yaml')));
}

/** Of the text of a configuration file. */
export function decoded(origin: string, content: string): Configured {
  const result = decodeText(content);
  if (result.ok) return { origin, configuration: result.configuration, problems: [] };
  const problems = result.problems.map(({ path, message }) => `${path} ${message}`.trim());
  return { origin, configuration: defaultConfiguration, problems };
}

/** As lines: one for each check, and below it what it has found. */
export function reportLines(
  { results }: Report,
  mark: (level: 'ok' | 'unknown' | 'warning' | 'problem') => string,
): readonly string[] {
  return results.flatMap(({ title, findings, notLooked: why }) => [
    `${mark(levelOf(findings, why))} ${title}${why === undefined ? '' : `: not looked at, ${why}`}`,
    ...findings.flatMap(({ code, what, hint }) => [`    ${code}: ${what}`, `      hint: ${hint}`]),
  ]);
}

function levelOf(findings: readonly Finding[], why: string | undefined) {
  if (findings.some(({ code }) => findingCodes[code].level === 'problem')) return 'problem';
  if (findings.length > 0) return 'warning';
  return why === undefined ? 'ok' : 'unknown';
}
