// What waits for a connection stays bounded, and what is lost is counted.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Outbox } from '#bus/nats/outbox.ts';

const bytes = (length: number): Uint8Array => new Uint8Array(length);
const all = (outbox: Outbox): string[] => {
  const subjects: string[] = [];
  for (let next = outbox.shift(); next !== undefined; next = outbox.shift()) subjects.push(next[0]);
  return subjects;
};

describe('an outbox', () => {
  it('gives back in the order of the latest put', () => {
    const outbox = new Outbox();
    for (const subject of ['a', 'b', 'c', 'a']) outbox.put(subject, bytes(1));
    expect(outbox.coalesced).toBe(1);
    expect(all(outbox)).toEqual(['b', 'c', 'a']);
  });

  it('keeps the latest of a subject', () => {
    const outbox = new Outbox();
    outbox.put('a', Uint8Array.of(1));
    outbox.put('a', Uint8Array.of(2));
    expect(outbox.shift()).toEqual(['a', Uint8Array.of(2)]);
    expect(outbox.shift()).toBeUndefined();
    expect(outbox.bytes).toBe(0);
  });

  it('throws out the oldest beyond its number', () => {
    const outbox = new Outbox(2);
    for (const subject of ['a', 'b', 'c']) outbox.put(subject, bytes(1));
    expect(outbox.evicted).toBe(1);
    expect(all(outbox)).toEqual(['b', 'c']);
  });

  it('throws out the oldest beyond its bytes, and one that alone is too large', () => {
    const outbox = new Outbox(10, 100);
    outbox.put('a', bytes(60));
    outbox.put('b', bytes(60));
    outbox.put('c', bytes(101));
    expect([outbox.size, outbox.bytes, outbox.evicted]).toEqual([0, 0, 3]);
  });

  it('is never beyond its bounds, and accounts for every message', () => {
    const puts = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat(50)));
    fc.assert(
      fc.property(puts, (messages) => {
        const outbox = new Outbox(3, 100);
        for (const [subject, length] of messages) {
          outbox.put(subject, bytes(length));
          expect(outbox.size).toBeLessThanOrEqual(3);
          expect(outbox.bytes).toBeLessThanOrEqual(100);
        }
        expect(outbox.size + outbox.coalesced + outbox.evicted).toBe(messages.length);
      }),
    );
  });
});
