// The actor of a revision crashes, and its requests do not notice: the table outlives it (spec
// activator 2.12).
import { describe, expect, it } from 'vitest';
import type { Answer } from '#actors/ports.ts';
import { actorsCheck } from '#src/activator/health.ts';
import { revisionKey } from '#test/machines/activator/objects.ts';
import { Request, stage, type Stage } from './stage.ts';

const ips = ['10.0.0.1', '10.0.0.2', '10.0.0.3'];
const listed = (from: readonly string[] = ips) => from.map((ip) => ({ ip }));

/** A revision whose pods take requests. */
async function serving(): Promise<Stage> {
  const world = stage();
  world.revision();
  world.endpoints(...listed());
  world.system.synced();
  await world.clock.advance(10);
  expect(world.requests?.admission.table.figures.routable).toBe(3);
  return world;
}

function begin(world: Stage): Request {
  const { requests } = world;
  if (requests === undefined) throw new Error('the revision is not served');
  return new Request(requests);
}

describe('A crash of the actor of a revision', () => {
  it('costs no request, at whichever step of whichever change it happens (R-17)', async () => {
    let isOver = false;
    for (let place = 1; !isOver; place++) {
      const world = await serving();
      const before = begin(world);
      world.crashes.at(place);
      // Pods leave and come, and a request cannot reach one: all kinds of events and instructions.
      world.endpoints(...listed(ips.slice(1)), { ip: '10.0.0.4' });
      await world.clock.advance(20);
      world.requests?.failed('10.0.0.2:8012', 'pod-10.0.0.2');
      await world.clock.advance(20);
      const during = begin(world);
      expect([place, before.told, during.told]).toEqual([place, ['granted'], ['granted']]);
      await world.clock.advance(1_000);
      isOver = world.crashes.count === 0;
      expect(world.telemetry.calls.restarted).toHaveLength(world.crashes.count);
      expect(world.audit).toEqual([]);
      before.end();
      during.end();
      await world.clock.advance(20);
      const { table } = world.requests?.admission ?? {};
      const states = (table?.snapshot() ?? []).map(({ dest, state }) => [dest, state]);
      expect([place, Object.fromEntries(states)]).toEqual([
        place,
        {
          // That it failed is not heard by an actor that has just crashed; the next one tells it.
          '10.0.0.2:8012': expect.stringMatching(/^(?:ready|recovering)$/),
          '10.0.0.3:8012': 'ready',
          '10.0.0.4:8012': 'ready',
        },
      ]);
      expect(table?.figures).toMatchObject({ active: 0, forced: 0 });
      await world.stop();
    }
  });

  it('answers who asked it in the same turn, and those who ask next after it (R-18)', async () => {
    const world = await serving();
    const answers: Answer[] = [];
    const ask = (): void => {
      const question = { about: revisionKey, question: 'why', payload: {} };
      void world.system.ask(question).then((answer) => answers.push(answer));
    };
    world.crashes.at(1);
    world.endpoints(...listed(ips.slice(1)));
    await world.clock.drain();
    expect(world.row?.state).toBe('waiting');
    const crashed = 'the actor of demo/hello has crashed and waits for its restart';
    expect(actorsCheck(world.system, world.clock).run()).toBe(crashed);
    ask();
    await world.clock.drain();
    expect(answers).toMatchObject([
      { ok: true, data: { because: [expect.stringMatching(/^waiting: it crashed/)] } },
    ]);
    await world.clock.advance(200);
    ask();
    await world.clock.drain();
    expect(answers[1]).toMatchObject({ data: { because: ['2 pods take requests'] } });
  });

  it('holds no request that waits: it gets the pod that comes meanwhile or after', async () => {
    const world = stage();
    world.revision();
    world.system.synced();
    await world.clock.advance(10);
    const request = begin(world);
    expect(request.told).toEqual([]);
    world.crashes.at(1);
    world.endpoints({ ip: '10.0.0.1' });
    await world.clock.advance(1);
    expect(world.crashes.count).toBe(1);
    await world.clock.advance(500);
    expect(request.told).toEqual(['granted']);
  });

  it('is followed by ever longer pauses, never by two restarts in one of them (R-11)', async () => {
    const world = await serving();
    const times: number[] = [];
    for (let crash = 0; crash < 6; crash++) {
      world.crashes.at(1);
      world.endpoints(...listed(ips.slice((crash + 1) % 2)));
      await world.clock.until(() => world.row?.state === 'waiting', 1_000);
      const start = world.clock.now();
      await world.clock.until(() => world.row?.state !== 'waiting', 60_000);
      times.push(world.clock.now() - start);
      await world.clock.advance(50);
    }
    for (const [index, pause] of times.entries()) {
      expect(pause).toBeGreaterThanOrEqual(90 * 2 ** index);
      expect(pause).toBeLessThanOrEqual(100 * 2 ** index + 1);
    }
  });

  it('that comes every second costs no request of 200 a second (B-37)', async () => {
    const world = await serving();
    const { requests } = world;
    const all: Request[] = [];
    for (let turn = 0; turn < 2_000; turn++) {
      if (turn % 200 === 0) {
        world.crashes.at(1);
        world.endpoints(...listed(ips.slice(turn % 400 === 0 ? 1 : 0)));
      }
      const request = begin(world);
      all.push(request);
      all[turn - 10]?.end();
      await world.clock.advance(5);
    }
    for (const request of all) request.end();
    expect(world.crashes.count).toBeGreaterThanOrEqual(5);
    expect(all.filter(({ told }) => told.join() !== 'granted')).toEqual([]);
    expect(requests?.admission.table.figures.active).toBe(0);
    expect(world.audit).toEqual([]);
  });

  it('parks it at last, and requests are served from the table as it is (T-15)', async () => {
    const world = await serving();
    for (let crash = 0; world.row?.parked !== true; crash++) {
      world.crashes.at(1);
      world.endpoints(...listed(ips.slice(crash % 2)));
      await world.clock.advance(31_000 / 11);
      expect(crash).toBeLessThan(200);
    }
    expect(world.crashes.count).toBe(11);
    expect(begin(world).told).toEqual(['granted']);
    const ready = actorsCheck(world.system, world.clock);
    expect(ready.run()).toBe('the actor of demo/hello is parked: it crashed too often');
    await world.system.ask({ about: revisionKey, question: 'unpark', payload: {} });
    await world.clock.advance(100);
    expect(ready.run()).toBeUndefined();
  });
});

