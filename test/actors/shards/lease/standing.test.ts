// How long a process may trust its lease: both clocks count, and the limits are kept to.
import { describe, expect, it } from 'vitest';
import { Standing } from '#actors/shards/lease/standing.ts';
import {
  arrivalMs,
  clockRateRatio,
  sureMs,
  termsError,
  termsOf,
} from '#actors/shards/lease/terms.ts';
import { terms } from './world.ts';

const at = (steady: number, wall = steady) => ({ steady, wall });

describe('A process', () => {
  it('is sure for half the duration, less the time that a write may take to arrive', () => {
    expect(sureMs(terms)).toBe(terms.durationMs / clockRateRatio - arrivalMs);
    const standing = new Standing(terms);
    standing.renewed(at(1_000), at(1_400));
    expect(standing.isSure(at(1_000 + 6_999))).toBe(true);
    expect(standing.isSure(at(1_000 + 7_000))).toBe(false);
  });

  it('counts from when the renewal was sent, not from its answer', () => {
    const standing = new Standing(terms);
    standing.renewed(at(0), at(6_900));
    expect(standing.isSure(at(7_000))).toBe(false);
  });

  it('is unsure when only the time of day went on, as after a sleep of the machine', () => {
    const standing = new Standing(terms);
    standing.renewed(at(0, 0), at(10, 10));
    expect(standing.isSure(at(20, 60_000))).toBe(false);
    expect(standing.isSure(at(6_000, -3_600_000))).toBe(true);
  });

  it('judges others only by the time in which it had no doubt of itself', () => {
    const standing = new Standing(terms);
    standing.renewed(at(0), at(10));
    standing.renewed(at(5_000), at(5_010));
    expect(standing.sureFor(at(6_000))).toBe(5_990);
    standing.renewed(at(40_000), at(40_010));
    expect(standing.sureFor(at(41_000))).toBe(990);
    expect(standing.sureFor(at(60_000))).toBe(0);
  });

  it('knows of the latest renewal, in whatever order the answers come', () => {
    const standing = new Standing(terms);
    standing.renewed(at(5_000), at(5_010));
    standing.renewed(at(1_000), at(5_020));
    expect(standing.sinceRenewal(at(6_000))).toBe(1_000);
    expect(standing.sureFor(at(6_000))).toBe(990);
  });

  it('is sure of nothing before its first renewal, and after its lease was lost', () => {
    const standing = new Standing(terms);
    const said = () => [
      ...[standing.isSure(at(6_000)), standing.isExpired(at(6_000))],
      ...[standing.sureFor(at(6_000)), standing.sinceRenewal(at(6_000))],
    ];
    expect(said()).toEqual([false, true, 0, undefined]);
    standing.renewed(at(1_000), at(1_500));
    expect(said()).toEqual([true, false, 4_500, 5_000]);
    standing.lost();
    expect(said()).toEqual([false, true, 0, undefined]);
    standing.renewed(at(5_000), at(5_500));
    expect(said()).toEqual([true, false, 500, 1_000]);
  });

  it('gives up after the time to renew', () => {
    const standing = new Standing(terms);
    expect(standing.isExpired(at(0))).toBe(true);
    standing.renewed(at(0), at(10));
    expect([standing.isExpired(at(9_999)), standing.isExpired(at(10_000))]).toEqual([false, true]);
  });
});

describe('Times', () => {
  it('come from those of a configuration', () => {
    const seconds = { durationSeconds: 15, renewSeconds: 10, retrySeconds: 2 };
    expect(termsOf(seconds, 4)).toEqual(terms);
  });

  it('are refused from where a lease would not be surely held, and not before', () => {
    expect(termsError({ ...terms, retryMs: 3_500 })).toBeUndefined();
    expect(termsError({ ...terms, retryMs: 3_501 })).toEqual({
      field: 'retrySeconds',
      why: 'must be at most 3.5 with these times',
    });
    expect(termsError({ ...terms, renewMs: 14_999 })).toBeUndefined();
    expect(termsError({ ...terms, renewMs: 15_000 })).toEqual({
      field: 'renewSeconds',
      why: 'must be below durationSeconds',
    });
  });
});

describe('Times with which no lease would be surely held', () => {
  it.each([
    [{ renewMs: 15_000 }, 'renewSeconds'],
    [{ renewMs: 20_000 }, 'renewSeconds'],
    [{ retryMs: 4_000 }, 'retrySeconds'],
    [{ durationMs: 4_000, renewMs: 2_000 }, 'retrySeconds'],
  ])('%j are refused for %s', (wrong, field) => {
    expect(termsError({ ...terms, ...wrong })).toMatchObject({ field });
    expect(termsError(terms)).toBeUndefined();
  });
});
