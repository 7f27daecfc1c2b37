// What `why` says that no machine does: of actors that do not run and of writes that failed, in the
// words of docs/why.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { soleOwner } from '#actors/shards/shard.ts';
import { list } from '#machines/kubernetes/json.ts';
import { root } from '#test/tidy/sources.ts';
import { setKey } from '../fixtures/facts.ts';
import { stage, type Stage, type StageOptions } from '../fixtures/stage.ts';

const about = setKey('demo');
const poke = { kind: 'PodClique', namespace: 'default', name: 'demo-0' } as const;

/** The answers of the page, with what differs each time left open. */
const answers = readFileSync(join(root, 'docs/why.md'), 'utf8')
  .split('\n')
  .map((line) => line.split(' | ')[1]?.replace(/^`|` \|$/g, '') ?? '')
  .filter((cell) => cell.includes('<') || cell.startsWith('parked'))
  .map((cell) =>
    cell.replace(/[()]/g, '\\$&').replace(' \\(and <n> more\\)', '( \\(and \\d+ more\\))?'),
  )
  .map((cell) => new RegExp(`^${cell.replaceAll(/<\w+>/g, '.+')}$`, 's'));

async function because(world: Stage): Promise<readonly string[]> {
  const answer = await world.system.ask({ about, question: 'why', payload: {} });
  return answer.ok ? list(answer.data['because']).map(String) : [];
}

async function up(spec: object, options: StageOptions = {}): Promise<Stage> {
  const world = stage(options);
  world.system.synced();
  world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1 } });
  await world.reconciled();
  world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 1, ...spec } });
  await world.clock.advance(5);
  return world;
}

function expectOnPage(said: string = ''): void {
  expect(answers.some((one) => one.test(said))).toBe(true);
}

describe('why of an actor', () => {
  it('that crashed says when it is started again', async () => {
    const world = await up({ poison: 'reconcile' });
    const [said] = await because(world);
    expect(said).toMatch(/^waiting: it crashed and is started again in \ds, at \d{4}-/);
    expectOnPage(said);
  });

  it('that is parked says why, and what ends that', async () => {
    const world = await up({ poison: 'reconcile' });
    world.cluster.setStatus(poke, { ready: 1 });
    await world.clock.advance(30_000);
    const [said] = await because(world);
    expect(said).toMatch(/^parked after 5 restarts: .*poisoned.*; a new spec, unpark or/s);
    expectOnPage(said);
  });

  it('that somebody has stopped gives the reason', async () => {
    const world = await up({});
    const payload = { reason: 'I look at it' };
    await world.system.ask({ about, question: 'park', payload });
    const [said] = await because(world);
    expect(said).toMatch(/^parked: I look at it; /);
    expectOnPage(said);
  });

  it('whose kinds are not watched any more says since when, before all else', async () => {
    const world = await up({});
    const unseen = { kind: 'PodGang', since: 0, why: 'the server could not find it' } as const;
    Reflect.set(world.cluster, 'unseen', () => [unseen]);
    const [said, ...others] = await because(world);
    expect(said).toBe(
      'no change of a PodGang is seen since 1970-01-01T00:00:00Z: the server could not find it',
    );
    expect(others).toEqual([expect.stringMatching(/^reconciled \d+ times$/)]);
    expectOnPage(said);
    const nobody = { about: setKey('nobody'), question: 'why', payload: {} };
    expect(await world.system.ask(nobody)).toMatchObject({
      message: `no actor podcliqueset/default/nobody in this process; ${said}`,
    });
  });

  it('says that the Lease is not held for sure', async () => {
    const state = { isHeld: true };
    const lease = { ...soleOwner(4), holds: () => state.isHeld, runs: () => true };
    const world = await up({}, { lease });
    state.isHeld = false;
    const [said] = await because(world);
    expect(said).toMatch(/^the Lease of shard \d is not renewed in time: nothing is written until/);
    expectOnPage(said);
  });

  it('says last that NATS is cut off', async () => {
    const world = await up({});
    const before = world.bus?.state();
    const cut = { ...before, connected: false, problem: 'connect ECONNREFUSED' };
    Reflect.set(world.bus ?? {}, 'state', () => cut);
    const said = (await because(world)).at(-1);
    expect(said).toMatch(/^NATS is not connected \(connect ECONNREFUSED\): facts stay in this/);
    expectOnPage(said);
  });

  it.each([
    ['SERVER_ERROR', /is written again in .*s, at \d{4}-/],
    ['TOO_LARGE', /is not written again before the spec changes$/],
  ] as const)('whose write failed with %s says when it is tried again', async (code, words) => {
    const world = stage();
    world.cluster.fault = ({ op }) => (op === 'create' ? { type: 'refuse', code } : undefined);
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 1 } });
    await world.clock.advance(3_000);
    const said = (await because(world)).at(-1);
    expect(said).toMatch(words);
    expectOnPage(said);
  });
});
