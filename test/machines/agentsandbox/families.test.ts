// The families of agent-sandbox: names, labels and buckets that its dashboards, recipes and
// presubmits read (spec agent-sandbox 2.6), and what is counted in them.
import { expect, test } from 'vitest';
import {
  agentSandboxFamilies,
  bounded,
  claimCreation,
  countedAs,
  createdBy,
  sandboxGauge,
  startUps,
} from '#machines/agentsandbox/families.ts';
import { readClaim } from '#machines/agentsandbox/objects/claim.ts';
import type { ObservedClaim } from '#machines/agentsandbox/objects/claim.ts';
import { readSandbox } from '#machines/agentsandbox/objects/sandbox.ts';
import type { ObservedSandbox } from '#machines/agentsandbox/objects/sandbox.ts';
import type { StringMap } from '#machines/kubernetes/json.ts';
import { isMalformed } from '#machines/kubernetes/meta.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { misfit } from '#src/metrics/measured.ts';

const group = 'agents.x-k8s.io';
const start = Date.parse('2026-01-01T00:00:00Z');

function sandboxOf(metadata: JsonObject = {}, ready: JsonObject = {}): ObservedSandbox {
  const sandbox = readSandbox({
    apiVersion: `${group}/v1beta1`,
    kind: 'Sandbox',
    metadata: {
      name: 'pool-x1',
      namespace: 'apps',
      uid: 's',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec: { podTemplate: { spec: { containers: [] } } },
    status: {
      conditions: [
        { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:02Z', ...ready },
      ],
    },
  });
  if (isMalformed(sandbox)) throw new Error(sandbox.malformed);
  return sandbox;
}

function claimOf(annotations: StringMap = {}, labels: StringMap = {}): ObservedClaim {
  const claim = readClaim({
    apiVersion: `extensions.${group}/v1beta1`,
    kind: 'SandboxClaim',
    metadata: {
      name: 'mine',
      namespace: 'apps',
      uid: 'c',
      resourceVersion: '1',
      annotations,
      labels,
    },
    spec: { warmPoolRef: { name: 'pool' } },
  });
  if (isMalformed(claim)) throw new Error(claim.malformed);
  return claim;
}

const warm = {
  labels: { [`${group}/launch-type`]: 'warm', [`${group}/created-by`]: 'python-client' },
  annotations: { [`${group}/sandbox-template-ref`]: 'python' },
};

test('The families have the labels and buckets of the original', () => {
  const shape = agentSandboxFamilies.map(({ name, type, labels, ...rest }) => [
    name,
    type,
    labels.join(),
    'buckets' in rest ? rest.buckets.join() : '',
  ]);
  const startUp = '100,250,500,750,1000,1250,1500,2000,2500,5000,10000,30000,60000,120000,240000';
  const ofStartUp = ['histogram', 'launch_type,sandbox_template', startUp];
  expect(shape).toEqual([
    ['agent_sandbox_claim_startup_latency_ms', ...ofStartUp],
    ['agent_sandbox_claim_controller_startup_latency_ms', ...ofStartUp],
    ['agent_sandbox_client_claim_startup_latency_ms', ...ofStartUp],
    [
      'agent_sandbox_creation_latency_ms',
      'histogram',
      'namespace,launch_type,sandbox_template',
      '50,100,250,500,1000,2500,5000,10000,30000,60000,120000,240000,300000,600000',
    ],
    [
      'agent_sandbox_claim_creation_total',
      'counter',
      'namespace,sandbox_template,launch_type,warmpool_name,pod_condition,created_by',
      '',
    ],
    [
      'agent_sandbox_build_info',
      'info',
      'git_version,git_commit,build_date,go_version,compiler,platform',
      '',
    ],
  ]);
  expect([sandboxGauge.name, 'labels' in sandboxGauge && sandboxGauge.labels.join()]).toEqual([
    'agent_sandboxes',
    'namespace,ready_condition,expired,launch_type,sandbox_template,owned_by,created_by',
  ]);
});

test('A Sandbox counts by its state, its template and who owns it', () => {
  const controller = { kind: 'SandboxClaim', name: 'mine', uid: 'c', controller: true };
  const apiVersion = `extensions.${group}/v1alpha1`;
  const owned = { ...warm, ownerReferences: [{ ...controller, apiVersion }] };
  expect(countedAs(sandboxOf(owned))).toEqual({
    namespace: 'apps',
    ready_condition: 'true',
    expired: 'false',
    launch_type: 'warm',
    sandbox_template: 'python',
    owned_by: 'SandboxClaim',
    created_by: 'python-client',
  });
  expect(countedAs(sandboxOf({}, { status: 'False', reason: 'SandboxExpired' }))).toEqual({
    namespace: 'apps',
    ready_condition: 'false',
    expired: 'true',
    launch_type: 'unknown',
    sandbox_template: 'unknown',
    owned_by: 'None',
    created_by: 'unknown',
  });
});

test.each([
  ['go-client', 'go-client'],
  ['python-client', 'python-client'],
  ['controller', 'controller'],
  ['Go-Client', 'unknown'],
  ['', 'unknown'],
  [undefined, 'unknown'],
])('Who made it, %s, counts as %s', (given, counted) => {
  expect(createdBy(given === undefined ? {} : { [`${group}/created-by`]: given })).toBe(counted);
});

test('A claim that got a Sandbox counts once, by its pool and how it started', () => {
  const claim = claimOf({}, { [`${group}/created-by`]: 'somebody' });
  const one = claimCreation(claim, 'warm', { template: 'python', isReady: true });
  expect(one).toEqual({
    type: 'measure',
    family: 'agent_sandbox_claim_creation_total',
    labels: {
      namespace: 'apps',
      sandbox_template: 'python',
      launch_type: 'warm',
      warmpool_name: 'pool',
      pod_condition: 'ready',
      created_by: 'unknown',
    },
    value: 1,
  });
  const cold = claimCreation(claim, 'cold', { template: undefined, isReady: false });
  expect(cold.labels).toMatchObject({
    sandbox_template: '__unknown__',
    launch_type: 'cold',
    pod_condition: 'not_ready',
  });
  for (const event of [one, cold]) expect(misfit(agentSandboxFamilies, event)).toBeUndefined();
});

test('A start-up is measured from each time that is known, in whole milliseconds', () => {
  const claim = claimOf({
    [`${group}/webhook-first-observed-at`]: '2026-01-01T00:00:01.000900000Z',
    [`${group}/client-first-requested-at`]: '2026-01-01T00:00:00.5Z',
  });
  const now = start + 3_000;
  const told = startUps(claim, sandboxOf(warm), { now, seenAt: start + 1_100.25 });
  const labels = { launch_type: 'warm', sandbox_template: 'python' };
  expect(told.map(({ family, value }) => [family, value])).toEqual([
    ['agent_sandbox_claim_startup_latency_ms', 2_000],
    ['agent_sandbox_claim_controller_startup_latency_ms', 1_899],
    ['agent_sandbox_creation_latency_ms', 2_000],
    ['agent_sandbox_client_claim_startup_latency_ms', 2_500],
  ]);
  expect(told.map((one) => one.labels)).toEqual([
    labels,
    labels,
    { namespace: 'apps', ...labels },
    labels,
  ]);
  for (const event of told) expect(misfit(agentSandboxFamilies, event)).toBeUndefined();
});

test('A time that is missing, no time or in the future is not measured', () => {
  const claim = claimOf({
    [`${group}/webhook-first-observed-at`]: 'yesterday',
    [`${group}/client-first-requested-at`]: '2026-01-02T00:00:00Z',
  });
  const sandbox = sandboxOf({}, { lastTransitionTime: '2025-12-31T23:59:59Z' });
  expect(startUps(claim, sandbox, { now: start, seenAt: undefined })).toEqual([]);
  const [one] = startUps(claimOf(), sandbox, { now: start, seenAt: start });
  expect(one?.labels).toEqual({ launch_type: 'unknown', sandbox_template: '__unknown__' });
});

test('Names of objects can be left out of all labels', () => {
  expect(agentSandboxFamilies.flatMap((family) => bounded(family).emptied)).toEqual([
    ...['sandbox_template', 'sandbox_template', 'sandbox_template'],
    ...['namespace', 'sandbox_template'],
    ...['namespace', 'sandbox_template', 'warmpool_name'],
  ]);
});
