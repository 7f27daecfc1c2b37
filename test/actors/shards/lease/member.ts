// The membership of a process alone with a store that answers when the test says so. For
// membership.test.ts and joining.test.ts.
import { Membership } from '#actors/shards/lease/membership.ts';
import type {
  LeaseStore,
  MemberLease,
  MemberRecord,
  StoreOutcome,
} from '#actors/shards/lease/records.ts';
import { Standing } from '#actors/shards/lease/standing.ts';
import { View } from '#actors/shards/lease/view.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { terms } from './world.ts';

export const wallStart = 1_000.5;

export const record = (more: Partial<MemberRecord> = {}): MemberRecord => ({
  ...{ type: 'member', uid: 'u', version: '10', member: 'm-1', joinedAt: 7, leaving: false },
  ...more,
});
export const done = (more: Partial<MemberRecord> = {}): StoreOutcome => ({
  ok: true,
  record: record(more),
});
export const failed = (why: 'changed' | 'gone' | 'unknown' | 'refused'): StoreOutcome => ({
  ...{ ok: false, why },
  message: `it was ${why}`,
});

/** Nothing is answered before the test says so. */
export function scene(others: readonly MemberRecord[] = []) {
  const time = { steady: 0, wall: wallStart };
  const view = new View();
  const standing = new Standing(terms);
  const sent: unknown[] = [];
  const logged: unknown[] = [];
  const counts = { lost: 0, answers: 0, names: 0 };
  const here: { address?: string } = {};
  let resolve: ((outcome: StoreOutcome) => void) | undefined;
  const call = (...what: readonly unknown[]): Promise<StoreOutcome> => {
    sent.push(what);
    return new Promise((answer) => {
      resolve = answer;
    });
  };
  const store: LeaseStore = {
    create: (draft) => call('create', draft),
    update: (draft, { uid, version }) => call('update', draft, uid, version),
    readMember: (member) => call('read', member),
    remove: (member, of) => call('remove', member, of),
    follow: () => ({ refresh: () => {}, stop: () => {} }),
  };
  const membership = new Membership({
    ...{ terms, store, view, standing },
    log: (level, message, fields) => void logged.push([level, message, fields]),
    newMember: () => `m-${++counts.names}`,
    address: () => here.address,
    now: () => ({ ...time }),
    lost: () => void counts.lost++,
  });
  if (others !== noList) view.list(others, '5', 0);
  const look = (): void => membership.evaluate(() => void counts.answers++);
  return {
    ...{ time, view, standing, sent, logged, counts, here, membership, look },
    /** What was sent since the last time. */
    news: () => sent.splice(0),
    pass: (ms: number) => {
      time.steady += ms;
      time.wall += ms;
    },
    answer: async (outcome: StoreOutcome) => {
      resolve?.(outcome);
      resolve = undefined;
      await new VirtualClock().drain();
    },
  };
}
export const noList: readonly MemberRecord[] = [];

export const draft = (more: Partial<MemberLease> = {}): MemberLease => ({
  ...{ type: 'member', member: 'm-1', joinedAt: 1_000_500, leaving: false },
  ...more,
});

/** A member since 100 ms, with nothing sent that was not looked at. */
export async function joined(more: Partial<MemberRecord> = {}) {
  const stage = scene([]);
  stage.look();
  stage.pass(100);
  await stage.answer(done({ joinedAt: 1_000_500, ...more }));
  stage.news();
  return stage;
}
