// What leaves together, when, and in which order.
import { describe, expect, it } from 'vitest';
import { busLimits } from '#bus/limits.ts';
import { Batch } from '#bus/nats/batch.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

function open(): {
  clock: VirtualClock;
  sent: string[];
  add: (name: string, size?: number) => void;
  batch: Batch;
} {
  const clock = new VirtualClock();
  const sent: string[] = [];
  const batch = new Batch(clock, ({ subject }) => sent.push(subject));
  const add = (subject: string, size = 10): void =>
    batch.add({ subject, payload: new Uint8Array(size), isFact: true });
  return { clock, sent, add, batch };
}

describe('what is told leaves together', () => {
  it('after a moment, in its order', async () => {
    const { clock, sent, add } = open();
    add('a');
    add('b');
    expect(sent).toEqual([]);
    await clock.advance(busLimits.batchMs);
    expect(sent).toEqual(['a', 'b']);
    add('c');
    await clock.advance(busLimits.batchMs);
    expect(sent).toEqual(['a', 'b', 'c']);
  });

  it('at once when there is as much as one write takes', () => {
    const { sent, add } = open();
    add('a');
    add('b', busLimits.batchBytes);
    expect(sent).toEqual(['a', 'b']);
  });

  it('when asked to, and then leaves no timer behind', async () => {
    const { clock, sent, add, batch } = open();
    add('a');
    batch.flush();
    expect(sent).toEqual(['a']);
    await clock.advance(busLimits.batchMs);
    expect(sent).toEqual(['a']);
  });
});
