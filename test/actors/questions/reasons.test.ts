// What `why` says that no machine does: of actors that do not run and of writes that failed, in the
// words of docs/why.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { list } from '#machines/kubernetes/json.ts';
import { root } from '#test/tidy/sources.ts';
import { setKey } from '../fixtures/facts.ts';
import { stage, type Stage } from '../fixtures/stage.ts';

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

async function up(spec: object): Promise<Stage> {
  const world = stage();
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
