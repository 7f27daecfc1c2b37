// Everything at once, for long: pods that come, go, flap and are killed, an actor that crashes,
// endpoints that storm, clients that give up; and in the end no memory, socket, timer or actor is
// left that was not there before. 20 seconds, or `COPPICE_SOAK_SECONDS`.
import { afterEach, describe, expect, it } from 'vitest';
import { activator } from '#machines/activator/module.ts';
import { systemClock } from '#src/time/clock.ts';
import { usedBytes } from '#test/activator/heap.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { Clients } from './clients.ts';
import { expectNothingLeft } from './judge.ts';
import { LoadWorld } from './world.ts';

const seconds = Number(process.env['COPPICE_SOAK_SECONDS'] ?? 20);
const pods = 12;
const samples = 12;
/** Of which the first are warm-up: code, connections, buffers. */
const warmUp = 4;
/** Least squares over the samples that count must not say more; what a leak of one object for each
 *  request would take is a hundred times as much. */
const maxBytesPerRequest = 8;

let world: LoadWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

/** By kind: sockets, timers and whatever else keeps a process up. */
function resources(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** The actor of the revision, which throws in its next reconcile when it is told to. */
class Crashing {
  isNext = false;
  readonly module = {
    ...activator,
    behaviours: activator.behaviours.map((behaviour): typeof behaviour => ({
      ...behaviour,
      reconcile: (...input) => {
        if (this.isNext) {
          this.isNext = false;
          throw new Error('injected');
        }
        return behaviour.reconcile(...input);
      },
    })),
  };
}

/** One thing that happens, by chance. */
async function happen(stage: LoadWorld, next: () => number, round: number): Promise<number> {
  const pod = stage.pods[Math.floor(next() * stage.pods.length)];
  if (pod === undefined) return 0;
  const what = next();
  if (what < 0.4) await Promise.all([stage.add(), stage.remove(pod)]);
  else if (what < 0.7) {
    stage.unready(pod);
    await stage.until(() => !stage.isServing(pod));
    stage.ready(pod);
  } else if (what < 0.8) {
    const [had] = await Promise.all([stage.kill(pod), stage.add()]);
    return had;
  } else stage.crowd(round % 3, 200, round);
  return 0;
}

/** Of the values by their positions. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: 0 | 1): number => points.reduce((sum, p) => sum + p[of], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const above = points.reduce((sum, [px, py]) => sum + (px - x) * (py - y), 0);
  return above / points.reduce((sum, [px]) => sum + (px - x) ** 2, 0);
}

describe('An activator with everything at once, for long', () => {
  it('accounts for each request, grows by nothing and leaves nothing behind (B-30, B-33, B-34, B-36, B-37, B-39)', async () => {
    const before = resources();
    const { next } = seeded(7);
    const crashing = new Crashing();
    const stage = await LoadWorld.start({
      limit: 3,
      workMs: () => next() * 6,
      module: crashing.module,
    });
    world = stage;
    await stage.addAll(pods);
    const heap: [requests: number, bytes: number][] = [];
    let had = 0;
    let sent = 0;
    for (let sample = 0, round = 0; sample < samples; sample++) {
      const clients = new Clients({
        port: stage.port,
        clients: 40,
        bytes: 200,
        patienceMs: (number) => (number % 10 === 0 ? (number % 30) + 1 : undefined),
      });
      // Not in each: who crashes ten times in five minutes is parked.
      crashing.isNext = sample % 4 === 1;
      const end = systemClock.steady() + (seconds * 1000) / samples;
      for (; systemClock.steady() < end; round++) had += await happen(stage, () => next(), round);
      const account = await clients.stop();
      const { ok, refused, cancelled, lost } = account;
      expect(lost).toEqual([]);
      expect(ok + refused + cancelled).toBe(account.sent);
      expect(stage.ledger.twice).toEqual([]);
      stage.forget();
      sent += account.sent;
      await expectNothingLeft(stage);
      heap.push([sent, usedBytes()]);
      expect(refused).toBeLessThanOrEqual(had);
    }
    expect(sent).toBeGreaterThan(seconds * 50);
    expect(slope(heap.slice(warmUp))).toBeLessThan(maxBytesPerRequest);
    expect(stage.connections).toBe(stage.clients.figures.connections);
    expect([...stage.revisions.system.rows()]).toHaveLength(1);
    await stage.retire();
    expect([...stage.revisions.system.rows()]).toEqual([]);
    await stage.stop();
    world = undefined;
    await stage.until(() => (resources()['TCPSocketWrap'] ?? 0) <= (before['TCPSocketWrap'] ?? 0));
    await stage.until(() => (resources()['Timeout'] ?? 0) <= (before['Timeout'] ?? 0) + 1);
    expect(resources()['TCPServerWrap'] ?? 0).toBe(before['TCPServerWrap'] ?? 0);
  }, 3_600_000);
});
