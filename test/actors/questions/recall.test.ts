// `history` and `trace`: what the process remembers, page by page, with what the stream keeps from
// before; bounded, and of one namespace.
import { describe, expect, it } from 'vitest';
import type { Past, WantedPast } from '#actors/history/past.ts';
import type { Answer, Fact } from '#actors/ports.ts';
import { actorId } from '#machines/contract/address.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { cliqueKey, setKey } from '../fixtures/facts.ts';
import { type Stage, up } from '../fixtures/stage.ts';

const demo = actorId(setKey('demo'));

const ask = (
  { system }: Stage,
  question: string,
  payload: JsonObject = {},
  about = setKey('demo'),
) => system.ask({ about, question, payload });

const dataOf = (answer: Answer): JsonObject => {
  if (!answer.ok) throw new Error(`${answer.code}: ${answer.message}`);
  return answer.data;
};

const idsIn = (data: JsonObject): string[] =>
  list(data['facts']).map((fact) => text(at(fact, 'id')));

/** A bus that keeps these facts, each at its place. */
function keeping(world: Stage, facts: readonly Fact[]): WantedPast[] {
  const wanted: WantedPast[] = [];
  if (world.bus === undefined) throw new Error('no bus');
  Reflect.set(world.bus, 'past', (_about: unknown, one: WantedPast): Promise<Past> => {
    wanted.push(one);
    const placed = facts.map((fact, index) => ({ place: index + 1, fact }));
    const found = placed.filter(({ place }) => place < (one.before ?? Infinity)).toReversed();
    const shown = found.slice(0, one.limit);
    const last = shown.at(-1)?.place ?? one.before ?? Infinity;
    return Promise.resolve({
      facts: shown,
      ...(found.length > shown.length && { before: last }),
    });
  });
  return wanted;
}

const old = (id: string): Fact => ({
  id,
  cause: '',
  trace: id,
  at: 0,
  about: setKey('demo'),
  what: 'decided',
  data: { what: 'before' },
});

