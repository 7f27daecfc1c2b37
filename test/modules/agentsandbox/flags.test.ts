// docs/agent-sandbox.md says of each flag and each Helm value of agent-sandbox which field of ours
// it is, or why none is needed (spec agent-sandbox 4.1, 4.3).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { at } from '#machines/kubernetes/json.ts';
import type { Field } from '#src/config/field.ts';
import { schema } from '#src/config/schema.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/agent-sandbox.md'), 'utf8');

const flags = [
  ...[
    'version',
    'extensions',
    'cluster-domain',
    'metrics-bind-address',
    'health-probe-bind-address',
  ],
  ...['leader-elect', 'leader-election-namespace', 'enable-webhook', 'webhook-port'],
  ...['webhook-cert-dir', 'webhook-cert-name', 'webhook-key-name', 'webhook-service-name'],
  ...['webhook-namespace', 'manage-webhook-certs', 'kube-api-qps', 'kube-api-burst'],
  ...['api-connections', 'separate-watch-connection', 'sandbox-concurrent-workers'],
  ...['sandbox-claim-concurrent-workers', 'sandbox-warm-pool-concurrent-workers'],
  ...['sandbox-template-concurrent-workers', 'sandbox-warm-pool-max-batch-size'],
  ...['sandbox-warm-pool-replenish-delay', 'sandbox-warm-pool-max-refill-rate'],
  ...['sandbox-warm-pool-readiness-grace-period'],
  ...['sandbox-warm-pool-unschedulable-recheck-interval', 'enable-warm-pool-eviction'],
  ...['cache-label-selectors', 'disable-claim-events', 'disable-claim-observability-annotations'],
  ...['sandbox-write-behind-window', 'enable-tracing', 'enable-pprof', 'enable-pprof-debug'],
  ...['pprof-block-profile-rate', 'pprof-mutex-profile-fraction', 'zap-log-level', 'zap-encoder'],
  ...['zap-devel', 'zap-stacktrace-level', 'zap-time-encoding', 'kubeconfig'],
].map((name) => `--${name}`);

const controllerValues = [
  ...['leaderElect', 'extensions', 'extraArgs', 'leaderElectionNamespace', 'clusterDomain'],
  ...['enableTracing', 'enablePprof', 'enablePprofDebug', 'pprofBlockProfileRate'],
  ...['pprofMutexProfileFraction', 'kubeApiQps', 'kubeApiBurst', 'sandboxConcurrentWorkers'],
  ...['sandboxClaimConcurrentWorkers', 'sandboxWarmPoolConcurrentWorkers'],
  ...['sandboxTemplateConcurrentWorkers', 'sandboxWarmPoolMaxBatchSize'],
  ...['sandboxWarmPoolReadinessGracePeriod', 'sandboxWarmPoolUnschedulableRecheckInterval'],
  ...['enableWarmPoolEviction'],
].map((name) => `controller.${name}`);

const values = [
  ...['namespace.create', 'namespace.name', 'image.repository', 'image.tag', 'image.pullPolicy'],
  ...['imagePullSecrets', 'replicaCount', 'podAnnotations', 'podLabels', ...controllerValues],
  ...['resources', 'nodeSelector', 'tolerations', 'affinity', 'podSecurityContext'],
  ...['containerSecurityContext', 'webhookServiceName', 'service.name'],
  ...['enabled', 'additionalLabels', 'interval', 'scrapeTimeout'].map(
    (name) => `metrics.serviceMonitor.${name}`,
  ),
  ...['enabled', 'additionalLabels', 'additionalGroups'].map(
    (name) => `metrics.prometheusRule.${name}`,
  ),
];

interface Row {
  readonly names: readonly string[];
  readonly here: string;
  readonly difference: string;
}

const code = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

function rowsUnder(title: string): readonly Row[] {
  const [, rest = ''] = page.split(`\n### ${title}\n`);
  const [section = ''] = rest.split(/\n##+ /);
  return [...section.matchAll(/^\| (`.*?) \| (.*?) \|(.*)\|$/gm)].map(
    ([, names = '', here = '', difference = '']) => ({
      names: code(names),
      here,
      difference: difference.trim(),
    }),
  );
}

function isField(path: string): boolean {
  let here: Field<unknown> | undefined = schema;
  for (const name of path.split('.')) here = here?.fields?.[name];
  return here !== undefined;
}

const chartValues: unknown = parse(readFileSync(join(root, 'charts/coppice/values.yaml'), 'utf8'));

describe.each([
  ['Flags', flags],
  ['Helm values', values],
])('The table of %s', (title, known) => {
  const rows = rowsUnder(title);

  it('has each of the original once, and no other', () => {
    expect(rows.flatMap(({ names }) => names).toSorted()).toEqual(known.toSorted());
  });

  it('names fields that there are, or says why none is needed', () => {
    const wrong = rows.flatMap(({ names, here, difference }) => {
      if (here === 'not needed') return difference === '' ? names : [];
      return /^the values? of the same name/.test(here)
        ? names.filter((path) => at(chartValues, ...path.split('.')) === undefined)
        : code(here).filter((path) => path !== 'coppice version' && !isField(path));
    });
    expect(wrong).toEqual([]);
  });
});

it('Each field of the section agentSandbox is told of on its page', () => {
  const leaves = (field: Field<unknown>, path: string): readonly string[] =>
    Object.entries(field.fields ?? {}).flatMap(([name, each]) =>
      each.fields === undefined ? [`${path}.${name}`] : leaves(each, `${path}.${name}`),
    );
  const { agentSandbox } = schema.fields;
  const untold = leaves(agentSandbox, 'agentSandbox').filter((path) => !page.includes(`\`${path}`));
  expect(untold).toEqual([]);
});
