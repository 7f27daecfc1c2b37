// Since when a scaling group is below its minimum, by what its conditions remember.
import { describe, expect, it } from 'vitest';
import { breachedType, breachOfGroup, sinceBirthOfGroup } from '#machines/grove/objects/breach.ts';
import type { Condition } from '#machines/kubernetes/conditions.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';

const createdAt = Date.parse('2026-01-01T00:00:00Z');

/** The condition as it is written, after the one before. */
function written(old: JsonObject | undefined, status: Condition['status'], second: number) {
  const condition = { type: breachedType, status, reason: 'R', message: '' };
  const since = sinceBirthOfGroup({ createdAt }, createdAt + second * 1_000)(condition, old);
  return { ...condition, lastTransitionTime: rfc3339(since) };
}

const breachIn = (...conditions: readonly (readonly [Condition['status'], number])[]) => {
  let row: JsonObject | undefined;
  for (const [status, second] of conditions) row = written(row, status, second);
  return breachOfGroup({ createdAt }, { conditions: row === undefined ? [] : [row] });
};

describe('A scaling group that was never sound', () => {
  it('is not terminated where an update ran when its first status was written (10.1 rules 27, 33)', () => {
    expect(breachIn(['Unknown', 20], ['True', 37])).toBeUndefined();
    expect(breachIn(['True', 20], ['Unknown', 25], ['True', 37])).toBeUndefined();
  });

  it('is terminated by the breach that begins after it was sound', () => {
    expect(breachIn(['Unknown', 20], ['False', 30], ['True', 37])).toBe(createdAt + 37_000);
  });
});
