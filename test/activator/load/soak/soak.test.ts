// Everything at once, for long: connections that are kept and short ones, HTTP/1.1 and h2c,
// upgrades, clients that give up, strangers that send nonsense; pods that come, go, flap and are
// killed, none at all for a while, endpoints that storm, an actor that crashes. In the end no
// memory, socket, timer or actor is there that was not there before. Two minutes
// (support/optional.mjs), or `COPPICE_SOAK_SECONDS`.
import { writeHeapSnapshot } from 'node:v8';
import { describe, expect, it, onTestFinished } from 'vitest';
import { activator } from '#machines/activator/module.ts';
import { Exchange } from '#src/activator/proxy/exchange.ts';
import { PodClient } from '#src/activator/proxy/pods.ts';
import { PodSession } from '#src/activator/proxy/sessions.ts';
import { systemClock } from '#src/time/clock.ts';
import { amountOf } from '#test/support/optional.mjs';
import { seeded } from '#test/support/virtual-clock.ts';
import { expectNothingLeft } from '../judge.ts';
import { LoadWorld } from '../world.ts';
import { countOf, objectBytes, resources, slope } from './heap.ts';
import { type Kind, requests, streams, strangers, tunnels } from './kinds.ts';

const seconds = Number(process.env['COPPICE_SOAK_SECONDS'] ?? amountOf('seconds of the soak'));
/** Says what was sent and how the heap grew. */
const isTold = process.env['COPPICE_SOAK_SECONDS'] !== undefined;
/** A folder for a snapshot of the heap when it is warm and one at the end. */
const snapshots = process.env['COPPICE_SOAK_SNAPSHOTS'];
const pods = 12;
const samples = 24;
/** Of which the first are warm-up: code, connections, buffers. */
const warmUp = 8;
/** The least object that could leak takes more for each request; connections that happen to be open
 *  at a sample take the other. */
const maxBytesPerRequest = 8;
const spreadBytes = 1_000_000;

/** The actor of the revision throws in its next reconcile when it is told to. */
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

/** On a connection of a pod that was killed, before anybody could read that it ended. */
const sentInTheTurn = 1;

interface Chance {
  readonly next: () => number;
  /** Then nobody takes pods that are killed away for a while, and requests fail by them. */
  readonly isCrashing: boolean;
}

/** One thing that happens, by chance. How many requests may fail by it: those of a pod that was
 *  killed. */
async function happen(world: LoadWorld, { next, isCrashing }: Chance, round: number) {
  const pod = world.pods[Math.floor(next() * world.pods.length)];
  if (pod === undefined) return 0;
  const what = next();
  if (what < 0.4) await Promise.all([world.add(), world.remove(pod)]);
  else if (what < 0.65) {
    world.unready(pod);
    await world.until(() => !world.isServing(pod));
    world.ready(pod);
  } else if (what < 0.8 && !isCrashing) {
    const [had] = await Promise.all([world.kill(pod), world.add()]);
    return had + sentInTheTurn;
  } else if (what < 0.85) {
    await Promise.all([...world.pods].map((each) => world.remove(each)));
    await world.until(() => world.waiting > 0);
    await world.addAll(pods);
  } else world.crowd(round % 3, 200, round);
  return 0;
}

interface Sums {
  sent: number;
  had: number;
  readonly byKind: Record<string, number>;
  readonly statuses: Record<string, number>;
}

/** All kinds at once for a while, then all of them end. */
async function phase(world: LoadWorld, ms: number, sums: Sums, chance: Chance): Promise<void> {
  const settings = { port: world.port, numberOf: () => String((sums.sent += 1)) };
  const kinds: Readonly<Record<string, Kind>> = {
    kept: requests({ ...settings, clients: 20 }, true),
    short: requests({ ...settings, clients: 6 }, false),
    streams: streams({ ...settings, clients: 12 }),
    tunnels: tunnels({ ...settings, clients: 4 }),
    strangers: strangers({ ...settings, clients: 2 }),
  };
  const end = systemClock.steady() + ms;
  let had = 0;
  for (let round = 0; systemClock.steady() < end; round++)
    had += await happen(world, chance, round);
  let refused = 0;
  for (const [name, kind] of Object.entries(kinds)) {
    const account = await kind.stop();
    const accounted = account.ok + account.refused + account.cancelled;
    expect({ name, lost: account.lost }).toEqual({ name, lost: [] });
    expect({ name, accounted }).toEqual({ name, accounted: account.sent });
    sums.byKind[name] = (sums.byKind[name] ?? 0) + account.sent;
    if (name === 'strangers') continue;
    refused += account.refused;
    for (const [status, count] of Object.entries(account.statuses)) {
      sums.statuses[status] = (sums.statuses[status] ?? 0) + count;
    }
  }
  sums.had += had;
  const { statuses } = sums;
  expect({ statuses, tooMany: Math.max(0, refused - had) }).toEqual({ statuses, tooMany: 0 });
  expect(world.ledger.twice).toEqual([]);
  await expectNothingLeft(world);
  world.forget();
}

describe('An activator with everything at once, for long', () => {
  it('accounts for each request, grows by nothing and leaves nothing behind (R-9, B-30, B-33, B-34, B-36, B-37, B-39)', async () => {
    const before = resources();
    const { next } = seeded(7);
    const crashing = new Crashing();
    const settings = { limit: 3, workMs: () => next() * 6, module: crashing.module };
    const world = await LoadWorld.start(settings);
    let isStopped = false;
    const stop = async (): Promise<void> => {
      if (!isStopped) await world.stop();
      isStopped = true;
    };
    onTestFinished(stop);
    await world.addAll(pods);
    const sums: Sums = { sent: 0, had: 0, byKind: {}, statuses: {} };
    const heap: [requests: number, bytes: number][] = [];
    for (let sample = 0; sample < samples; sample++) {
      // Not in each: who crashes ten times in five minutes is parked.
      const isCrashing = sample % 6 === 1;
      crashing.isNext = isCrashing;
      await phase(world, (seconds * 1_000) / samples, sums, { next: () => next(), isCrashing });
      heap.push([sums.sent, objectBytes()]);
      if (snapshots !== undefined && (sample === warmUp || sample === samples - 1)) {
        writeHeapSnapshot(`${snapshots}/${sample}.heapsnapshot`);
      }
    }
    const warm = heap.slice(warmUp);
    const requestsSent = sums.sent - (warm[0]?.[0] ?? 0);
    const grown = slope(warm) * requestsSent;
    const most = Math.max(spreadBytes, maxBytesPerRequest * requestsSent);
    if (isTold) {
      process.stderr.write(`${JSON.stringify({ ...sums, grown, most, heap })}\n`);
    }
    expect(sums.sent).toBeGreaterThan(seconds * 50);
    // No more than the two prototypes of its kinds.
    await world.until(() => countOf(Exchange) === 2);
    expect(countOf(PodClient)).toBe(world.clients.figures.connections);
    expect(countOf(PodSession)).toBe(world.clients.sessions.size);
    expect(grown).toBeLessThan(most);
    expect([...world.revisions.system.rows()]).toHaveLength(1);
    world.retire();
    await world.until(() => [...world.revisions.system.rows()].length === 0);
    await stop();
    for (const kind of ['TCPSocketWrap', 'TCPServerWrap', 'Timeout']) {
      await world.until(() => (resources()[kind] ?? 0) <= (before[kind] ?? 0));
    }
  }, 3_600_000);
});
