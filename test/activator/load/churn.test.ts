// Pods that come and go under load, on real sockets: every request is answered, each once, and no
// pod has more of them than its limit, as the pods themselves count.
import { afterEach, describe, expect, it } from 'vitest';
import { type Account, Clients } from './clients.ts';
import { LoadWorld, type LoadOptions } from './world.ts';

let world: LoadWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

async function start(options: LoadOptions, pods: number): Promise<LoadWorld> {
  world = await LoadWorld.start(options);
  await world.addAll(pods);
  return world;
}

/** Nothing failed: a pod that goes is no reason. */
function expectAllAnswered({ ledger }: LoadWorld, account: Account): void {
  expect(account.lost).toEqual([]);
  expect(account.statuses).toEqual({});
  expect(account).toMatchObject({ ok: account.sent, refused: 0, cancelled: 0 });
  expect(ledger.twice).toEqual([]);
  expect(ledger.received.size).toBe(account.sent);
}

function expectNothingLeft({ admission, revisions, ledger }: LoadWorld): void {
  expect(admission.table.figures.active).toBe(0);
  expect(admission.table.audit()).toEqual([]);
  expect(ledger.running).toBe(0);
  for (const { revision } of revisions.plane.all()) {
    expect(revision.admission.figures).toMatchObject({ waiting: 0, isWaking: false });
  }
}

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
      expectNothingLeft(stage);
      expect(stage.ledger.most).toBeLessThanOrEqual(limit === 0 ? 30 : limit);
      expect(stage.ledger.received.size).toBeGreaterThan(100);
    },
  );
});
