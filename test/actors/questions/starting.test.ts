// Questions that start the actor that they are for, with or without its object.
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '#actors/limits.ts';
import type { Answer } from '#actors/ports.ts';
import { shardOf } from '#actors/shards/shard.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { behaviours } from '../fixtures/behaviours.ts';
import { cliqueKey, setKey } from '../fixtures/facts.ts';
import { founder } from '../fixtures/founder.ts';
import { scene, shards } from '../fixtures/sharing.ts';
import { stage } from '../fixtures/stage.ts';

const founders = [founder, ...behaviours.filter(({ kind }) => kind !== 'podcliqueset')];

function started(limits = {}) {
  const world = stage({ behaviours: founders, limits });
  world.system.synced();
  const answered: Answer[] = [];
  const ask = (what: unknown, about: ActorKey = setKey('demo'), question = 'make'): void => {
    const payload = { what } as JsonObject;
    void world.system.ask({ about, question, payload }).then((answer) => answered.push(answer));
  };
  return { ...world, answered, ask, actors: () => world.system.tree()['actors'] };
}

describe('An actor that does not run', () => {
  it('is started by such a question, and goes on where its object came of it', async () => {
    const { ask, answered, actors, cluster, clock } = started();
    ask('make');
    await clock.drain();
    expect(actors()).toBe(1);
    await clock.advance(100);
    const [object] = cluster.list('PodCliqueSet');
    expect(answered).toEqual([{ ok: true, data: { uid: object?.metadata.uid } }]);
    await clock.advance(60_000);
    expect(actors()).toBe(1);
    ask('make');
    await clock.advance(100);
    expect(answered[1]).toEqual(answered[0]);
    expect(cluster.log).toHaveLength(1);
  });

  it('ends with the question where nothing came of it', async () => {
    const { ask, answered, actors, clock } = started();
    ask('refuse');
    await clock.drain();
    expect(answered).toMatchObject([{ code: 'INVALID' }]);
    expect(actors()).toBe(0);
    ask('wait');
    await clock.advance(defaultLimits.answerMs - 100);
    expect(actors()).toBe(1);
    await clock.advance(200);
    expect(answered[1]).toMatchObject({ code: 'SERVER_ERROR' });
    expect(actors()).toBe(0);
  });

  it.each([
    ['has a wrong payload', 7, setKey('demo'), 'make', 'MALFORMED'],
    ['is none of its kind', 'make', setKey('demo'), 'made', 'NOT_FOUND'],
    ['does not start one', 'make', setKey('demo'), 'find', 'NOT_FOUND'],
    ['is for another kind', 'make', cliqueKey('demo'), 'make', 'NOT_FOUND'],
    ['is for a name that no object has', 'make', setKey('De/mo'), 'make', 'MALFORMED'],
    ['has a wrong namespace', 'make', { ...setKey('demo'), namespace: 'a.b' }, 'make', 'MALFORMED'],
    ['lacks the namespace', 'make', { ...setKey('demo'), namespace: '' }, 'make', 'MALFORMED'],
  ] as const)(
    'is not started for a question that %s',
    async (_why, what, about, question, code) => {
      const { ask, answered, actors, clock } = started();
      ask(what, about, question);
      expect(actors()).toBe(0);
      await clock.drain();
      expect(answered).toMatchObject([{ ok: false, code }]);
    },
  );

  it('is not started for a question beyond the bound', async () => {
    const { ask, answered, actors, clock } = started({ openQuestions: 1 });
    ask('wait');
    ask('wait', setKey('other'));
    expect(actors()).toBe(1);
    await clock.drain();
    expect(answered).toMatchObject([{ code: 'THROTTLED' }]);
  });

  it('leaves nothing where the question makes it crash, however often', async () => {
    const { ask, answered, actors, clock } = started();
    for (let times = 0; times < 12; times++) {
      ask('crash');
      await clock.advance(500);
    }
    await clock.advance(60_000);
    expect(answered).toHaveLength(12);
    expect(answered.every((answer) => !answer.ok && answer.code === 'SERVER_ERROR')).toBe(true);
    expect(actors()).toBe(0);
  });

  it('leaves nothing where it cannot even be started', async () => {
    const start = (): never => {
      throw new Error('it cannot start');
    };
    const world = stage({ behaviours: [{ ...founder, start }] });
    world.system.synced();
    const about = setKey('demo');
    const answer = world.system.ask({ about, question: 'make', payload: { what: 'make' } });
    expect(await answer).toMatchObject({ code: 'SERVER_ERROR' });
    await world.clock.advance(120_000);
    expect(world.system.tree()['actors']).toBe(0);
    expect(world.telemetry.calls.restarted).toHaveLength(5);
  });

  it('is handed on to the process that owns the shard, which starts it', async () => {
    const { clock, cluster, systems, handlers } = scene(undefined, founders);
    const about = setKey('one');
    await handlers.give(shardOf(about, shards), 'b');
    const ask = { about, question: 'make', payload: { what: 'make' } } as const;
    handlers.addresses.set('b', 'https://b');
    const answer = systems.a.ask(ask, (_owner, handed) =>
      systems.b.ask({ ...handed, handedOn: true }),
    );
    await clock.advance(100);
    expect(await answer).toMatchObject({ ok: true });
    expect(cluster.list('PodCliqueSet')).toHaveLength(1);
    expect([systems.a.tree()['actors'], systems.b.tree()['actors']]).toEqual([0, 1]);
    const again = await systems.a.ask({ ...ask, about: setKey('two'), handedOn: true });
    expect(again).toMatchObject({ code: 'NOT_OWNER' });
  });
});
