// Coppice takes over what agent-sandbox's controller left, at rest and in the middle of it: no pod
// is touched, no claim loses its Sandbox, and what was interrupted is finished.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Kind } from '#machines/kinds.ts';
import { at, list, object } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { RequestRecord } from '#src/devcluster/requests.ts';
import { type Exposition, scrape } from '#test/support/exposition.ts';
import type { World } from '#test/devcluster/controllers/support.ts';
import { pathOf } from './objects.ts';
import { leaveAll } from './original.ts';
import { withSandboxes } from './stage.ts';

const readVerbs: readonly string[] = ['get', 'list', 'watch'];

/** `verb resource name`; a create has no name. */
const writesOf = (requests: readonly RequestRecord[]): readonly string[] =>
  requests
    .filter(({ verb, resource }) => !readVerbs.includes(verb) && resource !== 'events')
    .map(({ verb, resource, subresource, name }) =>
      [verb, subresource === '' ? resource : `${resource}/${subresource}`, name].join(' ').trim(),
    );

type Objects = Readonly<Record<string, JsonObject>>;

const kinds = ['Sandbox', 'SandboxClaim', 'SandboxPod', 'SandboxVolume', 'TemplatePolicy'] as const;

/** By kind and name. */
type Cluster = Readonly<Record<(typeof kinds)[number], Objects>>;

async function look(world: World): Promise<Cluster> {
  const of = async (kind: Kind): Promise<Objects> =>
    Object.fromEntries(
      (await world.list(pathOf(kind))).map((one) => [String(at(one, 'metadata', 'name')), one]),
    );
  const [Sandbox, SandboxClaim, SandboxPod, SandboxVolume, TemplatePolicy] = await Promise.all(
    kinds.map(of),
  );
  return {
    Sandbox: Sandbox ?? {},
    SandboxClaim: SandboxClaim ?? {},
    SandboxPod: SandboxPod ?? {},
    SandboxVolume: SandboxVolume ?? {},
    TemplatePolicy: TemplatePolicy ?? {},
  };
}

const uidsOf = (objects: Objects) =>
  Object.fromEntries(
    Object.entries(objects).map(([name, one]) => [name, at(one, 'metadata', 'uid')]),
  );

const annotations = (one: JsonObject | undefined) => object(at(one, 'metadata', 'annotations'));
const labels = (one: JsonObject | undefined) => object(at(one, 'metadata', 'labels'));

describe('A cluster of agent-sandbox that Coppice takes over', () => {
  let before: Cluster;
  let after: Cluster;
  let writes: readonly string[];
  /** Two minutes later, of one minute. */
  let later: readonly string[];
  let metrics: Exposition;
  let problems: readonly string[];

  beforeAll(
    () =>
      withSandboxes(async ({ world, requests, start, ...stage }) => {
        await leaveAll(world);
        await world.clock.advance(5_000);
        before = await look(world);
        const { metricsUrl } = await start();
        await world.clock.advance(60_000);
        after = await look(world);
        writes = writesOf(requests);
        metrics = await scrape(metricsUrl);
        await world.clock.advance(60_000);
        const rest = writesOf(requests).length;
        await world.clock.advance(60_000);
        later = writesOf(requests).slice(rest);
        ({ problems } = stage);
      }),
    60_000,
  );

  it('keeps every pod as it is, and gets one member for the one that was being claimed', () => {
    expect(uidsOf(after.SandboxPod)).toMatchObject(uidsOf(before.SandboxPod));
    const made = Object.keys(after.SandboxPod).filter((name) => !(name in before.SandboxPod));
    expect(made).toHaveLength(1);
    expect(writes.filter((line) => / pods\b/.test(line)).toSorted()).toEqual([
      'create pods',
      'patch pods warm-ccccc',
    ]);
    expect(problems).toEqual([]);
  });

  it.each(['bound', 'cold', 'legacy', 'expired'])('keeps the claim %s with its status', (name) => {
    expect(after.SandboxClaim[name]?.['status']).toEqual(before.SandboxClaim[name]?.['status']);
  });

  it('writes nothing on what is at rest', () => {
    expect(uidsOf(after.Sandbox)).toMatchObject(uidsOf(before.Sandbox));
    const touched = writes.map((line) => line.split(' ').at(-1));
    const resting = ['bound', 'cold', 'expired', 'warm-aaaaa', 'warm-ddddd', 'warm-eeeee'];
    for (const name of [...resting, 'alone', 'asleep']) expect(touched).not.toContain(name);
  });

  it('finishes the claim that was assigned and not taken over, with that very Sandbox (R5)', () => {
    const status = object(after.SandboxClaim['interrupted']?.['status']);
    expect(at(status, 'sandbox', 'name')).toBe('warm-ccccc');
    expect(status['conditions']).toEqual([
      expect.objectContaining({ type: 'Ready', status: 'True', reason: 'DependenciesReady' }),
    ]);
    const owners = list(at(after.Sandbox['warm-ccccc'], 'metadata', 'ownerReferences'));
    expect(owners.map((owner) => [at(owner, 'kind'), at(owner, 'name')])).toEqual([
      ['SandboxClaim', 'interrupted'],
    ]);
    const pool = 'agents.x-k8s.io/warm-pool-sandbox';
    expect(labels(after.SandboxPod['warm-ccccc'])).not.toHaveProperty([pool]);
  });

  it('finishes the claim whose Sandbox was made and not told of (R7)', () => {
    expect(at(after.SandboxClaim['starting'], 'status', 'sandbox', 'name')).toBe('starting');
  });

  it('knows owners of an older version, and stores their assignment anew (R17, R20)', () => {
    const key = 'agents.x-k8s.io/sandbox-name';
    expect(annotations(after.SandboxClaim['legacy'])).toMatchObject({ [key]: 'warm-eeeee' });
    expect(labels(after.SandboxClaim['legacy'])).not.toHaveProperty([key]);
  });

  it('leaves what is suspended asleep, and policies and volumes as they are', () => {
    expect(after.SandboxPod).not.toHaveProperty('asleep');
    expect(after.SandboxVolume).toEqual(before.SandboxVolume);
    expect(after.TemplatePolicy).toEqual(before.TemplatePolicy);
  });

  it('measures no start-up that was measured before (R26)', () => {
    // Of the two that were not ready yet.
    const family = 'agent_sandbox_claim_controller_startup_latency_ms_count';
    expect(metrics.sum(family)).toBe(2);
    expect(metrics.sum('agent_sandboxes', { owned_by: 'SandboxClaim' })).toBe(5);
  });

  it('is at rest again a minute later', () => {
    expect(later).toEqual([]);
  });
});
