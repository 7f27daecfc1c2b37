// What is known of a claim, a warm pool or a Sandbox goes with it: its namesake starts afresh, and
// cycles of both leave nothing behind.
import { expect, test } from 'vitest';
import type { Controller } from '#src/controller/start.ts';
import { at } from '#machines/kubernetes/json.ts';
import { scrape } from '#test/support/exposition.ts';
import type { World } from '#test/devcluster/controllers/support.ts';
import { claim, containers, make, pathOf } from './objects.ts';
import { withSandboxes } from './stage.ts';

const pool = (world: World, replicas: number) =>
  make(
    world,
    'SandboxWarmPool',
    { name: 'warm' },
    { replicas, sandboxTemplateRef: { name: 'python' } },
  );

async function filled(world: World, replicas: number): Promise<void> {
  await make(
    world,
    'SandboxTemplate',
    { name: 'python' },
    { podTemplate: { spec: { containers } } },
  );
  await pool(world, replicas);
  await world.clock.advance(30_000);
  expect(at(await world.get(pathOf('SandboxWarmPool', 'warm')), 'status', 'readyReplicas')).toBe(
    replicas,
  );
}

const remove = (world: World, kind: 'SandboxClaim' | 'SandboxWarmPool', name: string) =>
  world.client.send({ method: 'DELETE', path: pathOf(kind, name) });

const actorsOf = ({ system }: Controller): readonly string[] =>
  [...system.trees()]
    .flatMap(({ actors }) => [...actors])
    .map(({ key }) => `${key.kind} ${key.name}`)
    .toSorted();

const startUps = async ({ metricsUrl }: Controller) => {
  const family = 'agent_sandbox_claim_controller_startup_latency_ms';
  const metrics = await scrape(metricsUrl);
  return { count: metrics.sum(`${family}_count`), sum: metrics.sum(`${family}_sum`) };
};

test('A claim made anew under its name has another Sandbox and is measured by itself (M2, R27)', () =>
  withSandboxes(async ({ world, start, problems }) => {
    const controller = await start({ claims: withoutAnnotations });
    await filled(world, 2);
    await claim(world, 'mine');
    await world.clock.advance(10_000);
    const first = await world.get(pathOf('SandboxClaim', 'mine'));
    const before = await startUps(controller);
    expect(before.count).toBe(1);
    await world.clock.advance(600_000);
    await remove(world, 'SandboxClaim', 'mine');
    await world.clock.advance(30_000);
    await claim(world, 'mine');
    await world.clock.advance(10_000);
    const second = await world.get(pathOf('SandboxClaim', 'mine'));
    expect(at(second, 'status', 'sandbox', 'name')).not.toBe(
      at(first, 'status', 'sandbox', 'name'),
    );
    const after = await startUps(controller);
    expect(after.count).toBe(2);
    // Not ten minutes more.
    expect(after.sum - before.sum).toBeLessThan(10_000);
    expect(problems).toEqual([]);
  }));

const withoutAnnotations = {
  events: true,
  observabilityAnnotations: false,
  labelDomains: ['sandbox.users.io'],
  labelDomainsFile: undefined,
};

test('A warm pool made anew under its name has members of its own (M2)', () =>
  withSandboxes(async ({ world, start, problems }) => {
    await start();
    await filled(world, 2);
    const before = (await world.list(pathOf('Sandbox'))).map((one) => at(one, 'metadata', 'uid'));
    await remove(world, 'SandboxWarmPool', 'warm');
    await world.clock.advance(60_000);
    expect(await world.list(pathOf('Sandbox'))).toEqual([]);
    await pool(world, 2);
    await world.clock.advance(30_000);
    const after = await world.list(pathOf('Sandbox'));
    expect(after).toHaveLength(2);
    for (const one of after) expect(before).not.toContain(at(one, 'metadata', 'uid'));
    expect(problems).toEqual([]);
  }));

test('Claims that come and go leave nothing behind (M1, R69)', () =>
  withSandboxes(async ({ world, start }) => {
    const controller = await start();
    await filled(world, 3);
    for (let cycle = 0; cycle < 4; cycle++) {
      for (const name of ['a', 'b', 'c']) await claim(world, `${name}${cycle}`);
      await world.clock.advance(30_000);
      for (const name of ['a', 'b', 'c']) await remove(world, 'SandboxClaim', `${name}${cycle}`);
      await world.clock.advance(60_000);
    }
    const kinds = actorsOf(controller).map((one) => one.split(' ')[0]);
    expect(kinds).toEqual([
      ...['sandbox', 'sandbox', 'sandbox'],
      ...['sandboxtemplate', 'sandboxwarmpool'],
    ]);
    const metrics = await scrape(controller.metricsUrl);
    expect(metrics.sum('agent_sandboxes')).toBe(3);
    await remove(world, 'SandboxWarmPool', 'warm');
    await world.clock.advance(60_000);
    expect(actorsOf(controller)).toEqual(['sandboxtemplate python']);
  }));
