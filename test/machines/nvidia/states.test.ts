// Every state of the charts of ComputeDomains and their children is reached by some history, and
// something depends on each.
import { describe, expect, it } from 'vitest';
import { computeDomain } from '#machines/nvidia/computedomain/behaviour.ts';
import { orphans } from '#machines/nvidia/orphan/behaviour.ts';
import { leavesIn, leavesOf } from '#test/support/chart-states.ts';
import { nvidiaHistories } from './histories.ts';

const entered = new Set<string>();

const trace = (kind: string, value: unknown): void => {
  for (const leaf of leavesIn(value)) entered.add(`${kind} ${leaf}`);
};

const behaviours = [computeDomain, ...orphans];

describe('The charts of ComputeDomains and their children', () => {
  for (const [name, run] of Object.entries(nvidiaHistories)) {
    it(`take ${name}`, () => expect(() => run(trace)).not.toThrow());
  }

  it.each(behaviours)('of a $kind have no state that nothing depends on', ({ uses }) => {
    const idle = [...uses].filter(([, dependents]) => dependents.length === 0);
    expect(idle.map(([name]) => name)).toEqual([]);
  });

  it.each(behaviours)('of a $kind are seen in every state', ({ kind, machine }) => {
    expect(leavesOf(machine).filter((leaf) => !entered.has(`${kind} ${leaf}`))).toEqual([]);
  });
});
