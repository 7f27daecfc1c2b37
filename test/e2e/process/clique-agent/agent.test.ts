// The clique agent as a process, with a stand-in for IMEX, against the embedded cluster.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { objectAt, textsAt } from '#machines/kubernetes/fields.ts';
import { eventually } from '#test/support/eventually.ts';
import type { Agent } from './agents.ts';
import { Stage } from './stage.ts';

// Each starts processes one after the other, on machines that do much else.
vi.setConfig({ testTimeout: 90_000 });

const stage = new Stage();
beforeAll(() => stage.start(), 60_000);
afterEach(() => stage.removeClique());
afterAll(() => stage.end());

const imexCtl = fileURLToPath(new URL('./imex-ctl.mjs', import.meta.url));
const cliqueLabel = 'resource.nvidia.com/computeDomain.cliqueID';

const labelled = (agent: Agent): Promise<unknown> =>
  eventually(
    'announced',
    async () => textsAt(await stage.podOf(agent), 'labels')[cliqueLabel],
    (value) => value === 'fabric.7',
  );

async function stop({ program }: Agent): Promise<void> {
  program.signal('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
}

/** How often it was said so far. */
const times = ({ program }: Agent, what: RegExp): number =>
  [...program.stdout, ...program.stderr].filter((line) => what.test(line)).length;

/** With its row at index 0 beside a peer, and IMEX that knows its number. */
async function running(name: string, ip: string): Promise<Agent> {
  const agent = await stage.agent(name, ip);
  await labelled(agent);
  await stage.rows([name, 0, ip], ['peer', 1, '10.0.0.200']);
  await agent.program.line(/Identified this node as ID 0/);
  return agent;
}

describe('the clique agent without NATS', () => {
  test('says its clique on its pod in one patch, and starts IMEX by its row (A-111)', async () => {
    const agent = await stage.agent('a', '10.0.0.1');
    await labelled(agent);
    const metadata = await stage.podOf(agent);
    expect(textsAt(metadata, 'annotations')['coppice.dev/clique-agent']).toBe('true');
    expect(times(agent, /IMEX is started/)).toBe(0);
    await stage.rows(['a', 2, '10.0.0.1'], ['b', 0, '10.0.0.2'], ['bad', 9, '10.0.0.9']);
    await agent.program.line(/row of bad: index 9 is not in 0 to 3/);
    await agent.program.line(/knows 0=10.0.0.2 2=10.0.0.1/);
    await agent.program.line(/Identified this node as ID 2/);
    expect(agent.hosts()).toBe(
      '127.0.0.1\tlocalhost\n' +
        '# coppice clique-agent: begin of the slots of the IMEX domain\n' +
        '10.0.0.2\tcompute-domain-daemon-0000\n' +
        '127.0.0.2\tcompute-domain-daemon-0001\n' +
        '10.0.0.1\tcompute-domain-daemon-0002\n' +
        '127.0.0.2\tcompute-domain-daemon-0003\n' +
        '# coppice clique-agent: end\n',
    );
    expect(readFileSync(join(agent.folder, 'imexd.cfg'), 'utf8')).toBe(
      `IP=10.0.0.1\nNODES=${join(agent.folder, 'nodes.cfg')}\n`,
    );
    const version = (await stage.podOf(agent))['resourceVersion'];
    await stop(agent);
    // Nothing was written but the one patch, also not at its end.
    expect((await stage.podOf(agent))['resourceVersion']).toBe(version);
    expect(version).toBe(metadata['resourceVersion']);
  });

  test('tells IMEX of a changed IP by a signal, and restarts it for a new index', async () => {
    const agent = await running('b', '10.0.0.3');
    await stage.rows(['b', 0, '10.0.0.3'], ['peer', 1, '10.0.0.201']);
    await agent.program.line(/reloaded: 0=10.0.0.3 1=10.0.0.201/);
    expect(times(agent, /IMEX is started/)).toBe(1);
    await stage.rows(['b', 1, '10.0.0.3'], ['peer', 0, '10.0.0.201']);
    await agent.program.line(/its index is 1 now, it was 0/);
    await agent.program.line(/Identified this node as ID 1/);
    expect(times(agent, /IMEX is started/)).toBe(2);
    await stop(agent);
  });

  test('starts IMEX again that has crashed, or takes itself for another (#1418)', async () => {
    const agent = await running('c', '10.0.0.4');
    const [, pid = ''] = await agent.program.line(/pid (\d+) knows/);
    agent.touch('lie');
    process.kill(Number(pid), 'SIGKILL');
    await agent.program.line(/"IMEX has ended"|"how":"SIGKILL"/);
    await agent.program.line(/it takes itself for 1, its index is 0/);
    await eventually(
      'started anew',
      () => times(agent, /IMEX is started/),
      (count) => count === 3,
    );
    await stop(agent);
  });

  test('keeps IMEX when the clique is lost, and follows the next one (Q-8)', async () => {
    const agent = await running('d', '10.0.0.5');
    await stage.removeClique();
    await agent.program.line(/waiting for own row.*$/);
    await stage.rows(['d', 0, '10.0.0.5'], ['peer', 3, '10.0.0.202']);
    await agent.program.line(/reloaded: 0=10.0.0.5 3=10.0.0.202/);
    expect(times(agent, /IMEX is started/)).toBe(1);
    await stop(agent);
  });

  test('goes on when the API server is back, with what has changed meanwhile', async () => {
    const agent = await running('e', '10.0.0.6');
    await stage.door.shut();
    await agent.program.line(/cannot follow the object/);
    await stage.rows(['e', 0, '10.0.0.6'], ['peer', 1, '10.0.0.203']);
    await stage.openDoor();
    await agent.program.line(/reloaded: 0=10.0.0.6 1=10.0.0.203/);
    expect(times(agent, /IMEX is started/)).toBe(1);
    await stop(agent);
  });

  test('ends IMEX before itself, with 0, also before it has started (HC-58)', async () => {
    const agent = await running('f', '10.0.0.7');
    const [, pid = ''] = await agent.program.line(/pid (\d+) knows/);
    await stop(agent);
    await agent.program.line(/asked to end/);
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
    const early = await stage.agent('f-early', '10.0.0.8');
    await early.program.line(/clique agent/);
    await stop(early);
  });
});

describe('the clique agent whose output nobody reads any more', () => {
  test.each([
    ['m', '10.0.0.12', 'in the midst of its work'],
    ['n', '10.0.0.13', 'while it ends already'],
  ])('ends IMEX before itself, with 0: %s at %s, %s', async (name, ip, when) => {
    const agent = await running(name, ip);
    const [, pid = ''] = await agent.program.line(/pid (\d+) knows/);
    if (when === 'while it ends already') agent.program.signal('SIGTERM');
    agent.program.unread();
    // It tries to say so.
    await stage.rows([name, 0, ip], ['peer', 1, '10.0.0.204']);
    expect(await agent.program.ended).toEqual({ code: 0, signal: null });
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  });
});

describe('the clique agent on a node without fabric', () => {
  test('says so on its pod, starts nothing and ends with 0 (HC-20, HC-28)', async () => {
    const agent = await stage.agent('g', '10.0.0.9', { CLIQUE_ID: '' });
    await agent.program.line(/the pod says its clique/);
    const metadata = await stage.podOf(agent);
    expect(textsAt(metadata, 'labels')[cliqueLabel]).toBe('');
    expect(objectAt(metadata, 'annotations')).toBeUndefined();
    await stop(agent);
    expect(times(agent, /IMEX/)).toBe(0);
  });
});

describe('the environment of the clique agent', () => {
  test('is refused with 2 and a sentence where something is missing', async () => {
    const bare = await stage.agent('h', '10.0.0.10', { COMPUTE_DOMAIN_UUID: '' });
    await bare.program.line(/"CDI container edits did not apply -- is CDI enabled in your/);
    expect(await bare.program.ended).toEqual({ code: 2, signal: null });
  });
});

describe('the probe of the clique agent', () => {
  const check = async (name: string, over: Record<string, string>) => {
    const { program } = await stage.agent(name, '10.0.0.11', over, ['check']);
    const { code } = await program.ended;
    return { code, said: program.stdout.join('\n') };
  };

  test('fails while IMEX stands still, and passes when it goes on (HC-69)', async () => {
    const agent = await running('q', '10.0.0.15');
    const [, pid = ''] = await agent.program.line(/pid (\d+) knows/);
    const asking = { COPPICE_IMEX_CHECK: `${process.execPath} ${imexCtl} ${agent.folder}` };
    expect(await check('q-before', asking)).toEqual({ code: 0, said: 'READY' });
    process.kill(Number(pid), 'SIGSTOP');
    const frozen = { code: 1, said: 'not ready: no answer within 9000 ms' };
    expect(await check('q-frozen', asking)).toEqual(frozen);
    process.kill(Number(pid), 'SIGCONT');
    expect(await check('q-after', asking)).toEqual({ code: 0, said: 'READY' });
    await stop(agent);
  });

  test('passes on READY alone, and where there is no clique (3.5)', async () => {
    const saying = (text: string): Record<string, string> => ({
      COPPICE_IMEX_CHECK: `/bin/echo ${text}`,
    });
    expect(await check('i', saying('READY'))).toEqual({ code: 0, said: 'READY' });
    expect(await check('j', saying('NOT_READY'))).toEqual({
      code: 1,
      said: 'not ready: "NOT_READY\\n"',
    });
    const absent = { COPPICE_IMEX_CHECK: '/nowhere/ctl' };
    expect(await check('k', absent)).toMatchObject({ code: 1 });
    expect(await check('l', { CLIQUE_ID: '' })).toEqual({
      code: 0,
      said: 'check succeeded (noop, clique ID is empty)',
    });
  });
});
