// Pods that come and go in good order under load, on real sockets: every request is answered, each
// once, and no pod has more of them than its limit, as the pods themselves count. A pod closes its
// port as soon as the table has let go of it, so a request that came to it later would fail.
import { describe, expect, it } from 'vitest';
import { Clients } from './clients.ts';
import { expectAllAnswered, expectNothingLeft } from './judge.ts';
import { start } from './stage.ts';

describe('Pods that come and go under load', () => {
  it.each([0, 1, 10])(
    'lose no request where one goes for each that comes, at a limit of %d (B-30)',
    async (limit) => {
      const stage = await start({ limit, workMs: () => 2 }, 10);
      const clients = new Clients({ port: stage.port, clients: 30, bytes: 100 });
      for (let turn = 0; turn < 40; turn++) {
        const [oldest] = stage.pods;
        await Promise.all([stage.add(), oldest === undefined ? undefined : stage.remove(oldest)]);
      }
      expectAllAnswered(stage, await clients.stop());
      await expectNothingLeft(stage);
      expect(stage.ledger.most).toBeLessThanOrEqual(limit === 0 ? 30 : limit);
      expect(stage.ledger.received.size).toBeGreaterThan(100);
    },
  );

  it('lose no request where all are replaced by new ones (B-31)', async () => {
    // So long that a pod which went before its last request would cut it.
    const stage = await start({ limit: 2, workMs: () => 20 }, 30);
    const clients = new Clients({ port: stage.port, clients: 80, bytes: 100 });
    await stage.until(() => clients.account.ok > 80);
    const old = [...stage.pods];
    await Promise.all([stage.addAll(30), ...old.map((pod) => stage.remove(pod))]);
    const before = stage.pods.map(({ received }) => received);
    await stage.until(() => stage.pods.every((pod, at) => pod.received > (before[at] ?? 0)));
    expectAllAnswered(stage, await clients.stop());
    await expectNothingLeft(stage);
    expect(stage.states.size).toBe(30);
    expect(stage.ledger.most).toBeLessThanOrEqual(2);
  });

  it('lose no request and leak no slot where all but one go and come back (B-32)', async () => {
    const stage = await start({ limit: 4, workMs: () => 2 }, 30);
    const clients = new Clients({ port: stage.port, clients: 20 });
    for (let round = 0; round < 5; round++) {
      await Promise.all(stage.pods.slice(1).map((pod) => stage.remove(pod)));
      const { figures } = stage.admission.table;
      expect(figures).toMatchObject({ live: 1, routable: 1, draining: 0, forced: 0 });
      await stage.addAll(29);
      expect(stage.admission.table.figures).toMatchObject({ live: 30, routable: 30 });
      expect(stage.admission.table.figures.highWater).toBeLessThanOrEqual(60);
    }
    expectAllAnswered(stage, await clients.stop());
    await expectNothingLeft(stage);
    expect(stage.ledger.most).toBeLessThanOrEqual(4);
  });

  it('give every request a pod, at a limit of 1 and with ten times as many requests (B-30)', async () => {
    const stage = await start({ limit: 1, workMs: () => 20 }, 10);
    const clients = new Clients({ port: stage.port, clients: 100 });
    await stage.until(() => stage.ledger.received.size > 300);
    expectAllAnswered(stage, await clients.stop());
    await expectNothingLeft(stage);
    expect(stage.ledger.most).toBe(1);
    const [least, most] = [Math.min, Math.max].map((of) =>
      of(...stage.pods.map((p) => p.received)),
    );
    expect(least).toBeGreaterThan((most ?? 0) / 2);
  });
});

describe('Pods that are ready and not ready in turns', () => {
  it('get no request while they are not in the table as ready (B-33)', async () => {
    const stage = await start({ limit: 2, workMs: () => 1 }, 10);
    const clients = new Clients({ port: stage.port, clients: 15 });
    const flapping = stage.pods.slice(0, 2);
    const flaps = 10;
    for (let flap = 0; flap < flaps; flap++) {
      for (const pod of flapping) stage.unready(pod);
      await stage.until(() => flapping.every((pod) => !stage.isServing(pod)));
      // What was sent before is on its way for as long as it holds a permit.
      await stage.until(() => flapping.every((pod) => stage.held(pod) === 0));
      const before = flapping.map(({ received }) => received);
      const sent = clients.account.sent;
      await stage.until(() => clients.account.sent > sent + 50);
      expect(flapping.map(({ received }) => received)).toEqual(before);
      for (const pod of flapping) stage.ready(pod);
      await stage.until(() => flapping.every((pod) => stage.isServing(pod)));
    }
    expectAllAnswered(stage, await clients.stop());
    await expectNothingLeft(stage);
    const validations = stage.telemetry.calls.measured.filter(
      ({ family }) => family === 'activator_ready_validations_total',
    );
    // Each pod once when it came, and each that flaps once by flap and once by tick meanwhile.
    expect(validations.length).toBeGreaterThan(10);
    expect(validations.length).toBeLessThan(10 + flapping.length * flaps * 10);
  });
});
