// Three controllers that share the shards, one of them with a clock that runs at half or double
// rate, blocked, stopped, or cut off from its leases while it has work to do: whoever takes over,
// nothing that the former owner writes takes effect afterwards. Default times; four minutes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { Place, type Running } from '#test/support/place.ts';
import { createNamespace, createSet } from '#test/support/workload.ts';
import { ApiProxy } from '../faults/proxy/api-proxy.ts';
import { kubeconfigThrough } from '../faults/proxy/kubeconfig.ts';
import { Ownerships } from './sharing-ownerships.ts';

const sets = 60;
const shards = 16;
const namespace = 'reigns';
const stopMs = 45_000;
const blockMs = 20_000;
const patient = { timeout: 240_000 };

interface Member {
  readonly name: string;
  readonly running: Running;
  readonly proxy: ApiProxy;
}

const place = new Place();
const members = new Map<string, Member>();
let ownerships: Ownerships;

/** A controller behind a proxy of its own whose clocks run at this rate. */
async function start(name: string, rate = 1): Promise<Member> {
  const proxy = await ApiProxy.start(place.connection, { seed: 1 });
  ownerships.add(name, proxy);
  const kubeconfig = join(place.folder, `kubeconfig-${name}`);
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigThrough(proxy, { token: 'any' })));
  const clock = new URL('./sharing-clock.ts', import.meta.url);
  const preload = `${clock.href}?rate=${rate}`;
  const settings = { leases: { enabled: true, identity: name } };
  const running = await place.controller(settings, { kubeconfig, preload });
  const member = { name, running, proxy };
  members.set(name, member);
  return member;
}

const member = (name: string): Member => {
  const found = members.get(name);
  if (found === undefined) throw new Error(`no controller ${name}`);
  return found;
};

const holders = (): readonly string[] => [...ownerships.holders.values()];

const sharedBy = (...names: string[]): Promise<unknown> =>
  eventually(
    `shared by ${names.join()}`,
    holders,
    (all) => all.length === shards && [...new Set(all)].toSorted().join() === names.join(),
    90_000,
  );

/** Of one that has ended. */
async function forget(name: string): Promise<void> {
  await member(name).proxy.end();
  members.delete(name);
}

/** Until these alone share, by the rates of their clocks; each that is missing joins after those
 *  before it. */
async function among(rates: Readonly<Record<string, number>>): Promise<void> {
  const names = Object.keys(rates);
  for (const name of names) {
    if (members.has(name)) continue;
    await start(name, rates[name]);
    await eventually(`${name} in`, holders, (all) => all.includes(name), 90_000);
  }
  for (const [name, { running }] of members) {
    if (names.includes(name)) continue;
    running.program.signal('SIGTERM');
    await running.program.ended;
    await forget(name);
  }
  await sharedBy(...names.toSorted());
}

/** Deletes pods, one set after the other, until told to end: there is always something to write. */
function harass(): () => Promise<void> {
  const over = new AbortController();
  const work = async (): Promise<void> => {
    for (let turn = 0; !over.signal.aborted; turn++) {
      const set = `s${turn % sets}`;
      const pods = place.onlooker.all('pods', namespace);
      const name = [...pods.keys()].find((each) => each.startsWith(`${set}-`));
      const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
      const body = { gracePeriodSeconds: 0 };
      if (name !== undefined) await place.client.request({ method: 'DELETE', path, body });
      await pause(100);
    }
  };
  const working = work();
  return () => {
    over.abort();
    return working;
  };
}

const ready = (): number => place.onlooker.readyPods(namespace);

/** Work goes on while `trouble` does its harm; afterwards all is whole and nothing was late. */
async function during(what: string, trouble: () => Promise<object>): Promise<void> {
  const before = { writes: ownerships.writes, conflicts: ownerships.conflicts };
  const rest = harass();
  await pause(1_000);
  const figures = await trouble();
  await rest();
  await place.onlooker.until('all pods ready', () => ready() === sets, ready, 90_000);
  const writes = ownerships.writes - before.writes;
  const conflicts = ownerships.conflicts - before.conflicts;
  const late = ownerships.late(namespace);
  const all = { ...figures, writes, conflicts, late: late.length };
  process.stdout.write(`figure ${what}: ${JSON.stringify(all)}\n`);
  expect(late).toEqual([]);
  expect(writes).toBeGreaterThan(0);
}

