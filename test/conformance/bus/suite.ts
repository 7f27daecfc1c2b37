// The contract of BusPort as tests, run against every implementation: memory.test.ts, nats.test.ts.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { BusPort } from '#actors/ports.ts';
import { envelopeTo, factOf, key } from '#test/support/bus/samples.ts';
import { asks, handedOn, refusals } from './asks.ts';
import { facts } from './facts.ts';
import { forgeries, listeners, tells } from './tells.ts';
import type { BusWorld, Scene } from './world.ts';

/** To be called within the `describe` of an implementation. */
export function busConformance(makeWorld: () => Promise<BusWorld>): void {
  let world: BusWorld;
  let alice: BusPort;
  let bob: BusPort;
  beforeEach(async () => {
    world = await makeWorld();
    alice = await world.join('alice');
    bob = await world.join('bob');
  });
  afterEach(() => world.close());
  const scene: Scene = { world: () => world, alice: () => alice, bob: () => bob };
  facts(scene);
  tells(scene);
  listeners(scene);
  asks(scene);
  handedOn(scene);
  refusals(scene);
  forgeries(scene);
  ends(scene);
}

function ends({ world, alice, bob }: Scene): void {
  it('neither throws nor sends once it is closed, and closes twice', async () => {
    const heard: string[] = [];
    bob().onTell((envelope) => heard.push(envelope.id));
    await world().stabilize();
    await world().during(0, alice().close());
    await world().during(0, alice().close());
    alice().fact(factOf(key('a')));
    alice().copy(envelopeTo(key('a')));
    expect(alice().tell(envelopeTo(key('a')))).toBe(false);
    expect(
      await alice().ask({ about: key('a'), question: 'why', payload: {} }, 1_000),
    ).toMatchObject({ ok: false, code: 'UNREACHABLE' });
    expect(alice().state()).toMatchObject({ connected: false, roundTripMs: null });
    expect(alice().state().dropped).toBeGreaterThanOrEqual(2);
    await world().stabilize();
    expect([heard, world().seen]).toEqual([[], []]);
  });

  it('sends what it was given before it was closed', async () => {
    for (let i = 0; i < 100; i++) alice().fact(factOf(key('a'), {}, `f-${i}`));
    await world().during(0, alice().close());
    await world().until(() => world().seen.length === 100);
  });
}
