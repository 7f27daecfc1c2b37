// Two actor systems that share the shards of one cluster: who plans what, what happens when a shard
// changes hands in the middle of work, and who answers when the wrong one is asked.
import { describe, expect, it } from 'vitest';
import type { Kind } from '#machines/kinds.ts';
import type {
  ClusterPort,
  Observation,
  ShardLease,
  ShardListener,
  Versions,
} from '#actors/ports.ts';
import { shardOf } from '#actors/shard.ts';
import type { ActorSystem } from '#actors/system.ts';
import { createSystem } from '#actors/system.ts';
import { MemoryNetwork } from '#bus/network.ts';
import { FakeCluster } from '#test/support/fake-cluster.ts';
import { recordingTelemetry } from '#test/support/telemetry.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { behaviours } from './fixtures/behaviours.ts';
import { routes, setKey } from './fixtures/facts.ts';

const shards = 4;

/** What the leases of two processes say, without leases. */
class Desk {
  readonly owner = new Map<number, string>();
  readonly epochs = new Map<number, number>();
  readonly listeners = new Map<string, ShardListener>();

  lease(name: string): ShardLease {
    const runs = (shard: number): boolean => this.owner.get(shard) === name;
    return {
      shards,
      holds: runs,
      runs,
      holder: (shard) => this.owner.get(shard) ?? '',
      epoch: (shard) => this.epochs.get(shard) ?? 0,
      onChange: (listener) => {
        this.listeners.set(name, listener);
        return () => this.listeners.delete(name);
      },
    };
  }

  /** As the protocol does it: first the one ends and is quiet, then the other begins. */
  async give(shard: number, to: string): Promise<Versions> {
    const from = this.owner.get(shard);
    this.owner.delete(shard);
    const written = await this.listeners.get(from ?? '')?.(shard, false);
    this.owner.set(shard, to);
    this.epochs.set(shard, (this.epochs.get(shard) ?? 0) + 1);
    void this.listeners.get(to)?.(shard, true, written ?? {});
    return written ?? {};
  }
}

/** `refresh`: how pods are read anew; absent: watches are never late. */
function scene(refresh?: ClusterPort['refresh']) {
  const clock = new VirtualClock();
  const random = seeded(7);
  const cluster = new FakeCluster(clock);
  if (refresh !== undefined) Object.assign(cluster, { refresh });
  const network = new MemoryNetwork({ clock, random });
  const desk = new Desk();
  const telemetry = recordingTelemetry();
  /** How late each process sees what the other one wrote. */
  const lagMs = { a: 0, b: 0 };
  const start = (name: 'a' | 'b'): ActorSystem => {
    let ids = 0;
    const system = createSystem({
      behaviours,
      routes,
      parkedStatus: (_kind, observed) => ({ ...observed }),
      ports: {
        cluster,
        bus: network.join(name),
        clock,
        random,
        ids: { next: () => `${name}${++ids}` },
        lease: desk.lease(name),
        telemetry,
      },
      delivery: 'direct',
    });
    system.synced();
    return system;
  };
  const systems = { a: start('a'), b: start('b') };
  cluster.watch = (observation: Observation) => {
    for (const name of ['a', 'b'] as const) {
      if (lagMs[name] === 0) systems[name].observe(observation);
      else clock.at(clock.now() + lagMs[name], () => systems[name].observe(observation));
    }
  };
  return { clock, cluster, desk, systems, lagMs, network };
}

const refused = (cluster: FakeCluster): readonly string[] =>
  cluster.log.flatMap(({ write, outcome }) =>
    outcome.ok ? [] : [`${write.op} ${write.ref.kind} ${write.ref.name} ${outcome.code}`],
  );

const set = (cluster: FakeCluster, name: string, replicas: number): void =>
  void cluster.apply('PodCliqueSet', name, { spec: { replicas, pods: 2 } });

const names = Array.from({ length: 12 }, (_, n) => `set-${n}`);

