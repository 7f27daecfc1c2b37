// The memory bus keeps the contract of BusPort, on a virtual clock.
import { describe } from 'vitest';
import type { BusPort } from '#actors/ports.ts';
import { MemoryBus } from '#test/support/bus/memory.ts';
import { MemoryNetwork } from '#test/support/bus/network.ts';
import { VirtualClock, seeded } from '#test/support/virtual-clock.ts';
import { busConformance } from './suite.ts';
import type { BusWorld, Seen } from './world.ts';

function makeWorld(): Promise<BusWorld> {
  const clock = new VirtualClock();
  const network = new MemoryNetwork({ clock, random: seeded(1) });
  const seen: Seen[] = [];
  network.observe((subject, bytes) => seen.push({ subject, bytes }));
  const members: BusPort[] = [];
  return Promise.resolve({
    seen,
    join(name) {
      const member = network.join(name);
      members.push(member);
      return Promise.resolve(member);
    },
    inject: (subject, bytes) => network.inject(subject, bytes),
    rejected: (member) => (member instanceof MemoryBus ? member.state().rejected : 0),
    async until(claim) {
      if (!(await clock.until(claim, 5_000))) throw new Error('it did not come true in 5 s');
    },
    stabilize: () => clock.drain(),
    async during(ms, work) {
      await clock.advance(ms);
      return work;
    },
    async close() {
      for (const member of members) await member.close();
    },
  } satisfies BusWorld);
}

describe('the memory bus', () => {
  busConformance(makeWorld);
});
