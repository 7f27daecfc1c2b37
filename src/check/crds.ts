// Are the CRDs there, established, served in a version that Coppice knows, and converted by it
// where they have several?
import { apiGroup, backendOf, kindRow, type Kind, versionsOf } from '#machines/kinds.ts';
import { at, list, text, word } from '#machines/kubernetes/json.ts';
import { isSuccess } from '#src/kube/errors.ts';
import { type Check, type Finding, type Installation, read, unreadable } from './finding.ts';
import { isCustom, moduleOf, neededKinds } from './needed.ts';

export const crdsCheck: Check = {
  title: 'custom resource definitions',
  run: async ({ transport, configured: { configuration } }) => {
    const kinds = neededKinds(configuration).filter(isCustom);
    const findings: Finding[] = [];
    for (const kind of kinds) {
      const name = `${kindRow(kind).plural}.${apiGroup(kind)}`;
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
      const response = await read(transport, path);
      const why = unreadable(response, 'CRDs');
      if (why !== undefined)
        return { findings: await servedOnly(transport, kinds), notLooked: why };
      if (!isSuccess(response)) findings.push(missing(kind, name));
      else findings.push(...judge(kind, name, response.body, configuration));
    }
    return { findings };
  },
};

const applied = (kind: Kind): string =>
  backendOf(kind) === undefined
    ? `kubectl apply --server-side -f charts/coppice/charts/${moduleOf(kind)}/crds`
    : `install ${backendOf(kind)}, or take it out of scheduler.profiles`;

const missing = (kind: Kind, name: string): Finding => ({
  code: 'crd-missing',
  what: `the CRD ${name} is missing`,
  hint: applied(kind),
});

function judge(
  kind: Kind,
  name: string,
  crd: unknown,
  configuration: Installation['configured']['configuration'],
): readonly Finding[] {
  const versions = list(at(crd, 'spec', 'versions'));
  const served = versions
    .filter((one) => at(one, 'served') === true)
    .map((one) => text(at(one, 'name')));
  const known = versionsOf(kind).map((version) => version.split('/')[1] ?? version);
  if (!served.some((version) => known.includes(version))) {
    const what = `the CRD ${name} serves ${served.join(', ') || 'no version'}, not ${known.join(' or ')}`;
    return [{ code: 'crd-version', what, hint: `it is of another release: ${applied(kind)}` }];
  }
  const established = list(at(crd, 'status', 'conditions')).find(
    (condition) => at(condition, 'type') === 'Established',
  );
  if (at(established, 'status') !== 'True') {
    const rejected = list(at(crd, 'status', 'conditions')).find(
      (condition) =>
        at(condition, 'type') === 'NamesAccepted' && at(condition, 'status') === 'False',
    );
    const reason = word(at(rejected, 'message')) ?? 'the API server does not serve it yet';
    const what = `the CRD ${name} is not established: ${reason}`;
    return [{ code: 'crd-not-established', what, hint: 'delete the CRD whose names it shares' }];
  }
  const isOurs = isConverted(name, configuration);
  return isOurs && served.length > 1 ? conversion(name, crd) : [];
}

/** Only those of agent-sandbox have several versions. */
const isConverted = (
  name: string,
  { agentSandbox, admission }: Installation['configured']['configuration'],
): boolean =>
  name.endsWith('agents.x-k8s.io') && admission.enabled && agentSandbox.conversionWebhook;

function conversion(name: string, crd: unknown): readonly Finding[] {
  const strategy = at(crd, 'spec', 'conversion', 'strategy');
  const config = at(crd, 'spec', 'conversion', 'webhook', 'clientConfig');
  const isTrusted = word(at(config, 'caBundle')) !== undefined;
  if (strategy === 'Webhook' && isTrusted) return [];
  const why = strategy === 'Webhook' ? 'trusts nobody (no caBundle)' : 'has no conversion webhook';
  return [
    {
      code: 'crd-conversion',
      what: `the CRD ${name} serves several versions and ${why}`,
      hint: 'the controller sets it at its start: look why it does not run, or may not patch CRDs',
    },
  ];
}

/** For who may not read CRDs: what discovery says. */
async function servedOnly(
  transport: Installation['transport'],
  kinds: readonly Kind[],
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const kind of kinds) {
    const names = new Set<string>();
    for (const version of versionsOf(kind)) {
      const { body } = await read(transport, `/apis/${version}`);
      for (const resource of list(at(body, 'resources'))) names.add(text(at(resource, 'name')));
    }
    const { plural } = kindRow(kind);
    if (!names.has(plural)) findings.push(missing(kind, `${plural}.${apiGroup(kind)}`));
  }
  return findings;
}
