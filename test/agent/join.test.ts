// How the agent gets its row: asked for, asked for again, or announced.
import { describe, expect, it } from 'vitest';
import { awayMs, Membership, missingMs, unservedMs } from '#src/agent/join.ts';
import type { JoinBus } from '#src/agent/join.ts';
import type { Row } from '#src/agent/table.ts';
import type { Answer } from '#machines/contract/question.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';

const refused: Answer = { ok: false, code: 'INVALID', message: 'no index is free' };
const off: Answer = { ok: false, code: 'FORBIDDEN', message: 'commands are off over the bus' };
const unserved: Answer = { ok: false, code: 'UNREACHABLE', message: 'no controller' };
const unservedTimes = (length: number): readonly Answer[] => Array.from({ length }, () => unserved);
const accepted: Answer = {
  ok: true,
  data: {
    index: 0,
    version: '7',
    daemons: [{ nodeName: 'node-0', ipAddress: '10.0.0.1', cliqueID: 'c.1', index: 0 }],
  },
};

/** A bus that is up or not, and gives one answer after the other. */
class Bus implements JoinBus {
  readonly clock: VirtualClock;
  readonly asks: number[] = [];
  readonly answers: Answer[];
  isUp: boolean;
  opened = 0;
  closed = 0;

  constructor(clock: VirtualClock, isUp: boolean, answers: readonly Answer[]) {
    this.clock = clock;
    this.isUp = isUp;
    this.answers = [...answers];
  }

  up(ms: number): Promise<boolean> {
    if (this.isUp) return Promise.resolve(true);
    return new Promise((resolve) => {
      this.clock.at(this.clock.now() + ms, () => resolve(this.isUp));
    });
  }

  ask(): Promise<Answer> {
    this.asks.push(this.clock.now());
    return Promise.resolve(this.answers.shift() ?? refused);
  }

  problem = (): string => 'refused';
  close = (): Promise<void> => {
    this.closed++;
    return Promise.resolve();
  };
}

function begin(isUp: boolean, ...answers: readonly Answer[]) {
  const clock = new VirtualClock();
  const bus = new Bus(clock, isUp, answers);
  const said: string[] = [];
  const joined: (readonly Row[])[] = [];
  let announced = 0;
  const membership = new Membership({
    clock,
    random: seeded(1),
    log: (_level, message) => void said.push(message),
    connect: () => {
      bus.opened++;
      return Promise.resolve(bus);
    },
    announce: () => {
      announced++;
      return Promise.resolve();
    },
    joined: (rows) => void joined.push(rows),
  });
  membership.start();
  return { clock, bus, membership, said, joined, announced: () => announced };
}

describe('an agent that joins its clique', () => {
  it('takes the rows of the answer and closes the connection', async () => {
    const { clock, bus, joined, announced } = begin(true, accepted);
    await clock.drain();
    expect(joined).toEqual([[{ node: 'node-0', ip: '10.0.0.1', cliqueID: 'c.1', index: 0 }]]);
    expect([bus.opened, bus.closed, announced()]).toEqual([1, 1, 0]);
    expect(clock.pending).toBe(0);
  });

  it('asks again after a refusal, at pauses that double up to 6 s, give or take 25 %', async () => {
    const { clock, bus, said, announced } = begin(true);
    await clock.advance(60_000);
    const pauses = bus.asks.slice(1).map((at, index) => at - (bus.asks[index] ?? 0));
    pauses.forEach((pause, index) => {
      const wanted = Math.min(6_000, 5 * 2 ** index);
      expect(pause).toBeGreaterThanOrEqual(wanted * 0.75);
      expect(pause).toBeLessThanOrEqual(wanted * 1.25);
    });
    expect(pauses.length).toBeGreaterThan(15);
    // One line however often, and no write.
    expect(said).toEqual(['not let in yet: asking again']);
    expect(announced()).toBe(0);
  });

  it('announces itself at once where the controller takes no commands over the bus', async () => {
    const { clock, bus, said, announced } = begin(true, off, accepted);
    await clock.advance(60_000);
    expect([announced(), bus.asks.length, bus.closed]).toEqual([1, 1, 1]);
    expect(said).toEqual(['not let in over NATS: announced on the pod']);
  });

  it('waits for a controller that starts anew, and announces itself where none comes', async () => {
    const { clock, bus, announced } = begin(true, ...unservedTimes(60));
    await clock.advance(unservedMs - 1);
    expect(announced()).toBe(0);
    await clock.advance(8_000);
    expect([announced(), bus.closed]).toEqual([1, 1]);
    const { length } = bus.asks;
    await clock.advance(60_000);
    expect([announced(), bus.asks.length]).toEqual([1, length]);
  });

  it('counts that time anew after each answer of the actor itself', async () => {
    const answers = [...unservedTimes(13), refused, ...unservedTimes(3)];
    const { clock, announced } = begin(true, ...answers);
    await clock.advance(60_000);
    expect(announced()).toBe(0);
  });

  it('announces itself once when the bus is away for two seconds, and stays so', async () => {
    const { clock, bus, membership, announced } = begin(false, accepted);
    await clock.advance(awayMs - 1);
    expect(announced()).toBe(0);
    await clock.advance(1);
    expect(announced()).toBe(1);
    bus.isUp = true;
    membership.look(false);
    await clock.advance(60_000);
    expect([announced(), bus.asks.length, bus.opened, bus.closed]).toEqual([1, 0, 1, 1]);
  });

  it('asks again when its row has gone for a while, and not for a moment', async () => {
    const { clock, bus, membership } = begin(true, accepted, accepted);
    await clock.drain();
    membership.look(true);
    membership.look(false);
    await clock.advance(missingMs - 1);
    membership.look(true);
    await clock.advance(missingMs);
    expect(bus.asks).toHaveLength(1);
    membership.look(false);
    membership.look(false);
    await clock.advance(missingMs);
    expect(bus.asks).toHaveLength(2);
  });

  it('that stops asks no more and writes nothing, whether it was let in or not (Q-24)', async () => {
    const { clock, bus, membership, announced } = begin(true);
    await clock.advance(100);
    const { length } = bus.asks;
    membership.stop();
    bus.isUp = false;
    await clock.advance(60_000);
    expect(bus.asks).toHaveLength(length);
    expect(announced()).toBe(0);
    expect(bus.closed).toBeGreaterThan(0);
    const joined = begin(true, accepted);
    await joined.clock.drain();
    joined.membership.look(true);
    joined.membership.stop();
    joined.membership.look(false);
    await joined.clock.advance(60_000);
    expect([joined.bus.asks.length, joined.announced()]).toEqual([1, 0]);
  });
});
