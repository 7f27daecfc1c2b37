// What agent-sandbox is at the edge of the process: which kinds it needs, what it serves without
// its extensions, and how its families look in a scrape.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import type { Configuration } from '#src/config/schema.ts';
import { createKubeClient } from '#src/kube/client.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { quietMetrics } from '#test/support/metrics.ts';
import { agentSandboxEdge } from '#src/modules/agentsandbox/edge.ts';
import { PrerequisiteError } from '#src/modules/errors.ts';
import { preflight, servedEdges } from '#src/modules/index.ts';
import { Exposition } from '#test/support/exposition.ts';
import { without } from '#test/support/tools.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';

type Given = Partial<Configuration['agentSandbox']>;

const configured = (given: Given = {}): Configuration => ({
  ...defaultConfiguration,
  modules: { grove: false, nvidia: false, agentsandbox: true },
  agentSandbox: { ...defaultConfiguration.agentSandbox, ...given },
});

const core = '/apis/agents.x-k8s.io/v1beta1';
const extensions = '/apis/extensions.agents.x-k8s.io/v1beta1';

const serving = (...plurals: readonly string[]): JsonObject => ({
  resources: plurals.map((name) => ({ name, kind: name, namespaced: true, verbs: [] })),
});

async function started(
  given: Given,
  answers: Readonly<Record<string, JsonObject>>,
): Promise<{ readonly outcome: unknown; readonly asked: readonly string[] }> {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const request: KubeTransport['request'] = ({ path }) => {
    asked.push(path);
    const body = answers[path];
    return Promise.resolve(
      body === undefined
        ? { status: 404, headers: {}, body: { message: 'no' } }
        : { status: 200, headers: {}, body },
    );
  };
  const transport: KubeTransport = { request, watch: () => () => {} };
  const log = { line: () => {} };
  const kube = createKubeClient({
    ...{ transport, clock, random: seeded(1), log: log.line, host: 'server' },
  });
  const configuration = configured(given);
  const options = { configuration, kube, transport, clock, log };
  const outcome = preflight(servedEdges(configuration), options).catch((error: unknown) => error);
  await clock.advance(60_000);
  return { outcome: await outcome, asked };
}

describe('The module agentsandbox', () => {
  it('watches its kinds where all four CRDs are served', async () => {
    const { outcome } = await started(
      {},
      {
        [core]: serving('sandboxes'),
        [extensions]: serving('sandboxtemplates', 'sandboxclaims', 'sandboxwarmpools'),
      },
    );
    expect(outcome).toEqual(expect.arrayContaining(['Sandbox', 'SandboxClaim', 'TemplatePolicy']));
  });

  it('ends the start where one of them is not, and says which', async () => {
    const { outcome } = await started(
      {},
      { [core]: serving('sandboxes'), [extensions]: serving('sandboxtemplates', 'sandboxclaims') },
    );
    expect(outcome).toBeInstanceOf(PrerequisiteError);
    expect(String(outcome)).toContain('sandboxwarmpools in extensions.agents.x-k8s.io/v1beta1');
  });

  it('needs the CRD of Sandboxes alone without extensions, and asks for nothing else', async () => {
    const { outcome, asked } = await started(
      { extensions: false },
      { [core]: serving('sandboxes') },
    );
    expect(outcome).toEqual([
      ...['Sandbox', 'SandboxPod', 'AdoptablePod', 'SandboxService', 'AdoptableService'],
      ...['SandboxVolume', 'AdoptableVolume'],
    ]);
    expect(new Set(asked)).toEqual(new Set([core]));
    const module = agentSandboxEdge.module(configured({ extensions: false }), '1.0.0');
    expect(module.behaviours.map(({ kind }) => kind)).toEqual(['sandbox']);
  });

  it('converts between the versions of the CRDs that it serves, unless that is off', async () => {
    const definitions = async (given: Given): Promise<unknown> => {
      const configuration = configured(given);
      const webhooksOf = await agentSandboxEdge.webhooks?.(configuration);
      const options = { configuration, transport, clock: new VirtualClock() };
      return webhooksOf?.(options).map((one) => 'definitions' in one && one.definitions);
    };
    expect(await definitions({})).toEqual([
      [
        'sandboxes.agents.x-k8s.io',
        'sandboxtemplates.extensions.agents.x-k8s.io',
        'sandboxclaims.extensions.agents.x-k8s.io',
        'sandboxwarmpools.extensions.agents.x-k8s.io',
      ],
    ]);
    expect(await definitions({ extensions: false })).toEqual([['sandboxes.agents.x-k8s.io']]);
    expect(await definitions({ conversionWebhook: false })).toBeUndefined();
  });

  it('asks for none of its CRDs where it is off', () => {
    expect(servedEdges(defaultConfiguration)).not.toContain(agentSandboxEdge);
  });
});

