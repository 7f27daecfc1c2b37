// The workers of an activator as threads: they start on the same ports, are told of revisions, live
// and die apart from each other, and end together.
import { describe, expect, it, onTestFinished } from 'vitest';
import { Figures } from '#src/activator/proxy/figures.ts';
import { defaultRules, RevisionRules } from '#src/activator/proxy/rules.ts';
import { startWorkers, type WorkersOptions } from '#src/activator/workers/pool.ts';
import { RevisionPlane } from '#src/activator/data-plane.ts';
import { ListenError } from '#src/http/server.ts';
import { systemClock } from '#src/time/clock.ts';
import { revisionKey, revisionObject } from '#test/machines/activator/objects.ts';
import { eventually } from '#test/support/eventually.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { StagedThread } from './thread.ts';

const { namespace, name } = revisionKey;
const about = { type: 'revision', namespace, name } as const;

function stage(options: Partial<WorkersOptions> = {}) {
  const threads: StagedThread[] = [];
  const lines: string[] = [];
  const plane = new RevisionPlane({
    clock: systemClock,
    random: seeded(1),
    probe: () => Promise.resolve({ isOk: true, id: undefined }),
    log: () => {},
    signal: () => {},
  });
  const demand: string[] = [];
  const rules = new RevisionRules();
  const figures = new Figures();
  const made = {
    threads,
    lines,
    plane,
    demand,
    rules,
    figures,
    health: { live: undefined as string | undefined, ready: undefined as string | undefined },
    openTable: () =>
      plane.carryOut(revisionKey, { type: 'openTable', limit: 1, maxScale: 0, policy: undefined }),
    start: async () => {
      const path = await startWorkers({
        count: 2,
        plane,
        rules,
        figures,
        demand: { begun: (key) => demand.push(`+${key}`), ended: (key) => demand.push(`-${key}`) },
        podNameOf: () => '',
        log: (_, message) => void lines.push(message),
        health: (path_) => (path_ === '/livez' ? made.health.live : made.health.ready),
        listen: { host: '127.0.0.1', http: 0, h2c: 0 },
        limits: {},
        requestLogTemplate: undefined,
        times: { beatMs: 5, firstMs: 1, mostMs: 4 },
        ...options,
        spawn: (setup) => {
          const thread = new StagedThread(setup);
          threads.push(thread);
          return thread;
        },
      });
      onTestFinished(() => path.stop());
      return path;
    },
    thread: async (at: number) => {
      await eventually(
        `thread ${at}`,
        () => threads.length,
        (count) => count > at,
      );
      const thread = threads[at];
      if (thread === undefined) throw new Error(`thread ${at} is gone`);
      return thread;
    },
  };
  return made;
}

const ports = { http: 4001, h2c: 4002 };

/** Two that listen. */
async function started(options: Partial<WorkersOptions> = {}) {
  const made = stage(options);
  const start = made.start();
  (await made.thread(0)).listens(ports);
  const second = await made.thread(1);
  second.listens(ports);
  return { ...made, path: await start, first: await made.thread(0), second };
}

describe('The workers of an activator', () => {
  it('listen on the ports that the first one has found', async () => {
    const { path, first, second } = await started();
    expect(first.setup.listen).toMatchObject({ http: 0, h2c: 0 });
    expect(second.setup.listen).toMatchObject(ports);
    expect(path.ports).toEqual(ports);
  });

  it('do not start where the port is taken, and leave nothing', async () => {
    const { start, thread } = stage();
    const outcome = start().catch((error: unknown) => error);
    const first = await thread(0);
    first.says({ type: 'unable', message: 'port 80 is taken' });
    expect(await outcome).toEqual(new ListenError('port 80 is taken'));
    expect(first.told('stop')).toHaveLength(1);
  });

  it('are told of revisions, of their rules and of their end, also those that start later', async () => {
    const { first, second, openTable, plane, rules, thread } = await started();
    openTable();
    const object = revisionObject({ limit: 1, version: 1 });
    rules.seen({ ...object, spec: { timeoutSeconds: 7 } });
    const both = [
      { ...about, rules: defaultRules },
      { ...about, rules: { ...defaultRules, maxMs: 7_000 } },
    ];
    const toldOf = (one: StagedThread) => one.told('revision');
    for (const one of [first, second]) {
      await eventually(
        'both',
        () => toldOf(one).length,
        (count) => count === 2,
      );
      expect(toldOf(one)).toEqual(both);
    }
    first.die(new Error('out of memory'));
    const third = await thread(2);
    third.listens(ports);
    await eventually(
      'it',
      () => toldOf(third),
      ({ length }) => length === 1,
    );
    expect(toldOf(third)).toEqual(both.slice(1));
    plane.ended(revisionKey);
    for (const one of [second, third]) {
      await eventually(
        'its end',
        () => one.told('gone').length,
        (count) => count === 1,
      );
    }
  });

  it('are started again when they die, as often as it takes, and give back what they held', async () => {
    const { first, second, thread, lines, openTable, demand, figures } = await started();
    openTable();
    const revision = `${namespace}/${name}`;
    first.says({ type: 'begun', revision }, { type: 'asks', revision, number: 1, bodyBytes: 0 });
    expect(figures.of(namespace, name)).toMatchObject({ queued: 1, underWay: 1 });
    first.die(new Error('a bug'));
    first.says({ type: 'begun', revision });
    expect(demand).toEqual([`+${revision}`, `-${revision}`]);
    const { queued, underWay, endings } = figures.of(namespace, name);
    expect({ queued, underWay, cut: endings.cut }).toEqual({ queued: 0, underWay: 0, cut: 1 });
    (await thread(2)).die(new Error('again'));
    (await thread(3)).listens(ports);
    expect(figures.workerDeaths).toBe(1);
    expect(lines).toEqual([
      'a worker has died, and its requests with it',
      'a worker could not start',
    ]);
    expect(second.told('stop')).toEqual([]);
  });

  it('are not ready while none of them takes requests', async () => {
    const { path, first, second, thread } = await started();
    first.die();
    expect(path.ready.run()).toBeUndefined();
    second.die();
    await eventually(
      'told',
      () => path.ready.run(),
      (why) => why?.startsWith('no worker') === true,
    );
    (await thread(2)).listens(ports);
    expect(path.ready.run()).toBeUndefined();
  });

  it('are ended when they say nothing for long', async () => {
    const { first, second, lines, thread } = await started({
      times: { beatMs: 5, silentMs: 50, firstMs: 1 },
    });
    second.answers = true;
    const third = await thread(2);
    third.listens(ports);
    expect([first.isTerminated, second.isTerminated]).toEqual([true, false]);
    expect(lines[0]).toBe('a worker does not answer, and is ended');
  });

  it('hear how the process is, as it changes', async () => {
    const { first, health } = await started();
    expect(first.setup.health).toEqual({ live: undefined, ready: undefined });
    health.ready = 'no autoscaler';
    await eventually(
      'the change',
      () => first.told('health').at(-1)?.health,
      (told) => told?.ready === 'no autoscaler',
    );
  });

  it('drain together: all have to have ended their last request', async () => {
    const { path, first, second } = await started();
    let isDrained = false;
    const drained = path.drain().then(() => (isDrained = true));
    await eventually(
      'told',
      () => second.told('drain').length,
      (count) => count === 1,
    );
    first.says({ type: 'drained' });
    await Promise.resolve();
    expect(isDrained).toBe(false);
    second.die(new Error('on the way'));
    await drained;
    expect(isDrained).toBe(true);
  });
});
