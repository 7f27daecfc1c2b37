// What goes wrong under load, on real sockets: pods that are killed, an address that is somebody
// else's now, an actor that crashes, clients that go away. What fails says so, and nothing else
// does.
import { describe, expect, it } from 'vitest';
import { activator } from '#machines/activator/module.ts';
import { Clients } from './clients.ts';
import { expectAccounted, expectAllAnswered, expectNothingLeft } from './judge.ts';
import { start } from './stage.ts';

describe('A pod that is killed', () => {
  it.each([1, 5, 0])(
    'fails no more requests than it had, and none hangs, at a limit of %d (B-34)',
    async (limit) => {
      const stage = await start({ limit, workMs: () => 3 }, 8);
      const clients = new Clients({ port: stage.port, clients: 24, bytes: 50 });
      let had = 0;
      for (let kill = 0; kill < 6; kill++) {
        const before = clients.account.ok;
        await stage.until(() => clients.account.ok > before + 50);
        const [pod] = stage.pods;
        if (pod !== undefined) had += await stage.kill(pod);
        await stage.add();
      }
      const account = await clients.stop();
      expectAccounted(stage, account);
      expect(account.refused).toBeLessThanOrEqual(had);
      expect(Object.keys(account.statuses).every((status) => status === '502')).toBe(true);
      await expectNothingLeft(stage);
      expect(stage.admission.table.figures.routable).toBe(8);
    },
  );
});

describe('An address that another pod has now', () => {
  it('gets no request of a revision whose pod had it (B-35)', async () => {
    const stage = await start({ limit: 2, workMs: () => 1 }, 4);
    const pods = new Set<string>();
    const answered = (pod: string): void => void pods.add(pod);
    const clients = new Clients({ port: stage.port, clients: 6, answered });
    await stage.until(() => clients.account.ok > 50);
    const [victim] = stage.pods;
    if (victim === undefined) throw new Error('there is no pod');
    const { dest } = victim;
    // The endpoints list the pod on, as though it were there.
    await stage.kill(victim, { isListed: true });
    await stage.until(() => !stage.isServing(dest));
    const impostor = await stage.impostor(dest);
    const validations = stage.reused;
    await stage.until(() => stage.reused > validations);
    const { ok } = clients.account;
    await stage.until(() => clients.account.ok > ok + 100);
    expectAccounted(stage, await clients.stop());
    expect(impostor.received).toBe(0);
    expect(pods).not.toContain(impostor.id);
    await expectNothingLeft(stage);
  });
});

describe('An actor that crashes under load', () => {
  it('fails no request, and follows its pods when it is back (B-37)', async () => {
    let isBroken = false;
    const behaviours = activator.behaviours.map((behaviour): typeof behaviour => ({
      ...behaviour,
      reconcile: (...input) => {
        if (isBroken) throw new Error('injected');
        return behaviour.reconcile(...input);
      },
    }));
    const stage = await start({ limit: 2, module: { ...activator, behaviours } }, 6);
    const clients = new Clients({ port: stage.port, clients: 12, bytes: 20 });
    for (let crash = 1; crash <= 3; crash++) {
      isBroken = true;
      const [flapping] = stage.pods;
      if (flapping !== undefined) stage.ready(flapping);
      const added = stage.add();
      await stage.until(() => stage.telemetry.calls.restarted.length >= crash);
      const { ok } = clients.account;
      await stage.until(() => clients.account.ok > ok + 20);
      isBroken = false;
      await added;
    }
    expectAllAnswered(stage, await clients.stop());
    await expectNothingLeft(stage);
    expect(stage.admission.table.figures.routable).toBe(9);
    expect(stage.ledger.most).toBeLessThanOrEqual(2);
  });
});

describe('Clients that go away', () => {
  it('leave nothing behind, neither from the queue nor from a pod (B-39)', async () => {
    const stage = await start({ limit: 2, workMs: () => 15 }, 4);
    const clients = new Clients({
      port: stage.port,
      clients: 40,
      bytes: 1000,
      // Of the eight at a time that are on pods, and of the others, which wait.
      patienceMs: (number) => (number % 5 === 0 ? (number % 60) + 1 : undefined),
    });
    await stage.until(() => clients.account.ok > 400);
    const account = await clients.stop();
    expectAccounted(stage, account);
    expect(account.refused).toBe(0);
    expect(account.cancelled).toBeGreaterThan(20);
    await expectNothingLeft(stage);
    const { cancelled } = stage.revisions.plane.totals;
    expect(cancelled).toBeGreaterThan(0);
    // Those on a pod ended its connection with them: who proxies knows all that are left.
    await stage.until(() => stage.connections === stage.clients.figures.connections);
    await stage.clients.close();
    await stage.until(() => stage.connections === 0);
    // The limit is not judged here: a pod hears of a client that is gone after its permit is free.
  });
});

describe('Endpoints that change all the time', () => {
  it('lose no request, and come to the table together (B-36)', async () => {
    const stage = await start({ limit: 2, workMs: () => 1 }, 4);
    const clients = new Clients({ port: stage.port, clients: 10 });
    const { version } = stage.admission.table;
    const snapshots = 40;
    for (let snapshot = 0; snapshot < snapshots; snapshot++) {
      // Nobody is there to answer for them, so none comes into the table.
      for (let part = 0; part < 5; part++) stage.crowd(part, 1000, snapshot);
      const { ok } = clients.account;
      await stage.until(() => clients.account.ok > ok + 5);
    }
    expectAllAnswered(stage, await clients.stop());
    await expectNothingLeft(stage);
    expect(stage.states.size).toBe(4);
    // Five slices each, and the table was told at most once for all of them.
    expect(stage.admission.table.version - version).toBeLessThanOrEqual(snapshots);
  });
});