describe('Two systems that share the shards', () => {
  it('plan their own trees and no others', async () => {
    const { clock, cluster, desk, systems } = scene();
    for (let shard = 0; shard < shards; shard++) await desk.give(shard, shard < 2 ? 'a' : 'b');
    for (const name of names) set(cluster, name, 1);
    await clock.until(() => systems.a.idle() && systems.b.idle(), 60_000);
    expect(cluster.list('Pod')).toHaveLength(2 * names.length);
    for (const { root, shard } of systems.a.trees())
      expect([shardOf(root, shards), shard < 2]).toEqual([shard, true]);
    expect(refused(cluster)).toEqual([]);
  });

  it('move an actor to the process of the tree that its object names, whatever its pods say', async () => {
    const { clock, cluster, desk, systems } = scene();
    for (let shard = 0; shard < shards; shard++) await desk.give(shard, shard < 2 ? 'a' : 'b');
    const isOfA = (name: string): boolean => shardOf(setKey(name), shards) < 2;
    const [ofA = '', ofB = ''] = [names.find(isOfA), names.find((name) => !isOfA(name))];
    const processes = ['a', 'b'] as const;
    const where = (): readonly string[] =>
      processes.filter((name) =>
        [...systems[name].trees()].some(({ root, actors }) =>
          [...actors].some(
            ({ key }) => key.name === 'wanderer' && isOfA(root.name) === (name === 'a'),
          ),
        ),
      );
    for (const [root, process] of [
      [ofA, 'a'],
      [ofB, 'b'],
      [ofA, 'a'],
    ] as const) {
      const labels = { root };
      cluster.apply('PodClique', 'wanderer', { spec: { replicas: 1, pods: 1 } }, { labels });
      await clock.until(() => systems.a.idle() && systems.b.idle(), 60_000);
      expect(where()).toEqual([process]);
    }
    expect(cluster.list('Pod')).toHaveLength(1);
    expect(refused(cluster)).toEqual([]);
  });

  it('hand a shard over in the middle of work without one refused write, however late watches are', async () => {
    const { clock, cluster, desk, systems, lagMs } = scene();
    cluster.latencyMs = 20;
    lagMs.b = 400;
    for (let shard = 0; shard < shards; shard++) await desk.give(shard, 'a');
    for (const name of names) set(cluster, name, 3);
    await clock.advance(65);
    expect(cluster.inFlight).toBeGreaterThan(0);
    const given = Promise.all(Array.from({ length: shards }, (_, shard) => desk.give(shard, 'b')));
    const before = cluster.log.length;
    await clock.advance(20);
    await given;
    await clock.advance(200);
    expect(cluster.log.length - before).toBeLessThanOrEqual(64);
    await clock.until(() => systems.a.idle() && systems.b.idle(), 120_000);
    await clock.advance(60_000);
    expect(cluster.list('Pod')).toHaveLength(6 * names.length);
    expect(refused(cluster)).toEqual([]);
    expect([...systems.a.trees()]).toEqual([]);
  });

  it('take a write back that has not been sent when the shard is lost', async () => {
    const { clock, cluster, desk } = scene();
    const questions: (() => boolean)[] = [];
    const write = cluster.write.bind(cluster);
    cluster.write = (what, ...[isWanted]: (() => boolean)[]) => {
      if (isWanted !== undefined) questions.push(isWanted);
      return write(what);
    };
    cluster.latencyMs = 50;
    const shard = shardOf(setKey('one'), shards);
    await desk.give(shard, 'a');
    set(cluster, 'one', 1);
    await clock.drain();
    expect(questions.map((isWanted) => isWanted())).toContain(true);
    const given = desk.give(shard, 'b');
    expect(questions.map((isWanted) => isWanted())).not.toContain(true);
    await clock.advance(1_000);
    await given;
  });

  it('tell the next owner what was written last of each kind', async () => {
    const { clock, cluster, desk } = scene();
    const shard = shardOf(setKey('one'), shards);
    await desk.give(shard, 'a');
    set(cluster, 'one', 1);
    await clock.advance(5_000);
    const written = await desk.give(shard, 'b');
    const newest = (kind: 'Pod' | 'PodClique'): number =>
      Math.max(...cluster.list(kind).map(({ metadata }) => Number(metadata.resourceVersion)));
    expect(Number(written.Pod)).toBe(newest('Pod'));
    expect(Number(written.PodClique)).toBe(newest('PodClique'));
  });

  it.each(['PodCliqueSet', 'PodClique', 'Pod'] as const)(
    'read anew, before they plan what a dead process left, what the watch of %s has not told',
    async (late) => {
      const answers: (() => void)[] = [];
      const { clock, cluster, desk, systems } = scene(
        (kind) => new Promise((resolve) => answers.push(() => answer(kind, resolve))),
      );
      const answer = (kind: Kind, resolve: () => void): void => {
        for (const object of cluster.list(kind)) systems.b.observe({ type: 'seen', kind, object });
        resolve();
      };
      const answerAll = (): void => answers.splice(0).forEach((now) => now());
      let isSilent = false;
      cluster.watch = (observation) => {
        systems.a.observe(observation);
        const kind = observation.type === 'seen' ? observation.kind : observation.ref.kind;
        if (!isSilent || kind !== late) systems.b.observe(observation);
      };
      const shard = shardOf(setKey('one'), shards);
      await desk.give(shard, 'a');
      answerAll();
      set(cluster, 'one', 1);
      await clock.advance(1_000);
      isSilent = true;
      set(cluster, 'one', 3);
      await clock.advance(5_000);
      expect(cluster.list('Pod')).toHaveLength(6);
      const count = cluster.log.length;
      await systems.a.stop();
      desk.owner.set(shard, 'b');
      void desk.listeners.get('b')?.(shard, true, {});
      await clock.advance(60_000);
      expect([...systems.b.trees()]).toEqual([]);
      answerAll();
      await clock.advance(5_000);
      expect([...systems.b.trees()]).not.toEqual([]);
      const made = cluster.log.slice(count).filter(({ write: { op } }) => op !== 'status');
      expect(made).toEqual([]);
    },
  );

  it('do not wait for ever for a cache that never catches up', async () => {
    const { clock, cluster, desk, systems } = scene();
    set(cluster, 'one', 1);
    await clock.drain();
    const shard = shardOf(setKey('one'), shards);
    desk.owner.set(shard, 'b');
    void desk.listeners.get('b')?.(shard, true, { Pod: '999999' });
    await clock.advance(4_900);
    expect([...systems.b.trees()]).toEqual([]);
    await clock.advance(5_000);
    expect(cluster.list('Pod')).toHaveLength(2);
  });
});

describe('A system that is asked about an actor', () => {
  const about = setKey('one');
  const ask = { about, question: 'state', payload: {} } as const;

  async function owned() {
    const world = scene();
    await world.desk.give(shardOf(about, shards), 'b');
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
    const { systems } = await owned();
    expect(await systems.a.ask({ ...ask, handedOn: true })).toMatchObject({ code: 'NOT_OWNER' });
  });

  it('of a shard whose owner does not answer says NOT_OWNER and who it is', async () => {
    const { clock, systems } = await owned();
    await systems.b.stop();
    const answer = systems.a.ask(ask);
    await clock.advance(3_000);
    const message = expect.stringMatching(/belongs to shard \d, which b owns/);
    expect(await answer).toMatchObject({ ok: false, code: 'NOT_OWNER', message });
  });

  it('that does not exist says NOT_FOUND', async () => {
    const { systems } = await owned();
    const unknown = { ...ask, about: setKey('other') };
    expect(await systems.a.ask(unknown)).toMatchObject({ ok: false, code: 'NOT_FOUND' });
  });
});