/** Cuts the leases of one off, answers and watches too; its other requests pass. */
async function starve(victim: string, others: readonly string[]): Promise<object> {
  const since = performance.now();
  const { proxy } = member(victim);
  const lift = proxy.inflict({ kind: 'leases', fault: { type: 'halfOpen' }, alsoOpen: true });
  await sharedBy(...others);
  const takenMs = Math.round(performance.now() - since);
  await pause(5_000);
  lift();
  proxy.cut();
  await sharedBy(...[...others, victim].toSorted());
  return { takenMs };
}

beforeAll(async () => {
  await place.start();
  await createNamespace(place.client, namespace);
  ownerships = new Ownerships(place.client);
  await among(slow);
  const cliques = [{ name: 'w', replicas: 1 }];
  for (let n = 0; n < sets; n++) {
    await createSet(place.client, namespace, { name: `s${n}`, replicas: 1, cliques });
  }
  await place.onlooker.until('all pods ready', () => ready() === sets, ready, 90_000);
}, 240_000);

afterAll(async () => {
  ownerships.stop();
  await place.end();
  for (const { proxy } of members.values()) await proxy.end();
});

/** One clock at half the rate. */
const slow = { c0: 1, c1: 1, c2: 0.5 };
/** One at double rate, of whoever joined first and so judges. */
const fast = { c3: 2, c4: 1, c5: 1 };

describe('An owner', () => {
  test('without faults meets no 409, whatever the rate of its clock', () => {
    expect(ownerships.conflicts).toBe(0);
    expect(ownerships.late(namespace)).toEqual([]);
  });

  test('whose clock runs at half the rate writes nothing late', patient, async () => {
    await among(slow);
    await during('clock at half rate, cut off', () => starve('c2', ['c0', 'c1']));
  });

  test('judged by a clock of double rate writes nothing late', patient, async () => {
    await among(fast);
    await during('cut off, judged at double rate', () => starve('c4', ['c3', 'c5']));
  });

  test('whose loop is blocked for 20 s writes nothing late', patient, async () => {
    await among(fast);
    await during('loop blocked for 20 s', async () => {
      member('c4').running.program.signal('SIGUSR2');
      const since = performance.now();
      await sharedBy('c3', 'c5');
      const takenMs = Math.round(performance.now() - since);
      await pause(Math.max(0, blockMs + 3_000 - takenMs));
      await sharedBy('c3', 'c4', 'c5');
      return { takenMs };
    });
  });

  test('that is stopped for 45 s writes nothing late', patient, async () => {
    await among(fast);
    await during('SIGSTOP for 45 s', async () => {
      const { program } = member('c4').running;
      program.signal('SIGSTOP');
      const since = performance.now();
      await sharedBy('c3', 'c5');
      const takenMs = Math.round(performance.now() - since);
      await pause(Math.max(0, stopMs - takenMs));
      program.signal('SIGCONT');
      await program.line(/lost its lease/);
      await sharedBy('c3', 'c4', 'c5');
      return { takenMs };
    });
  });

  test(
    'that is told to end under load exits soon, and its successor acts soon',
    patient,
    async () => {
      await among(fast);
      await during('SIGTERM under load', async () => {
        const mine = new Set(
          [...ownerships.holders].flatMap(([shard, by]) => (by === 'c4' ? shard : [])),
        );
        const { program } = member('c4').running;
        const since = performance.now();
        program.signal('SIGTERM');
        expect(await program.ended).toMatchObject({ code: 0 });
        const exitMs = Math.round(performance.now() - since);
        await forget('c4');
        await sharedBy('c3', 'c5');
        const handedMs = Math.round(performance.now() - since);
        expect(exitMs).toBeLessThanOrEqual(10_000);
        expect(handedMs).toBeLessThanOrEqual(exitMs + 3_000);
        return { shards: mine.size, exitMs, handedMs };
      });
    },
  );
});
