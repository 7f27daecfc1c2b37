// The faults of the memory network: what a simulation asks for happens, and a seed repeats it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FaultPolicy } from '#test/support/bus/faults.ts';
import { arrivals, faultless } from '#test/support/bus/faults.ts';
import { MemoryNetwork } from '#test/support/bus/network.ts';
import { envelopeTo, factOf, key } from '#test/support/bus/samples.ts';
import { VirtualClock, seeded } from '#test/support/virtual-clock.ts';

function setUp(seed = 1, policy: Partial<FaultPolicy> = {}) {
  const clock = new VirtualClock();
  const network = new MemoryNetwork({ clock, random: seeded(seed) });
  const [a, b] = [network.join('a'), network.join('b')];
  const heard: string[] = [];
  b.onTell((envelope) => heard.push(envelope.id));
  network.setPolicy(policy);
  return { clock, network, a, b, heard };
}

const ids = Array.from({ length: 200 }, (_, index) => `m-${index}`);

async function history(seed: number, policy: Partial<FaultPolicy>): Promise<readonly string[]> {
  const { clock, a, heard } = setUp(seed, policy);
  for (const id of ids) a.tell(envelopeTo(key('x'), id));
  await clock.advance(10_000);
  return heard;
}

describe('a faultless network', () => {
  it('delivers every message once and in order, and nothing within the call', async () => {
    const { clock, a, heard } = setUp();
    for (const id of ids) a.tell(envelopeTo(key('x'), id));
    expect(heard).toEqual([]);
    await clock.drain();
    expect(heard).toEqual(ids);
  });
});

describe('a faulty network', () => {
  it('drops, and who sent does not notice', async () => {
    const heard = await history(7, { drop: 0.3 });
    expect(heard.length).toBeGreaterThan(100);
    expect(heard.length).toBeLessThan(180);
  });

  it('duplicates', async () => {
    const heard = await history(7, { duplicate: 0.5 });
    expect(new Set(heard).size).toBe(ids.length);
    expect(heard.length).toBeGreaterThan(ids.length);
  });

  it('delays, in order where all delays are equal', async () => {
    const { clock, a, heard } = setUp(7, { delayMs: [50, 50] });
    for (const id of ids) a.tell(envelopeTo(key('x'), id));
    await clock.advance(49);
    expect(heard).toEqual([]);
    await clock.advance(1);
    expect(heard).toEqual(ids);
  });

  it('reorders without loss', async () => {
    const heard = await history(7, { reorder: 0.2 });
    expect(heard).not.toEqual(ids);
    expect(new Set(heard)).toEqual(new Set(ids));
  });

  it('repeats its history for the same seed', async () => {
    const policy = { drop: 0.1, duplicate: 0.1, reorder: 0.3, delayMs: [0, 20] } as const;
    expect(await history(42, policy)).toEqual(await history(42, policy));
    expect(await history(42, policy)).not.toEqual(await history(43, policy));
  });

  it('decides within the bounds of its policy', () => {
    const anyPolicy = fc.record({
      drop: fc.double({ min: 0, max: 1, noNaN: true }),
      duplicate: fc.double({ min: 0, max: 1, noNaN: true }),
      reorder: fc.double({ min: 0, max: 1, noNaN: true }),
      reorderMs: fc.nat(100),
    });
    fc.assert(
      fc.property(anyPolicy, fc.integer(), (policy, seed) => {
        const delays = arrivals({ ...faultless, ...policy, delayMs: [5, 9] }, seeded(seed));
        expect(delays.length).toBeLessThanOrEqual(2);
        for (const delay of delays) {
          expect(delay).toBeGreaterThanOrEqual(5);
          expect(delay).toBeLessThanOrEqual(9 + policy.reorderMs);
        }
      }),
    );
  });
});

describe('a partition', () => {
  it('cuts members off from each other until it heals, and they do not notice', async () => {
    const { clock, network, a, b, heard } = setUp();
    network.partition([[a], [b]]);
    expect(a.tell(envelopeTo(key('x'), 'lost'))).toBe(true);
    await clock.drain();
    network.partition([]);
    a.tell(envelopeTo(key('x'), 'heard'));
    await clock.drain();
    expect(heard).toEqual(['heard']);
  });

  it('lets a question run into its timeout', async () => {
    const { clock, network, a, b } = setUp();
    b.onAsk(() => Promise.resolve({ ok: true, data: {} }));
    network.partition([[a], [b]]);
    const answer = a.ask({ about: key('x'), question: 'state', payload: {} }, 100);
    await clock.advance(100);
    expect(await answer).toMatchObject({ ok: false, code: 'UNREACHABLE' });
  });
});

describe('a member that is not connected', () => {
  it('drops and counts facts, refuses to tell, and hears nothing', async () => {
    const { clock, a, b, heard } = setUp();
    a.setConnected(false);
    a.fact(factOf(key('x')));
    a.copy(envelopeTo(key('x')));
    expect(a.tell(envelopeTo(key('x')))).toBe(false);
    expect(a.state()).toMatchObject({ connected: false, published: 0, roundTripMs: null });
    expect(a.state().dropped).toBeGreaterThanOrEqual(2);
    b.setConnected(false);
    a.setConnected(true);
    a.tell(envelopeTo(key('x'), 'unheard'));
    await clock.drain();
    expect(heard).toEqual([]);
  });
});