describe('The history of an actor', () => {
  it('is all its facts, newest first, page by page', async () => {
    const world = await up({ bus: 'none' });
    const all = world.system.history.of(demo, 1_000).map(({ id }) => id);
    const pages: string[] = [];
    let payload: JsonObject = { limit: 3 };
    for (;;) {
      const page = dataOf(await ask(world, 'history', payload));
      pages.push(...idsIn(page));
      if (page['older'] !== 'more') break;
      expect(idsIn(page)).toHaveLength(3);
      payload = { limit: 3, before: Number(at(list(page['facts']).at(-1), 'sequence')) };
    }
    expect(pages).toEqual(all);
    expect(all.length).toBeGreaterThan(5);
  });

  it('says whether the actor began then, or the process did, or facts were dropped', async () => {
    const begun = await up();
    expect(dataOf(await ask(begun, 'history'))['older']).toBe('begin');
    begun.restart();
    await begun.reconciled();
    expect(dataOf(await ask(begun, 'history'))['older']).toBe('restarted');
    const small = await up({ limits: { facts: 3 } });
    expect(dataOf(await ask(small, 'history'))['older']).toBe('dropped');
  });

  it('says that facts were dropped from the first one on', async () => {
    const { newest } = (await up()).system.history;
    const olderWith = async (facts: number) =>
      dataOf(await ask(await up({ limits: { facts } }), 'history', { limit: 500 }))['older'];
    expect(await olderWith(newest)).toBe('begin');
    expect(await olderWith(newest - 1)).toBe('dropped');
  });

  it('goes on with what the stream keeps where the process remembers no more', async () => {
    const world = await up({ limits: { facts: 3 } });
    const wanted = keeping(world, ['a', 'b', 'c', 'd'].map(old));
    const known = world.system.history.of(demo, 3).map(({ id }) => id);
    const page = dataOf(await ask(world, 'history', { limit: known.length + 2 }));
    expect(idsIn(page)).toEqual([...known, 'd', 'c']);
    expect(page).toMatchObject({ older: 'more', stream: 3 });
    const rest = dataOf(await ask(world, 'history', { stream: 3 }));
    expect(idsIn(rest)).toEqual(['b', 'a']);
    expect(rest).toMatchObject({ older: 'dropped' });
    expect(rest).not.toHaveProperty('stream');
    expect(wanted).toMatchObject([{ before: undefined, notBehind: known.at(-1) }, { before: 3 }]);
  });

  it('does not ask the stream where the actor began in this process', async () => {
    const world = await up();
    const wanted = keeping(world, [old('a')]);
    await ask(world, 'history', { limit: 500 });
    expect(wanted).toEqual([]);
  });

  it('is known of an actor that has ended, and of none that never was', async () => {
    const world = await up();
    world.cluster.delete({ kind: 'PodCliqueSet', namespace: 'default', name: 'demo' });
    await world.clock.advance(60_000);
    expect(world.system.row(demo)).toBeUndefined();
    const page = dataOf(await ask(world, 'history'));
    expect(list(page['facts'])[0]).toMatchObject({ what: 'ended', about: demo });
    expect(await ask(world, 'history', {}, setKey('never'))).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('fits into an answer, whatever is in the facts', async () => {
    const world = await up({ commands: true, limits: { recallBytes: 1_000 } });
    const page = dataOf(await ask(world, 'history', { limit: 500 }));
    expect(JSON.stringify(page['facts']).length).toBeLessThanOrEqual(1_001);
    expect(page['older']).toBe('more');
  });

  it.each([
    [{ limit: 0 }, 'payload.limit is 0: it must be an integer from 1 to 500'],
    [{ before: 'x' }, /^payload.before is "x": it must be an integer from 1/],
    [{ since: 1 }, 'payload.since is not a field; there is limit, before, stream'],
  ])('is refused for %j', async (payload, message) => {
    const world = await up();
    expect(await ask(world, 'history', payload)).toMatchObject({
      code: 'MALFORMED',
      message: expect.stringMatching(message),
    });
  });
});

describe('A trace', () => {
  it('is all its facts of the namespace, oldest first, from the edit on', async () => {
    const world = await up({ bus: 'none' });
    const [last] = world.system.history.of(demo, 1);
    const data = dataOf(await ask(world, 'trace', { id: last?.trace ?? '' }, cliqueKey('demo-0')));
    expect(list(data['facts'])[0]).toMatchObject({ what: 'observed', cause: '', about: demo });
    expect(idsIn(data)).toEqual(world.system.history.trace(last?.trace ?? '').map(({ id }) => id));
    expect(data).toMatchObject({ isWhole: true, more: false, elsewhere: 0 });
  });

  it('of one fact is whole', async () => {
    const world = await up({ bus: 'none' });
    const payload = { reason: 'lunch' };
    await world.system.ask({ about: setKey('demo'), question: 'park', payload });
    const [parked] = world.system.history.of(demo, 1);
    const id = parked?.trace ?? '';
    expect(world.system.history.trace(id)).toHaveLength(1);
    expect(dataOf(await ask(world, 'trace', { id }))).toMatchObject({ isWhole: true });
  });

  it('is shown page by page where an answer has no room for all of it', async () => {
    const world = await up({ limits: { recallBytes: 2_000 } });
    const [last] = world.system.history.of(demo, 1);
    const id = last?.trace ?? '';
    const found: string[] = [];
    let page = dataOf(await ask(world, 'trace', { id }));
    found.push(...idsIn(page));
    while (page['more'] === true) {
      const after = Number(at(list(page['facts']).at(-1), 'sequence'));
      page = dataOf(await ask(world, 'trace', { id, after }));
      found.push(...idsIn(page));
    }
    expect(found).toEqual(world.system.history.trace(id).map((fact) => fact.id));
  });

  it('of which the beginning was dropped says that it is not whole', async () => {
    const world = await up({ limits: { facts: 5 } });
    const [last] = world.system.history.of(demo, 1);
    expect(dataOf(await ask(world, 'trace', { id: last?.trace ?? '' }))).toMatchObject({
      isWhole: false,
    });
    expect(dataOf(await ask(world, 'trace', { id: 'nothing' }))).toMatchObject({
      facts: [],
      isWhole: false,
    });
  });

  it('does not show facts about actors of another namespace', async () => {
    const world = await up();
    const [last] = world.system.history.of(demo, 1);
    const about = { ...setKey('demo'), namespace: 'other' };
    const data = dataOf(await ask(world, 'trace', { id: last?.trace ?? '' }, about));
    expect(data['facts']).toEqual([]);
    expect(Number(data['elsewhere'])).toBeGreaterThan(5);
  });

  it('needs an id', async () => {
    const world = await up();
    expect(await ask(world, 'trace')).toMatchObject({
      code: 'MALFORMED',
      message: 'payload.id is missing: it must be a string of 1 to 256 characters',
    });
  });
});
