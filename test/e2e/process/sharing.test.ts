// Three controllers that share the shards through leases, as processes: what joining, leaving,
// killing and stopping one of them costs the objects, as seen from outside. `COPPICE_SETS=500`
// runs it at the size of the published figures, which are printed, and with the default times.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, list, object, text } from '#machines/kubernetes/json.ts';
import { eventually } from '#test/support/eventually.ts';
import { natsSkip, testBus } from '#test/support/nats.ts';
import { Place, type Running } from '#test/support/place.ts';
import { type Pauses, Pokes } from '#test/support/pokes.ts';
import { createNamespace, createSet, get } from '#test/support/workload.ts';

const sets = Number(process.env['COPPICE_SETS'] ?? 60);
const everyMs = 5_000 / sets;
const isLong = sets >= 500;
const times = isLong
  ? { durationSeconds: 15, renewSeconds: 10, retrySeconds: 2 }
  : { durationSeconds: 8, renewSeconds: 5, retrySeconds: 1 };
/** Less than a new owner waits for watches that are late. */
const momentMs = 2_000;
/** From the last renewal of a process to the work of its successors. */
const takenOverMs = (times.durationSeconds + 5) * 1000;
const stoppedMs = times.durationSeconds * 3_000;
const namespace = 'shared';

const place = new Place();
/** Those that run, by name. */
const controllers = new Map<string, Running>();
/** Pods that must ever have been. */
let podsEver = sets;

async function start(name: string): Promise<void> {
  const leases = { enabled: true, identity: name, ...times };
  controllers.set(name, await place.controller({ leases }));
}

const running = (name: string): Running => {
  const controller = controllers.get(name);
  if (controller === undefined) throw new Error(`no controller ${name}`);
  return controller;
};

/** Resolves with the milliseconds from the signal to the end, which is a good one. */
async function leave(name: string): Promise<number> {
  const { program } = running(name);
  const since = performance.now();
  program.signal('SIGTERM');
  expect(await program.ended).toMatchObject({ code: 0 });
  controllers.delete(name);
  return performance.now() - since;
}

/** Until these alone run and share the shards. */
async function among(...names: string[]): Promise<void> {
  for (const name of names) if (!controllers.has(name)) await start(name);
  for (const name of controllers.keys()) if (!names.includes(name)) await leave(name);
  await sharedBy(...names);
}

/** Number of shards by holder, as the leases say. */
async function shares(): Promise<Readonly<Record<string, number>>> {
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const counts: Record<string, number> = {};
  for (const lease of list(at(await get(place.client, path), 'items'))) {
    if (!text(at(lease, 'metadata', 'name')).startsWith('coppice-shard-')) continue;
    const holder = text(at(lease, 'spec', 'holderIdentity')).split('-')[0] ?? '';
    counts[holder] = (counts[holder] ?? 0) + 1;
  }
  return counts;
}

const sharedBy = (...names: string[]): Promise<unknown> =>
  eventually(
    `shared by ${names.join()}`,
    shares,
    (counts) =>
      Object.keys(counts).toSorted().join() === names.toSorted().join() &&
      Object.values(counts).reduce((sum, count) => sum + count, 0) === 16 &&
      Math.max(...Object.values(counts)) <= Math.ceil(16 / names.length),
    60_000,
  );

/** Answers of 409 to any controller so far, but those by which one that takes a set over hears that
 *  its token Secret is there (decision 0021). */
async function conflicts(): Promise<Readonly<Record<string, unknown>>> {
  const all = Object.entries(object(await place.requests()));
  return Object.fromEntries(
    all.filter(([key]) => key.endsWith(' 409') && key !== 'create secrets 409'),
  );
}

/** Pokes every set while something happens to a controller. */
async function pausesDuring(event: () => Promise<unknown>): Promise<Pauses> {
  const pokes = new Pokes(place, namespace);
  const all = pokes.all(everyMs);
  await pause(1_500);
  await Promise.all([event(), all]);
  podsEver += sets;
  return pokes.pauses();
}

const publish = (what: string, figures: object): void => {
  process.stdout.write(`figure ${what}, ${sets} sets: ${JSON.stringify(figures)}\n`);
};

async function expectWhole(): Promise<void> {
  const { onlooker } = place;
  await onlooker.until(
    'all pods ready',
    () => onlooker.readyPods(namespace) === sets,
    () => onlooker.readyPods(namespace),
  );
  expect(onlooker.podsEver(namespace)).toBe(podsEver);
}

beforeAll(async () => {
  await place.start();
  await createNamespace(place.client, namespace);
  await among('c0', 'c1', 'c2');
  const cliques = [{ name: 'w', replicas: 1 }];
  for (let n = 0; n < sets; n++) {
    await createSet(place.client, namespace, { name: `s${n}`, replicas: 1, cliques });
  }
}, 120_000);
afterAll(() => place.end());

describe('Three controllers', () => {
  test('share the shards evenly and bring up every set', async () => {
    await sharedBy('c0', 'c1', 'c2');
    await expectWhole();
  }, 120_000);

  test.skipIf(natsSkip !== '')(
    `answer for each other when asked over NATS${natsSkip}`,
    async () => {
      const bus = testBus({ servers: [place.nats?.url ?? ''] });
      try {
        await eventually('connected', () => bus.state().connected, Boolean);
        for (let n = 0; n < sets; n++) {
          const about = { kind: 'podcliqueset', namespace, name: `s${n}` } as const;
          const answer = await bus.ask({ about, question: 'state', payload: {} }, 5_000);
          expect(answer, `s${n}`).toMatchObject({ ok: true });
        }
      } finally {
        await bus.close();
      }
    },
  );

  test('pause an object for a moment when one joins and when one leaves, and meet no 409', async () => {
    await among('c0', 'c1', 'c2');
    await expectWhole();
    const joining = await pausesDuring(() => start('c3'));
    publish('join', joining);
    expect(joining.p99Ms).toBeLessThanOrEqual(momentMs);
    await sharedBy('c0', 'c1', 'c2', 'c3');
    await expectWhole();
    let exitMs = 0;
    const leaving = await pausesDuring(async () => {
      exitMs = await leave('c0');
    });
    publish('leave', { ...leaving, exitMs: Math.round(exitMs) });
    expect(leaving.p99Ms).toBeLessThanOrEqual(momentMs);
    expect(exitMs).toBeLessThanOrEqual(10_000);
    await sharedBy('c1', 'c2', 'c3');
    await expectWhole();
    expect(await conflicts()).toEqual({});
  }, 240_000);

  test('take over from one that is killed soon', async () => {
    await among('c1', 'c2', 'c3');
    await expectWhole();
    const pauses = await pausesDuring(() => running('c1').program.kill());
    controllers.delete('c1');
    publish('kill -9', pauses);
    expect(pauses.maxMs).toBeLessThanOrEqual(takenOverMs);
    await sharedBy('c2', 'c3');
    await expectWhole();
  }, 120_000);

  test('do without one that is stopped; when it goes on it writes nothing late', async () => {
    await among('c2', 'c3');
    await expectWhole();
    const stopped = running('c2');
    const pauses = await pausesDuring(() => Promise.resolve(stopped.program.signal('SIGSTOP')));
    publish('SIGSTOP', pauses);
    await sharedBy('c3');
    await expectWhole();
    const before = await conflicts();
    await pause(Math.max(0, stoppedMs - pauses.maxMs));
    stopped.program.signal('SIGCONT');
    await sharedBy('c2', 'c3');
    await stopped.program.line(/lost its lease/);
    await expectWhole();
    expect(await conflicts()).toEqual(before);
  }, 180_000);
});
