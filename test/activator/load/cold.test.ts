// Requests that come before there is a pod, on real sockets: they wait, in order, and are served
// when one is there; those for which there is no place are told at once.
import { describe, expect, it } from 'vitest';
import { Clients } from './clients.ts';
import { expectAllAnswered, expectNothingLeft } from './judge.ts';
import { start } from './stage.ts';
import type { LoadWorld, LoadOptions } from './world.ts';

async function startCold(options: LoadOptions): Promise<{ stage: LoadWorld; clients: Clients }> {
  const stage = await start(options);
  return { stage, clients: new Clients({ port: stage.port, clients: 0, bytes: 30 }) };
}

/** One after the other, so that it is known which one came first. */
async function queue(stage: LoadWorld, clients: Clients, count: number) {
  const sent: Promise<void>[] = [];
  for (let waiting = 1; waiting <= count; waiting++) {
    sent.push(clients.send());
    await stage.until(() => stage.waiting === waiting);
  }
  return () => Promise.all(sent);
}

describe('Requests without a pod', () => {
  it('wait, and the first is answered when the first pod is there (B-20)', async () => {
    const { stage, clients } = await startCold({ limit: 1 });
    const answered = await queue(stage, clients, 1);
    expect(stage.ledger.received.size).toBe(0);
    expect(stage.demand.here).toBe(1);
    await stage.add();
    await answered();
    expectAllAnswered(stage, await clients.stop());
    await expectNothingLeft(stage);
  });

  it('are served in the order in which they came (B-21)', async () => {
    const { stage, clients } = await startCold({ limit: 1 });
    const answered = await queue(stage, clients, 200);
    await stage.add();
    await stage.until(() => clients.account.ok > 100);
    const byOne = [...stage.ledger.received.keys()].map(Number);
    expect(byOne).toEqual(byOne.toSorted((a, b) => a - b));
    await stage.addAll(9);
    await answered();
    expectAllAnswered(stage, await clients.stop());
    await expectNothingLeft(stage);
    expect(stage.ledger.most).toBe(1);
  });

  it('are refused at once where too many wait, and the others lose no place (B-23)', async () => {
    const { stage, clients } = await startCold({ limit: 1, maxWaiting: 50 });
    const answered = await queue(stage, clients, 50);
    await Promise.all([clients.send(), clients.send()]);
    expect(clients.account).toMatchObject({ refused: 2, ok: 0, statuses: { 503: 2 } });
    expect(stage.waiting).toBe(50);
    await stage.add();
    await answered();
    expect(await clients.stop()).toMatchObject({ sent: 52, ok: 50, refused: 2, lost: [] });
    expect([...stage.ledger.received.keys()]).toHaveLength(50);
    await expectNothingLeft(stage);
  });
});
