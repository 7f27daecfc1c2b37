// Writes in flight by shard: when a shard that is given up is quiet, and what it wrote last.
import { describe, expect, it } from 'vitest';
import { InFlightByShard } from '#actors/effects/in-flight.ts';
import type { Versions } from '#actors/ports.ts';
import type { Kind } from '#machines/kinds.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

function scene() {
  const inFlight = new InFlightByShard();
  const heard: Versions[] = [];
  return {
    ...{ inFlight, heard },
    wrote: (kind: Kind, version: string, shard = 1) =>
      inFlight.wrote(shard, {
        ...{ type: 'seen', kind },
        object: {
          ...{ apiVersion: 'v1', kind },
          metadata: { name: 'a', resourceVersion: version },
        },
      }),
    giveUp: (shard = 1) => void inFlight.quiet(shard).then((written) => heard.push(written)),
    drain: () => new VirtualClock().drain(),
  };
}

describe('A shard that is given up', () => {
  it('is quiet at once where nothing is in flight, and says what it wrote last, once', async () => {
    const { inFlight, wrote } = scene();
    wrote('Pod', '9');
    wrote('Pod', '10');
    wrote('Pod', '8');
    wrote('PodClique', '3');
    wrote('Pod', '99', 2);
    expect(await inFlight.quiet(1)).toEqual({ Pod: '10', PodClique: '3' });
    expect(await inFlight.quiet(1)).toEqual({});
    expect(await inFlight.quiet(2)).toEqual({ Pod: '99' });
  });

  it('is quiet when the last of its writes has landed, with what that wrote', async () => {
    const { inFlight, heard, wrote, giveUp, drain } = scene();
    for (let n = 0; n < 2; n++) inFlight.sent(1);
    inFlight.sent(2);
    giveUp();
    giveUp();
    await drain();
    inFlight.landed(1);
    inFlight.landed(2);
    await drain();
    expect(heard).toEqual([]);
    wrote('Pod', '7');
    inFlight.landed(1);
    await drain();
    expect(heard).toEqual([{ Pod: '7' }, {}]);
  });

  it('is quiet each time anew', async () => {
    const { inFlight, heard, giveUp, drain } = scene();
    for (let n = 1; n <= 2; n++) {
      inFlight.sent(1);
      giveUp();
      await drain();
      expect(heard).toHaveLength(n - 1);
      inFlight.landed(1);
      await drain();
      expect(heard).toHaveLength(n);
    }
  });

  it('says so to each write that was sent before, and to none after', () => {
    const { inFlight, giveUp } = scene();
    const before = inFlight.sent(1);
    const elsewhere = inFlight.sent(2);
    expect(before()).toBe(false);
    giveUp();
    const after = inFlight.sent(1);
    expect([before(), elsewhere(), after()]).toEqual([true, false, false]);
  });
});