describe('The end of a revision', () => {
  it('refuses who waits at once, and detaches what runs (Q7)', async () => {
    const world = await serving();
    const { requests } = world;
    const running = begin(world);
    world.endpoints();
    await world.clock.advance(10);
    const waits = begin(world);
    world.noRevision();
    await world.clock.advance(10);
    expect(waits.told).toEqual(['closed']);
    expect(world.requests).toBeUndefined();
    expect(world.row).toBeUndefined();
    expect(requests?.admission.table.figures).toMatchObject({ live: 0, detached: 1 });
    running.end();
    expect(requests?.admission.table.figures).toMatchObject({ active: 0, detached: 0 });
  });

  it('while its actor waits for a restart closes its table (R-3)', async () => {
    const world = await serving();
    const { requests } = world;
    begin(world);
    world.crashes.at(1);
    world.endpoints();
    await world.clock.drain();
    expect(world.row?.state).toBe('waiting');
    world.noRevision();
    await world.clock.advance(1_000);
    expect(world.requests).toBeUndefined();
    expect(requests?.admission.table.figures).toMatchObject({ live: 0, detached: 1 });
  });

  it('leaves no timer (P-21, H-73)', async () => {
    const world = await serving();
    begin(world);
    // The pod with the request drains, up to a deadline.
    world.endpoints();
    await world.clock.advance(1_000);
    expect(world.clock.pending).toBeGreaterThan(0);
    world.noRevision();
    await world.clock.advance(60_000);
    expect(world.clock.pending).toBe(0);
    await world.stop();
  });

  it('leaves no timer where all of the activator ends with it (H-73)', async () => {
    const world = await serving();
    const running = begin(world);
    world.endpoints();
    await world.clock.advance(1_000);
    expect(world.clock.pending).toBeGreaterThan(0);
    await world.stop();
    expect(world.clock.pending).toBe(0);
    running.end();
  });

  it('gives one of the same name with another UID a table of its own', async () => {
    const world = await serving();
    const { requests } = world;
    world.revision({ uid: 'revision-2', limit: 1 });
    await world.clock.advance(100);
    expect(requests?.admission.table.figures.live).toBe(0);
    expect(world.requests?.admission.table).toMatchObject({ limit: 1 });
    expect(world.requests?.admission.table.figures.routable).toBe(3);
  });
});
