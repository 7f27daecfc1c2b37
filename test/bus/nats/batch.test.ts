// What leaves together, when, and in which order.
import fc from 'fast-check';
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

  it('whole and in order, as soon as there is enough or its oldest is old enough, whatever is added when', async () => {
    const { batchBytes, batchMs } = busLimits;
    const size = fc.oneof(fc.nat(100), fc.constantFrom(batchBytes / 2, batchBytes - 3, batchBytes));
    const steps = fc.array(fc.record({ size, waits: fc.nat(batchMs * 2) }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { clock, sent, add } = open();
        const expected: string[] = [];
        let waiting: { readonly name: string; readonly bytes: number; readonly at: number }[] = [];
        const leave = (): void => {
          expected.push(...waiting.map(({ name }) => name));
          waiting = [];
        };
        for (const [index, step] of all.entries()) {
          const name = String(index).padStart(3, '0');
          add(name, step.size);
          waiting.push({ name, bytes: name.length + step.size, at: clock.now() });
          if (waiting.reduce((sum, { bytes }) => sum + bytes, 0) >= batchBytes) leave();
          expect(sent).toEqual(expected);
          await clock.advance(step.waits);
          if (waiting[0] !== undefined && clock.now() >= waiting[0].at + batchMs) leave();
          expect(sent).toEqual(expected);
          expect(clock.pending).toBe(waiting.length === 0 ? 0 : 1);
        }
      }),
    );
  });
});
