// What a Prometheus reads after a few claims (spec agent-sandbox 2.6).
import { expect } from 'vitest';
import type { Exposition } from '#test/support/exposition.ts';
import { shell } from '#test/support/tools.ts';
import type { Scenario } from '../stage/describe.ts';
import type { Scene } from '../stage/scene.ts';

const agoMs = 20_000;
const clientAt = 'agents.x-k8s.io/client-first-requested-at';
const webhookAt = 'agents.x-k8s.io/webhook-first-observed-at';

const claim = (scene: Scene, name: string, annotations = {}, labels = {}): Promise<unknown> =>
  scene.create('sandboxclaims', { name, annotations, labels }, { warmPoolRef: { name: 'warm' } });

function judge({ namespace }: Scene, metrics: Exposition): void {
  const created = (labels: Record<string, string>): number =>
    metrics.sum('agent_sandbox_claim_creation_total', {
      namespace,
      sandbox_template: 'python',
      warmpool_name: 'warm',
      ...labels,
    });
  expect(created({ launch_type: 'warm', pod_condition: 'ready' })).toBe(3);
  expect(created({ launch_type: 'cold', pod_condition: 'not_ready' })).toBe(1);
  expect(created({ created_by: 'go-client' })).toBe(1);
  expect(created({ created_by: 'unknown' })).toBe(3);
  const counted = (family: string, launch_type: string, end = 'count'): number =>
    metrics.sum(`agent_sandbox_${family}_${end}`, { launch_type, sandbox_template: 'python' });
  expect(counted('claim_controller_startup_latency_ms', 'warm')).toBe(3);
  expect(counted('claim_controller_startup_latency_ms', 'cold')).toBe(1);
  expect(counted('creation_latency_ms', 'warm')).toBe(3);
  expect(counted('creation_latency_ms', 'cold')).toBe(1);
  for (const family of ['client_claim_startup_latency_ms', 'claim_startup_latency_ms']) {
    expect([family, counted(family, 'warm')]).toEqual([family, 1]);
    expect(counted(family, 'warm', 'sum')).toBeGreaterThanOrEqual(agoMs);
    expect(counted(family, 'warm', 'sum')).toBeLessThan(60_000 + agoMs);
  }
  const there = (labels: Record<string, string>): number =>
    metrics.sum('agent_sandboxes', {
      namespace,
      sandbox_template: 'python',
      expired: 'false',
      ready_condition: 'true',
      ...labels,
    });
  expect(there({ owned_by: 'SandboxClaim', launch_type: 'warm' })).toBe(3);
  expect(there({ owned_by: 'SandboxClaim', launch_type: 'cold' })).toBe(1);
  expect(there({ owned_by: 'SandboxWarmPool', created_by: 'controller' })).toBe(3);
  expect(metrics.sum('agent_sandboxes', { namespace })).toBe(7);
  expect(metrics.sum('agent_sandbox_build_info')).toBe(1);
}

export const scraped: Scenario = {
  name: 'metrics',
  title: 'Metrics count each claim once, by how it started and who made it (R26, C10)',
  run: async (scene) => {
    const { url } = await scene.controller();
    await scene.template('python', { envVarsInjectionPolicy: 'Allowed' });
    await scene.pool('warm', 3);
    await scene.full('warm', 3);
    const ago = new Date(Date.now() - agoMs).toISOString();
    await claim(scene, 'plain');
    await claim(
      scene,
      'client',
      { [clientAt]: ago },
      { 'agents.x-k8s.io/created-by': 'go-client' },
    );
    await claim(scene, 'hook', { [webhookAt]: ago }, { 'agents.x-k8s.io/created-by': 'somebody' });
    await scene.claim('cold', { env: [{ name: 'A', value: 'b' }] });
    await scene.ready('sandboxclaims', 'plain', 'client', 'hook', 'cold');
    await scene.full('warm', 3);
    await scene.atRest();
    const metrics = await scene.metrics();
    judge(scene, metrics);
    // Not once more after a suspension and a resumption.
    await scene.patch('sandboxes', scene.sandboxOf('plain'), {
      spec: { operatingMode: 'Suspended' },
    });
    await scene.says('sandboxclaims', 'plain', /^False SandboxSuspended/);
    await scene.patch('sandboxes', scene.sandboxOf('plain'), {
      spec: { operatingMode: 'Running' },
    });
    await scene.ready('sandboxclaims', 'plain');
    const again = await scene.metrics();
    const family = 'agent_sandbox_claim_controller_startup_latency_ms_count';
    expect(again.sum(family)).toBe(metrics.sum(family));
    const { stdout } = await shell(
      `curl -sS '${url}/metrics' | promtool check metrics 2>&1 || true`,
    );
    expect(stdout.split('\n').filter((line) => /^error|parsing/i.test(line))).toEqual([]);
  },
};
