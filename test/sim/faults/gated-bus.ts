// The bus as a process sees it that may be stalled: what arrives goes through its event loop, and
// what it sends may be damaged on its way.
import type { Answer, Ask, BusPort } from '#actors/ports.ts';
import type { MemoryBus } from '#test/support/bus/memory.ts';
import type { BitFlips } from './bit-flips.ts';
import type { MortalClock } from './mortal-clock.ts';

export function gatedBus(bus: MemoryBus, clock: MortalClock, flips: BitFlips): BusPort {
  const arrived = (answer: Promise<Answer>): Promise<Answer> =>
    new Promise((resolve) => void answer.then((value) => clock.deliver(() => resolve(value))));
  return {
    fact: (fact) => bus.fact(fact),
    copy: (envelope) => {
      if (!flips.damages(envelope, true)) bus.copy(envelope);
    },
    tell: (envelope) =>
      bus.isConnected && flips.damages(envelope, false) ? true : bus.tell(envelope),
    onTell: (handler) =>
      bus.onTell((envelope) => {
        flips.heard(envelope);
        return clock.deliver(() => handler(envelope));
      }),
    onAsk: (handler) =>
      bus.onAsk((ask: Ask) => new Promise((resolve) => clock.deliver(() => resolve(handler(ask))))),
    ask: (ask, timeoutMs) => arrived(bus.ask(ask, timeoutMs)),
    askOwner: (shard, ask, timeoutMs) => arrived(bus.askOwner(shard, ask, timeoutMs)),
    own: (shards) => bus.own(shards),
    state: () => bus.state(),
    close: () => bus.close(),
  };
}
