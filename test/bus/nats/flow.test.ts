// A connection is given only so much that nobody confirmed, and is called stale when it is silent.
import { beforeEach, describe, expect, it } from 'vitest';
import { busLimits } from '#bus/limits.ts';
import { Flow } from '#bus/nats/flow.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

interface Setup {
  readonly clock: VirtualClock;
  readonly flow: Flow;
  /** The pings that were not answered yet, oldest first. */
  readonly pings: (() => void)[];
  readonly calls: string[];
}

function setUp(): Setup {
  const clock = new VirtualClock();
  const pings: (() => void)[] = [];
  const calls: string[] = [];
  const flow: Flow = new Flow(
    { pingIntervalMs: 5_000, maxPingOut: 2 },
    {
      clock,
      ping: () => new Promise<void>((resolve) => pings.push(resolve)),
      onRoom: () => calls.push(flow.hasRoom ? 'room' : 'no room'),
      onStale: () => calls.push('stale'),
    },
  );
  return { clock, flow, pings, calls };
}

describe('a flow', () => {
  let setup: Setup;
  beforeEach(() => {
    setup = setUp();
  });

  const answer = async (afterMs = 0): Promise<void> => {
    await setup.clock.advance(afterMs);
    setup.pings.shift()?.();
    await setup.clock.drain();
  };

  it('measures the round trip of every ping', async () => {
    expect(setup.flow.roundTripMs).toBeNull();
    await answer(7);
    expect(setup.flow.roundTripMs).toBe(7);
    await setup.clock.advance(4_993);
    await answer(3);
    expect(setup.flow.roundTripMs).toBe(3);
  });

  it('is full when too much is unconfirmed, and has room when a ping confirms it', async () => {
    await answer();
    setup.calls.length = 0;
    setup.flow.sent(busLimits.unconfirmedBytes);
    expect(setup.flow.hasRoom).toBe(false);
    expect(setup.pings).toHaveLength(1);
    await answer();
    expect(setup.flow.hasRoom).toBe(true);
    expect(setup.calls).toEqual(['room']);
  });

  it('confirms only what was sent before the ping', async () => {
    setup.flow.sent(busLimits.unconfirmedBytes);
    await answer(); // the first ping, from before the message
    expect(setup.flow.hasRoom).toBe(false);
  });

  it('pings on its own account before the room is used up, one ping at a time', async () => {
    await answer();
    for (let i = 0; i < 10; i++) setup.flow.sent(busLimits.unconfirmedBytes / 8);
    expect(setup.pings).toHaveLength(1);
  });

  it('is stale at most 15 s after the last answer', async () => {
    await answer();
    await setup.clock.advance(14_999);
    expect(setup.calls).not.toContain('stale');
    await setup.clock.advance(1);
    expect(setup.calls).toContain('stale');
  });

  it('is stale 10 s after a ping without an answer, whenever that was sent', async () => {
    await answer();
    await setup.clock.advance(1_000);
    setup.flow.sent(busLimits.unconfirmedBytes / 4);
    await setup.clock.advance(9_999);
    expect(setup.calls).not.toContain('stale');
    await setup.clock.advance(1);
    expect(setup.calls).toContain('stale');
  });

  it('is never stale while answers come, however late within the limit', async () => {
    for (let i = 0; i < 20; i++) await answer(8_000);
    expect(setup.calls).not.toContain('stale');
  });

  it('does nothing more once it is stopped', async () => {
    setup.flow.stop();
    await setup.clock.advance(60_000);
    await answer();
    expect(setup.calls).toEqual([]);
    expect(setup.flow.hasRoom).toBe(false);
    expect(setup.clock.pending).toBe(0);
  });
});
