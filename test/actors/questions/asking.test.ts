// Two actor systems that share the shards of one cluster: who answers when the wrong one is asked,
// over the bus and in the name of somebody.
import { describe, expect, it } from 'vitest';
import type { HandOn } from '#actors/ports.ts';
import { shardOf, soleOwner } from '#actors/shards/shard.ts';
import { behaviours } from '../fixtures/behaviours.ts';
import { setKey } from '../fixtures/facts.ts';
import { scene, set, shards } from '../fixtures/sharing.ts';
import { stage } from '../fixtures/stage.ts';

describe('A system that is asked about an actor', () => {
  const about = setKey('one');
  const ask = { about, question: 'state', payload: {} } as const;

  async function owned() {
    const world = scene();
    await world.handlers.give(shardOf(about, shards), 'b');
    set(world.cluster, 'one', 1);
    await world.clock.advance(5_000);
    return world;
  }

  it('of another process hands the question on to the owner', async () => {
    const { clock, systems } = await owned();
    const answer = systems.a.ask(ask);
    await clock.drain();
    expect(await answer).toMatchObject({ ok: true, data: { key: 'podcliqueset/default/one' } });
  });

  it('of another process hands on no question that was handed on', async () => {
    const { systems, handlers } = await owned();
    handlers.addresses.set('b', 'https://b');
    const again = { ...ask, handedOn: true } as const;
    const answer = await systems.a.ask(again, () => Promise.reject(new Error('handed on')));
    expect(answer).toMatchObject({ code: 'NOT_OWNER' });
  });

  it('in the name of somebody hands the question on in that name, where the owner has an address', async () => {
    const { clock, systems, handlers } = await owned();
    const handed: unknown[] = [];
    const handOn: HandOn = (owner, { question }, timeoutMs) => {
      handed.push({ ...owner, question, timeoutMs });
      return Promise.resolve({ ok: true, data: { by: 'https' } });
    };
    const overBus = systems.a.ask(ask, handOn);
    await clock.drain();
    expect(await overBus).toMatchObject({ ok: true, data: { key: 'podcliqueset/default/one' } });
    expect(handed).toEqual([]);
    handlers.addresses.set('b', 'https://b');
    expect(await systems.a.ask(ask, handOn)).toEqual({ ok: true, data: { by: 'https' } });
    expect(await systems.b.ask(ask, handOn)).toMatchObject({ data: { machine: 'podcliqueset' } });
    const owner = { holder: 'b', address: 'https://b' };
    expect(handed).toEqual([{ ...owner, question: 'state', timeoutMs: 2_000 }]);
  });

  it('in the name of somebody says NOT_OWNER and who it is, where the owner cannot be reached', async () => {
    const { systems, handlers } = await owned();
    handlers.addresses.set('b', 'https://b');
    const asked = (code: 'UNREACHABLE' | 'FORBIDDEN') =>
      systems.a.ask(ask, async () => ({ ok: false, code, message: 'b at https://b: no' }));
    const message = expect.stringMatching(/to shard \d, which b owns: b at https:\/\/b: no/);
    expect(await asked('UNREACHABLE')).toMatchObject({ ok: false, code: 'NOT_OWNER', message });
    expect(await asked('FORBIDDEN')).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('of a shard whose owner does not answer says NOT_OWNER and who it is', async () => {
    const { clock, systems } = await owned();
    await systems.b.stop();
    const answer = systems.a.ask(ask);
    await clock.advance(3_000);
    const message = expect.stringMatching(/belongs to shard \d, which b owns/);
    expect(await answer).toMatchObject({ ok: false, code: 'NOT_OWNER', message });
  });

  it('of a shard that nobody owns says NOT_OWNER, where there is no bus to ask', async () => {
    const world = stage({ bus: 'none', lease: { ...soleOwner(1), holds: () => false } });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'one', { spec: { replicas: 1 } });
    await world.clock.advance(100);
    expect(await world.system.ask(ask)).toEqual({
      ...{ ok: false, code: 'NOT_OWNER' },
      message:
        'podcliqueset/default/one belongs to shard 0, which nobody owns: its Lease is not renewed',
    });
  });

  it('that may run though no object is addressed to it hands the question on too', async () => {
    const held = behaviours.map((each) =>
      each.kind === 'podcliqueset' ? { ...each, isHeld: () => false } : each,
    );
    const { clock, systems, handlers } = scene(undefined, held);
    await handlers.give(shardOf(about, shards), 'b');
    handlers.addresses.set('b', 'https://b');
    const handed: string[] = [];
    const answer = systems.a.ask({ ...ask, question: 'why' }, (_, { question }) => {
      handed.push(question);
      return Promise.resolve({ ok: true, data: {} });
    });
    await clock.advance(100);
    expect(await answer).toMatchObject({ ok: true });
    expect(handed).toEqual(['why']);
  });

  it('that does not exist says NOT_FOUND', async () => {
    const { systems } = await owned();
    const unknown = { ...ask, about: setKey('other') };
    expect(await systems.a.ask(unknown)).toMatchObject({ ok: false, code: 'NOT_FOUND' });
  });
});
