// Coppice takes over what agent-sandbox's controller left, at rest and in the middle of it: no pod
// is touched, no claim loses its Sandbox, and what was interrupted is finished.
import { describe, expect, it } from 'vitest';
import type { Kind } from '#machines/kinds.ts';
import { at, list, object } from '#machines/kubernetes/json.ts';
import type { RequestRecord } from '#src/devcluster/requests.ts';
import { scrape } from '#test/support/exposition.ts';
import type { World } from '#test/devcluster/controllers/support.ts';
import { pathOf } from './objects.ts';
import { leaveAll } from './original.ts';
import { type Stage, withSandboxes } from './stage.ts';

const readVerbs: readonly string[] = ['get', 'list', 'watch'];

const writesOf = (requests: readonly RequestRecord[]): readonly string[] =>
  requests
    .filter(({ verb, resource }) => !readVerbs.includes(verb) && resource !== 'events')
    .map(({ verb, resource, subresource, name }) =>
      [verb, subresource === '' ? resource : `${resource}/${subresource}`, name].join(' '),
    );

const uids = async (world: World, kind: Kind): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    (await world.list(pathOf(kind))).map((one) => [
      String(at(one, 'metadata', 'name')),
      String(at(one, 'metadata', 'uid')),
    ]),
  );

const left = async (world: World): Promise<void> => {
  await leaveAll(world);
  await world.clock.advance(5_000);
};

async function takenOver(run: (stage: Stage) => Promise<void>): Promise<void> {
  await withSandboxes(async (stage) => {
    await left(stage.world);
    await run(stage);
  });
}

const statusOf = async (world: World, kind: Kind, name: string): Promise<unknown> =>
  at(await world.get(pathOf(kind, name)), 'status');

describe('A cluster of agent-sandbox that Coppice takes over', () => {
  it('keeps every pod as it is, and gets one member for the one that was being claimed', async () => {
    await takenOver(async ({ world, requests, start, problems }) => {
      const pods = await uids(world, 'SandboxPod');
      await start();
      await world.clock.advance(60_000);
      expect(await uids(world, 'SandboxPod')).toMatchObject(pods);
      const onPods = writesOf(requests).filter((line) => / pods /.test(line));
      const made = Object.keys(await uids(world, 'SandboxPod')).filter((name) => !(name in pods));
      expect(made).toHaveLength(1);
      expect(onPods.toSorted()).toEqual([`create pods ${made[0]}`, 'patch pods warm-ccccc']);
      expect(problems).toEqual([]);
    });
  });

  it('keeps every claim with its Sandbox, without a write on either', async () => {
    await takenOver(async ({ world, requests, start }) => {
      const names = ['bound', 'cold', 'legacy', 'expired'];
      const before = await Promise.all(names.map((name) => statusOf(world, 'SandboxClaim', name)));
      const sandboxes = await uids(world, 'Sandbox');
      await start();
      await world.clock.advance(60_000);
      const after = await Promise.all(names.map((name) => statusOf(world, 'SandboxClaim', name)));
      expect(after).toEqual(before);
      expect(await uids(world, 'Sandbox')).toMatchObject(sandboxes);
      const touched = new Set(writesOf(requests).map((line) => line.split(' ').at(-1)));
      for (const name of [
        'bound',
        'cold',
        'expired',
        'warm-ddddd',
        'warm-eeeee',
        'alone',
        'asleep',
      ]) {
        expect([...touched]).not.toContain(name);
      }
    });
  });

  it('finishes the claim that was assigned and not taken over, with that very Sandbox (R5)', async () => {
    await takenOver(async ({ world, start }) => {
      await start();
      await world.clock.advance(10_000);
      const status = object(await statusOf(world, 'SandboxClaim', 'interrupted'));
      expect(at(status, 'sandbox', 'name')).toBe('warm-ccccc');
      expect(status['conditions']).toEqual([
        expect.objectContaining({ type: 'Ready', status: 'True', reason: 'DependenciesReady' }),
      ]);
      const sandbox = await world.get(pathOf('Sandbox', 'warm-ccccc'));
      const owners = list(at(sandbox, 'metadata', 'ownerReferences'));
      expect(owners.map((owner) => [at(owner, 'kind'), at(owner, 'name')])).toEqual([
        ['SandboxClaim', 'interrupted'],
      ]);
      const pod = await world.get(pathOf('SandboxPod', 'warm-ccccc'));
      expect(pod?.metadata.labels).not.toHaveProperty(['agents.x-k8s.io/warm-pool-sandbox']);
    });
  });

  it('finishes the claim whose Sandbox was made and not told of (R7)', async () => {
    await takenOver(async ({ world, start }) => {
      const { starting } = await uids(world, 'Sandbox');
      await start();
      await world.clock.advance(10_000);
      const status = await statusOf(world, 'SandboxClaim', 'starting');
      expect(at(status, 'sandbox', 'name')).toBe('starting');
      expect((await uids(world, 'Sandbox'))['starting']).toBe(starting);
    });
  });

  it('has the assignment of an older version as an annotation afterwards (R17)', async () => {
    await takenOver(async ({ world, start }) => {
      await start();
      await world.clock.advance(10_000);
      const legacy = await world.get(pathOf('SandboxClaim', 'legacy'));
      const key = 'agents.x-k8s.io/sandbox-name';
      expect(legacy?.metadata.annotations).toMatchObject({ [key]: 'warm-eeeee' });
      expect(legacy?.metadata.labels ?? {}).not.toHaveProperty([key]);
    });
  });

  it('leaves what is suspended asleep, and the policy of the template as it is', async () => {
    await takenOver(async ({ world, requests, start }) => {
      await start();
      await world.clock.advance(60_000);
      expect(await world.get(pathOf('SandboxPod', 'asleep'))).toBeUndefined();
      expect(await world.get(pathOf('SandboxVolume', 'data-asleep'))).toBeDefined();
      const others = writesOf(requests).filter((line) =>
        /networkpolic|templates|volumeclaims/.test(line),
      );
      expect(others).toEqual([]);
    });
  });

  it('measures no start-up that was measured before (R26)', async () => {
    await takenOver(async ({ world, start }) => {
      const { metricsUrl } = await start();
      await world.clock.advance(10_000);
      const metrics = await scrape(metricsUrl);
      // Of the two that were not ready yet.
      const family = 'agent_sandbox_claim_controller_startup_latency_ms_count';
      expect(metrics.sum(family)).toBe(2);
      expect(metrics.sum('agent_sandboxes', { owned_by: 'SandboxClaim' })).toBe(5);
    });
  });

  it('is at rest again: a minute later nothing is written', async () => {
    await takenOver(async ({ world, requests, start }) => {
      await start();
      await world.clock.advance(60_000);
      const before = writesOf(requests).length;
      await world.clock.advance(120_000);
      expect(writesOf(requests).slice(before)).toEqual([]);
    });
  });
});
