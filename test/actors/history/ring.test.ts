// The ring of facts against one that keeps everything in an array: what is known, in which order,
// what has gone, and that nothing but plain data stays behind.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Recorded } from '#actors/history/history.ts';
import { FactRing } from '#actors/history/ring.ts';
import type { Fact } from '#actors/ports.ts';
import { actorId } from '#machines/contract/address.ts';
import { patient } from '#test/support/eventually.ts';
import { setKey } from '../fixtures/facts.ts';

const factOf = (name: string, trace = 't', at = 0): Fact => ({
  id: `${trace}-${at}`,
  cause: '',
  trace,
  at,
  about: setKey(name),
  what: 'decided',
  data: { what: name },
});

const idOf = (name: string): string => actorId(setKey(name));
const places = (facts: readonly Recorded[]): number[] => facts.map(({ sequence }) => sequence);

const anyFacts = fc.array(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    trace: fc.constantFrom('t', 'u', 'v', 'w', 'x'),
    at: fc.nat(20),
  }),
  { maxLength: 60 },
);

/** Ring and model, both with these facts. */
function filled(capacity: number, facts: readonly { name: string; trace: string; at: number }[]) {
  const ring = new FactRing({ capacity });
  const all = facts.map(({ name, trace, at }) => ring.add(factOf(name, trace, at)));
  return { ring, kept: all.slice(-capacity) };
}

describe('The ring of facts', () => {
  it('knows the newest facts, without gaps', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), anyFacts, (capacity, facts) => {
        const { ring, kept } = filled(capacity, facts);
        expect(ring.newest).toBe(facts.length);
        expect(ring.oldest).toBe(kept[0]?.sequence ?? 0);
        expect(ring.after(0, Infinity)).toEqual(kept);
        const [first = 0] = places(kept);
        expect(places(kept)).toEqual(kept.map((_, index) => first + index));
      }),
    );
  });

  it('answers as one that keeps everything and looks through it', () => {
    const anyPlace = fc.integer({ min: 0, max: 65 });
    const asked = fc.record({
      limit: fc.integer({ min: 1, max: 70 }),
      from: anyPlace,
      to: anyPlace,
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        anyFacts,
        asked,
        (capacity, facts, { limit, from, to }) => {
          const { ring, kept } = filled(capacity, facts);
          const later = kept.filter(({ sequence }) => sequence > from);
          expect(ring.after(from, limit)).toEqual(later.slice(0, limit));
          const within = kept.filter(({ at }) => at >= from && at <= to);
          expect(ring.between(from, to, limit)).toEqual(within.slice(0, limit));
          for (const name of ['a', 'b', 'c', 'd', 'nobody']) {
            const own = kept.filter(({ about }) => about.name === name).toReversed();
            const older = own.filter(({ sequence }) => sequence < to);
            expect(ring.of(idOf(name), limit)).toEqual(own.slice(0, limit));
            expect(ring.of(idOf(name), limit, to)).toEqual(older.slice(0, limit));
          }
          for (const trace of ['t', 'u', 'v', 'w', 'x', 'none']) {
            expect(ring.trace(trace)).toEqual(kept.filter((fact) => fact.trace === trace));
          }
        },
      ),
    );
  });

  it('indexes the actors and traces of the facts that it knows, and no others', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), anyFacts, (capacity, facts) => {
        const { ring, kept } = filled(capacity, facts);
        expect(ring.indexed).toEqual({
          actors: new Set(kept.map(({ about }) => about.name)).size,
          traces: new Set(kept.map(({ trace }) => trace)).size,
        });
      }),
    );
  });

  it('tells each fact once to whoever subscribes, until that ends', () => {
    const ring = new FactRing({ capacity: 2 });
    const heard: number[] = [];
    ring.add(factOf('before'));
    const end = ring.subscribe(({ sequence }) => heard.push(sequence));
    for (const name of ['a', 'b', 'c']) ring.add(factOf(name));
    end();
    ring.add(factOf('after'));
    expect(heard).toEqual([2, 3, 4]);
  });

  it('ends a subscription whose listener throws, and no other', () => {
    const errors: unknown[] = [];
    const heard: number[] = [];
    const ring = new FactRing({ capacity: 2, broken: (error) => errors.push(error) });
    ring.subscribe(() => {
      throw new Error('a page is gone');
    });
    ring.subscribe(({ sequence }) => heard.push(sequence));
    ring.add(factOf('a'));
    ring.add(factOf('b'));
    expect(heard).toEqual([1, 2]);
    expect(errors).toHaveLength(1);
  });

  it('keeps nothing alive that hangs on the key of an actor', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const ring = new FactRing({ capacity: 10 });
    const added = (): WeakRef<object> => {
      const actor = { ...setKey('demo'), snapshot: { large: true } };
      ring.add({ ...factOf('demo'), about: actor });
      return new WeakRef(actor);
    };
    const actor = added();
    await vi.waitFor(() => {
      collect();
      // Not handed to expect, whose error would keep it.
      expect(actor.deref() === undefined).toBe(true);
    }, patient);
    expect(ring.of(idOf('demo'), 1)[0]?.about).toEqual(setKey('demo'));
  });
});
