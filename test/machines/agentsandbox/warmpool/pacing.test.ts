// How fast a warm pool is refilled, as arithmetic and in its actor.
import { describe, expect, it } from 'vitest';
import { granted, heldBy } from '#machines/agentsandbox/warmpool/refill.ts';
import { PoolKit } from './kit.ts';

describe('the hold after members were taken', () => {
  const parts = { wanted: 10, delayMs: 1_000 };

  it('never begins at the first look, and anew at each drop (R41)', () => {
    const first = heldBy({ level: undefined, heldUntil: undefined }, { ...parts, level: 3 }, 0);
    expect(first).toEqual({ level: 3, heldUntil: undefined });
    const dropped = heldBy(first, { ...parts, level: 2 }, 100);
    expect(dropped).toEqual({ level: 2, heldUntil: 1_100 });
    expect(heldBy(dropped, { ...parts, level: 2 }, 600).heldUntil).toBe(1_100);
    expect(heldBy(dropped, { ...parts, level: 1 }, 600).heldUntil).toBe(1_600);
    expect(heldBy(dropped, { ...parts, level: 2 }, 1_100).heldUntil).toBeUndefined();
  });

  it('ends where all are there, and where none is left (R41)', () => {
    const held = { level: 5, heldUntil: 1_000 };
    expect(heldBy(held, { ...parts, level: 10 }, 100).heldUntil).toBeUndefined();
    expect(heldBy(held, { ...parts, level: 0 }, 100).heldUntil).toBeUndefined();
  });

  it('is no longer where the clock is set back', () => {
    expect(
      heldBy({ level: 5, heldUntil: 9e9 }, { ...parts, level: 5 }, 0).heldUntil,
    ).toBeUndefined();
  });

  it('keeps a pool from creating, and from holding for ever (R41)', () => {
    const kit = PoolKit.with({ replicas: 4 }, { replenishDelayMs: 10_000 }).rest();
    expect(kit.members).toHaveLength(4);
    kit.ready().rest();
    kit.take(kit.names[0] ?? '').rest();
    expect(kit.members).toHaveLength(3);
    expect(kit.controller.wakesAt).toBe(kit.now + 10_000);
    expect(kit.controller.why(kit.now).join()).toContain('replenish delay');
    kit
      .wait(9_000)
      .take(kit.names[0] ?? '')
      .rest()
      .wait(9_000)
      .rest();
    expect(kit.members).toHaveLength(2);
    kit.take(...kit.names).rest();
    expect(kit.members).toHaveLength(4);
  });
});

describe('the refill rate', () => {
  it('grants a full bucket first, then what has come since (R42)', () => {
    const first = granted(undefined, 300, 10, 0);
    expect(first).toMatchObject({ grant: 10, until: undefined });
    expect(granted(first.bucket, 290, 10, 500)).toMatchObject({ grant: 5, until: undefined });
  });

  it('says when the next one comes where none is granted (R42)', () => {
    const { bucket } = granted(undefined, 1, 0.5, 0);
    expect(granted(bucket, 1, 0.5, 1_000)).toMatchObject({ grant: 0, until: 2_000 });
    expect(granted(bucket, 1, 0.5, 2_000).grant).toBe(1);
  });

  it('is no limit where it is 0, and none to speak of where it is huge (R42)', () => {
    expect(granted(undefined, 300, 0, 0).grant).toBe(300);
    expect(granted(undefined, 300, Number.MAX_VALUE, 0).grant).toBe(300);
  });

  it('fills a pool by time alone', () => {
    const kit = PoolKit.with({ replicas: 6 }, { maxRefillRate: 2 }).rest();
    expect(kit.members).toHaveLength(2);
    for (let second = 0; second < 2; second++) {
      kit.wait((kit.controller.wakesAt ?? kit.now + 500) - kit.now).rest();
      kit.wait(500).rest();
    }
    expect(kit.members.length).toBeGreaterThanOrEqual(4);
  });
});
