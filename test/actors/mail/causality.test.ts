// Facts and their causes: a pod's Ready can be followed back to the edit that caused it.
import { describe, expect, it } from 'vitest';
import type { Fact } from '#actors/ports.ts';
import { traceContextAnnotation } from '#machines/kubernetes/trace-context.ts';
import { setKey } from '../fixtures/facts.ts';
import { stage } from '../fixtures/stage.ts';

async function deploy() {
  const world = stage();
  world.system.synced();
  world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1 } });
  await world.reconciled();
  return world;
}

function chain(facts: readonly Fact[], from: Fact): string[] {
  const byId = new Map(facts.map((fact) => [fact.id, fact]));
  const road: string[] = [];
  for (let fact: Fact | undefined = from; fact !== undefined; fact = byId.get(fact.cause)) {
    road.push(`${fact.what} ${String(fact.data['object'] ?? fact.data['name'] ?? '')}`.trim());
  }
  return road;
}

describe('A fact', () => {
  it('about a pod that became ready leads back to the edit, all in one trace', async () => {
    const world = await deploy();
    world.readyPods();
    await world.reconciled();
    const ready = world.facts.findLast(
      ({ what, data }) => what === 'observed' && data['kind'] === 'Pod',
    );
    if (ready === undefined) throw new Error('no fact about the pod');
    expect(chain(world.facts, ready)).toEqual([
      'observed demo-0-0',
      'wrote Pod/default/demo-0-0',
      'wrote PodClique/default/demo-0',
      'observed demo',
    ]);
    expect(new Set(world.facts.map(({ trace }) => trace)).size).toBe(1);
  });

  it('about what comes of the ready pod belongs to the same trace, up to the status of the set', async () => {
    const world = await deploy();
    world.readyPods();
    await world.reconciled();
    const written = world.facts.findLast(
      ({ what, about }) => what === 'wrote' && about.name === 'demo',
    );
    if (written === undefined) throw new Error('no fact about the status');
    expect(chain(world.facts, written).slice(0, 4)).toEqual([
      'wrote PodCliqueSet/default/demo',
      'wrote PodClique/default/demo-0',
      'observed demo-0-0',
      'wrote Pod/default/demo-0-0',
    ]);
  });

  it('of a new spec begins a trace of its own, whatever we wrote on the object before', async () => {
    const world = await deploy();
    world.readyPods();
    await world.reconciled();
    world.facts.length = 0;
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 1 } });
    await world.reconciled();
    const [edit] = world.facts;
    expect(edit).toMatchObject({ what: 'observed', cause: '', data: { name: 'demo' } });
    expect(new Set(world.facts.map(({ trace }) => trace))).toEqual(new Set([edit?.trace]));
  });

  it('of an edit leads to all that came of it, whatever else came in the same turn', async () => {
    const world = await deploy();
    world.facts.length = 0;
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 1 } });
    // Of the trace before, as we wrote the PodClique; its set hears of it after the edit.
    world.cluster.apply('PodClique', 'demo-0', {}, { labels: { changed: 'too' } });
    await world.reconciled();
    const edit = world.facts.find(({ data }) => data['name'] === 'demo');
    const other = world.facts.find(({ data }) => data['name'] === 'demo-0');
    expect(other?.trace).not.toBe(edit?.trace);
    const created = world.facts.filter(
      ({ what, data }) => what === 'wrote' && data['object'] === 'PodClique/default/demo-1',
    );
    expect(created[0]?.trace).toBe(edit?.trace);
  });

  it('of a change that brings a trace names it, and later ones name it no more', async () => {
    const world = stage();
    world.system.synced();
    const parentOf = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;
    const told: unknown[] = [];
    for (const [replicas, digit] of [...['1', '1', '2', '', '2'].entries()]) {
      world.facts.length = 0;
      const traceparent = digit === '' ? undefined : parentOf(digit);
      const annotations = { [traceContextAnnotation]: JSON.stringify({ traceparent }) };
      world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas, pods: 1 } }, { annotations });
      await world.reconciled();
      told.push(world.facts[0]?.data['traceparent']);
    }
    const [one, two] = [parentOf('1'), parentOf('2')];
    expect(told).toEqual([one, undefined, two, undefined, two]);
  });

  it('is told once per change from outside, and never for the echo of a write', async () => {
    const world = await deploy();
    for (const each of world.cluster.observations()) world.system.observe(each);
    await world.reconciled();
    const observed = world.facts.filter(({ what }) => what === 'observed');
    expect(observed.map(({ data }) => data['name'])).toEqual(['demo']);
  });

  it('of an outside change during a write of ours is told, though late', async () => {
    const world = stage();
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0 } });
    await world.clock.drain();
    expect(world.cluster.inFlight).toBe(1);
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0 } }, { labels: { a: 'b' } });
    await world.reconciled();
    const observed = world.facts.filter(({ what }) => what === 'observed');
    expect(observed).toHaveLength(2);
    expect(world.facts.find(({ what }) => what === 'wrote')?.data).toMatchObject({
      outcome: 'CONFLICT',
    });
  });

  it('of a write whose reply was lost is the cause of what the watch shows of it', async () => {
    const world = stage();
    world.cluster.fault = ({ ref, op }) =>
      ref.kind === 'Pod' && op === 'create' ? { type: 'lose' } : undefined;
    const late: (() => void)[] = [];
    world.cluster.watch = (seen) => {
      if (seen.type === 'seen' && seen.kind === 'Pod') late.push(() => world.system.observe(seen));
      else world.system.observe(seen);
    };
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1 } });
    await world.clock.advance(10);
    for (const deliver of late) deliver();
    await world.clock.advance(10);
    expect(world.facts.filter(({ what }) => what === 'observed')).toHaveLength(1);
    expect(new Set(world.facts.map(({ trace }) => trace)).size).toBe(1);
  });

  it('of a change after a refused write is from outside', async () => {
    const world = await deploy();
    world.cluster.fault = ({ op }) =>
      op === 'status' ? { type: 'refuse', code: 'FORBIDDEN' } : undefined;
    world.readyPods();
    await world.reconciled();
    world.facts.length = 0;
    world.cluster.apply('PodClique', 'demo-0', { spec: { replicas: 1, pods: 1, edited: true } });
    await world.reconciled();
    const observed = world.facts.filter(({ what }) => what === 'observed');
    expect(observed.map(({ data }) => data['name'])).toEqual(['demo-0']);
  });

  it('is told of decisions, messages, writes with their reconcile, and ends', async () => {
    const world = await deploy();
    world.cluster.delete({ kind: 'PodCliqueSet', namespace: 'default', name: 'demo' });
    await world.reconciled();
    const kinds = new Set(world.facts.map(({ what }) => what));
    expect([...kinds].toSorted()).toEqual([
      'decided',
      'ended',
      'observed',
      'transition',
      'woken',
      'wrote',
    ]);
    const wrote = world.facts.find(({ what }) => what === 'wrote');
    expect(wrote?.data).toMatchObject({ op: 'patch', outcome: 'ok', reason: 'finalizer' });
    expect(wrote?.data['reconcileId']).toMatch(/^i\d+$/);
    const why = await world.system.ask({ about: setKey('demo'), question: 'why', payload: {} });
    expect(why).toMatchObject({ ok: false, code: 'NOT_FOUND' });
  });

  it('is not told of the state that is found at a start', async () => {
    const world = await deploy();
    await world.system.stop();
    world.facts.length = 0;
    world.restart();
    await world.reconciled();
    expect(world.facts.filter(({ what }) => what === 'observed')).toEqual([]);
  });
});