const transport: KubeTransport = {
  request: () => Promise.reject(new Error('nobody is asked')),
  watch: () => () => {},
};

const shown: JsonObject = {
  namespace: 'apps',
  ready_condition: 'true',
  expired: 'false',
  launch_type: 'warm',
  sandbox_template: 'python',
  owned_by: 'SandboxClaim',
  created_by: 'unknown',
};

async function scraped(given: Given): Promise<string> {
  const { families = [], gauges = [] } = agentSandboxEdge.module(configured(given), '1.2.3');
  const views = [shown, shown, { ...shown, namespace: 'other' }, undefined];
  const metrics = quietMetrics({
    gauges,
    measured: families,
    views: (kind) =>
      kind === 'sandbox' ? views.map((counted) => (counted === undefined ? {} : { counted })) : [],
  });
  for (const namespace of ['apps', 'other']) {
    for (const { name, type, labels } of families) {
      if (type === 'info') continue;
      const values = Object.fromEntries(labels.map((label) => [label, 'x']));
      const given = 'namespace' in values ? { ...values, namespace } : values;
      expect(metrics.numbers.measured({ family: name, labels: given, value: 7 })).toBeUndefined();
    }
  }
  return metrics.render();
}

describe('The families agent_sandbox*', () => {
  it('name namespace, template and pool, and count Sandboxes anew at each scrape', async () => {
    const metrics = new Exposition(await scraped({}));
    expect(metrics.of('agent_sandboxes')).toHaveLength(2);
    expect(metrics.sum('agent_sandboxes', { namespace: 'apps', sandbox_template: 'python' })).toBe(
      2,
    );
    expect(metrics.of('agent_sandbox_claim_creation_total')).toHaveLength(2);
    const [info] = metrics.of('agent_sandbox_build_info');
    expect(info?.value).toBe(1);
    expect(info?.labels).toMatchObject({ git_version: '1.2.3', compiler: 'v8' });
    expect(info?.labels['go_version']).toMatch(/^node v\d/);
    expect(info?.labels['platform']).toMatch(/^linux\/(amd64|arm64)$|^darwin\//);
  });

  it('have bounded labels where the configuration wants that', async () => {
    const metrics = new Exposition(await scraped({ metrics: { objectLabels: false } }));
    expect(metrics.of('agent_sandboxes')).toHaveLength(1);
    expect(metrics.sum('agent_sandboxes', { namespace: '', sandbox_template: '' })).toBe(3);
    expect(metrics.sum('agent_sandbox_claim_creation_total', { warmpool_name: '' })).toBe(14);
    expect(metrics.of('agent_sandbox_creation_latency_ms_count', { namespace: '' })).toHaveLength(
      1,
    );
  });

  const skip = without('promtool');
  it.skipIf(skip !== '')(`are what Prometheus reads${skip}`, async () => {
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: await scraped({}),
      encoding: 'utf8',
    });
    // Names end with the original's unit, of which promtool thinks little (3: nothing worse).
    expect(status).toBe(3);
    const lint = stderr.trim().split('\n');
    expect(lint.filter((line) => !/_ms metric names should not contain abbr/.test(line))).toEqual(
      [],
    );
  });
});
