// What a system remembers of its own facts, and what it tells of its actors: with a bus and
// without, as plain data, and in time for who keeps a table of rows.
import { describe, expect, it } from 'vitest';
import type { ActorRow, Recorded } from '#actors/history/history.ts';
import { actorId } from '#machines/contract/address.ts';
import { cliqueKey, setKey } from '../fixtures/facts.ts';
import { spec, stage, type Stage, up } from '../fixtures/stage.ts';

const set = actorId(setKey('demo'));
const clique = actorId(cliqueKey('demo-0'));

const everything = ({ system }: Stage): readonly Recorded[] => system.history.after(0, Infinity);
const withoutIds = ({ about, what, data }: Pick<Recorded, 'about' | 'what' | 'data'>) => ({
  about,
  what,
  data: { ...data, reconcileId: undefined },
});

/** All objects in a value, that itself among them. */
function* objectsIn(value: unknown): Iterable<object> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  for (const each of Object.values(value)) yield* objectsIn(each);
}

describe('The history of a system', () => {
  it('holds each fact that goes out on the bus, in its order', async () => {
    const world = await up();
    expect(world.facts.length).toBeGreaterThan(10);
    expect(everything(world)).toEqual(world.facts);
  });

  it('is the same without a bus', async () => {
    const [silent, told] = [await up({ bus: 'none' }), await up()];
    expect(everything(silent).length).toBeGreaterThan(10);
    expect(everything(silent).map(withoutIds)).toEqual(everything(told).map(withoutIds));
  });

  it('leads without a bus from the status of the set back to the edit', async () => {
    const { system } = await up({ bus: 'none' });
    const [last] = system.history.of(set, 1);
    const trace = system.history.trace(last?.trace ?? '');
    const byId = new Map(trace.map((fact) => [fact.id, fact]));
    let root = last;
    while (root !== undefined && root.cause !== '') root = byId.get(root.cause);
    expect(root).toMatchObject({ what: 'observed', data: { kind: 'PodCliqueSet', name: 'demo' } });
  });

  it('holds plain data alone, none of it an object of the cluster', async () => {
    const world = await up();
    const cached = new Set(world.cluster.list().flatMap((object) => [...objectsIn(object)]));
    for (const fact of everything(world)) {
      for (const each of objectsIn(fact)) {
        expect([Object.prototype, Array.prototype]).toContain(Object.getPrototypeOf(each));
        expect(cached.has(each)).toBe(false);
      }
      expect(JSON.parse(JSON.stringify(fact))).toEqual(fact);
    }
  });

  it('is bounded, whatever happens', async () => {
    const world = await up({ limits: { facts: 5 } });
    const { history } = world.system;
    expect(everything(world)).toEqual(world.facts.slice(-5));
    expect(history.newest - history.oldest).toBe(4);
  });

  it('cuts a text that somebody else has made long', async () => {
    const world = await up({ commands: true, limits: { factText: 100 } });
    const payload = { reason: 'x'.repeat(1_000) };
    await world.system.ask({ about: setKey('demo'), question: 'park', payload });
    const [parked] = world.system.history.of(set, 1);
    expect(parked).toMatchObject({ what: 'parked', data: { error: `${'x'.repeat(99)}…` } });
  });
});

describe('A row', () => {
  const rowsOf = ({ system }: Stage): Map<string, ActorRow> =>
    new Map([...system.rows()].map((row) => [actorId(row.key), row]));

  it('names the actor of the object that controls its object', async () => {
    const world = await up();
    expect(rowsOf(world).get(clique)).toMatchObject({ parent: set, machine: 'podclique' });
    expect(rowsOf(world).get(set)).toMatchObject({ parent: undefined });
    expect(world.system.row(clique)).toEqual(rowsOf(world).get(clique));
    expect(world.system.row(actorId(cliqueKey('nobody')))).toBeUndefined();
  });

  it('names the root where no controller is known', async () => {
    const world = await up();
    const live = world.cluster.get({ kind: 'PodClique', namespace: 'default', name: 'demo-0' });
    world.cluster.apply('PodClique', 'demo-0', { spec: live?.['spec'] }, { ownerReferences: [] });
    await world.reconciled();
    expect(world.system.row(clique)?.parent).toBe(set);
  });

  it('says since when its state is what it is', async () => {
    const world = await up();
    const { since } = world.system.row(set) ?? {};
    await world.clock.advance(60_000);
    expect(world.system.row(set)).toMatchObject({ since, parked: false });
    const parkedAt = world.clock.now();
    await world.system.ask({ about: setKey('demo'), question: 'park', payload: {} });
    expect(world.system.row(set)).toMatchObject({ since: parkedAt, parked: true, state: 'parked' });
  });

  it('is told of when it is new, changes, is parked, comes back and ends', async () => {
    const world = stage();
    world.system.synced();
    const told = new Map<string, ActorRow | undefined>();
    const end = world.system.onRow((key) => {
      told.set(actorId(key), world.system.row(actorId(key)));
    });
    const inStep = (): void => {
      for (const [id, row] of told) expect(world.system.row(id)).toEqual(row);
      expect([...rowsOf(world).keys()].filter((id) => !told.has(id))).toEqual([]);
    };
    world.cluster.apply('PodCliqueSet', 'demo', { spec });
    await world.reconciled();
    inStep();
    world.readyPods();
    await world.reconciled();
    inStep();
    for (const question of ['park', 'unpark']) {
      await world.system.ask({ about: setKey('demo'), question, payload: {} });
      await world.reconciled();
      inStep();
    }
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { ...spec, poison: 'reconcile' } });
    await world.clock.advance(5);
    expect(told.get(set)).toMatchObject({ state: 'waiting', restarts: 1 });
    inStep();
    world.cluster.apply('PodCliqueSet', 'demo', { spec });
    await world.clock.advance(5_000);
    await world.reconciled();
    inStep();
    world.cluster.delete({ kind: 'PodCliqueSet', namespace: 'default', name: 'demo' });
    await world.clock.advance(120_000);
    inStep();
    expect(told.get(set)).toBeUndefined();
    end();
    told.clear();
    world.cluster.apply('PodCliqueSet', 'later', { spec });
    await world.reconciled();
    expect(told.size).toBe(0);
  });
});
