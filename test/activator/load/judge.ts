// What must hold of any load, whatever happened to pods: nothing is lost, nothing is done twice,
// and all counters are back at zero.
import { expect } from 'vitest';
import type { Account } from './clients.ts';
import type { LoadWorld } from './world.ts';

/** Every request ended in one of the ways that are allowed, and pods got each once at most. */
export function expectAccounted({ ledger }: LoadWorld, account: Account): void {
  const { sent, ok, refused, cancelled, lost } = account;
  expect(lost).toEqual([]);
  expect(ok + refused + cancelled).toBe(sent);
  expect(ledger.twice).toEqual([]);
}

/** Nothing failed: what happened to pods was no reason. */
export function expectAllAnswered(world: LoadWorld, account: Account): void {
  expectAccounted(world, account);
  expect(account.statuses).toEqual({});
  expect(account).toMatchObject({ ok: account.sent, cancelled: 0 });
  expect(world.ledger.received.size).toBe(account.sent);
}

export async function expectNothingLeft(world: LoadWorld): Promise<void> {
  const { admission, revisions, ledger } = world;
  // A client that is gone has left before its permit is back.
  await world.until(() => admission.table.figures.active === 0 && ledger.running === 0);
  expect(admission.table.audit()).toEqual([]);
  expect(world.demand.here).toBe(0);
  for (const { revision } of revisions.plane.all()) {
    expect(revision.admission.figures).toMatchObject({ waiting: 0, isWaking: false });
    expect(revision.pending).toBe(0);
  }
}
