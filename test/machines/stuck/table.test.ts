// What `why` answers to somebody who is stuck: the cause, and when something happens next. The
// answers themselves are in docs/why.md.
import { describe, expect, it } from 'vitest';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import { situations } from './table.ts';

const every = Object.values(situations).flat();

describe('why', () => {
  it.each(
    every.map((one) => [`${one.matter} (${one.asked.kind} ${one.asked.name})`, one] as const),
  )('tells the cause and the next deadline: %s', (_, { asked, world: make, says, deadlineMs }) => {
    const world = make();
    const said = world.why(asked);
    const told = said.find((one) => says.every((words) => one.includes(words)));
    expect({ told, said }).toEqual({ told: expect.any(String), said });
    if (deadlineMs === undefined) {
      expect(told).not.toMatch(/\bin \d|\bat \d{4}/);
    } else {
      expect(told).toContain(rfc3339(world.now + deadlineMs));
      expect(world.wakesAt(asked)).toBe(world.now + deadlineMs);
    }
  });
});
