// Two actor systems that share the shards of one cluster: who plans what, and what happens when a
// shard changes hands in the middle of work.
import { describe, expect, it } from 'vitest';
import { shardOf } from '#actors/shards/shard.ts';
import type { Kind } from '#machines/kinds.ts';
import type { FakeCluster } from '#test/support/fake-cluster.ts';
import { setKey } from './fixtures/facts.ts';
import { scene, set, shards } from './fixtures/sharing.ts';

const refused = (cluster: FakeCluster): readonly string[] =>
  cluster.log.flatMap(({ write, outcome }) =>
    outcome.ok ? [] : [`${write.op} ${write.ref.kind} ${write.ref.name} ${outcome.code}`],
  );

const names = Array.from({ length: 12 }, (_, n) => `set-${n}`);

describe('Two systems that share the shards', () => {
  it('plan their own trees and no others', async () => {
    const { clock, cluster, handlers, systems } = scene();
    for (let shard = 0; shard < shards; shard++) await handlers.give(shard, shard < 2 ? 'a' : 'b');
    for (const name of names) set(cluster, name, 1);
    await clock.until(() => systems.a.idle() && systems.b.idle(), 60_000);
    expect(cluster.list('Pod')).toHaveLength(2 * names.length);
    for (const { root, shard } of systems.a.trees())
      expect([shardOf(root, shards), shard < 2]).toEqual([shard, true]);
    expect(refused(cluster)).toEqual([]);
  });

  it('tell of the end of an object once, in the process of its tree', async () => {
    const { clock, cluster, handlers, systems } = scene();
    for (let shard = 0; shard < shards; shard++) await handlers.give(shard, 'a');
    set(cluster, 'one', 1);
    await clock.until(() => systems.a.idle() && systems.b.idle(), 60_000);
    cluster.delete({ kind: 'Pod', namespace: 'default', name: 'one-0-0' });
    await clock.until(() => systems.a.idle() && systems.b.idle(), 60_000);
    const told = ({ history }: (typeof systems)['a']): readonly unknown[] =>
      history
        .after(0, Infinity)
        .filter(({ what, data }) => what === 'observed' && data['summary'] === 'gone')
        .map(({ data }) => data['name']);
    expect([told(systems.a), told(systems.b)]).toEqual([['one-0-0'], []]);
  });

  it('move an actor to the process of the tree that its object names, whatever its pods say', async () => {
    const { clock, cluster, handlers, systems } = scene();
    for (let shard = 0; shard < shards; shard++) await handlers.give(shard, shard < 2 ? 'a' : 'b');
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
    const { clock, cluster, handlers, systems, lagMs } = scene();
    cluster.latencyMs = 20;
    lagMs.b = 400;
    for (let shard = 0; shard < shards; shard++) await handlers.give(shard, 'a');
    for (const name of names) set(cluster, name, 3);
    await clock.advance(65);
    expect(cluster.inFlight).toBeGreaterThan(0);
    const given = Promise.all(
      Array.from({ length: shards }, (_, shard) => handlers.give(shard, 'b')),
    );
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

  it.each([
    ['lost', 'b', 2],
    ['lost and comes back under the same epoch', 'a', 1],
  ])('take a write back that has not been sent when the shard is %s', async (_, to, epoch) => {
    const { clock, cluster, handlers } = scene();
    const questions: (() => boolean)[] = [];
    const write = cluster.write.bind(cluster);
    cluster.write = (what, ...[isWanted]: (() => boolean)[]) => {
      if (isWanted !== undefined) questions.push(isWanted);
      return write(what);
    };
    cluster.latencyMs = 50;
    const shard = shardOf(setKey('one'), shards);
    await handlers.give(shard, 'a');
    set(cluster, 'one', 1);
    await clock.drain();
    const before = [...questions];
    expect(before.map((isWanted) => isWanted())).toContain(true);
    const given = handlers.give(shard, to);
    expect(before.map((isWanted) => isWanted())).not.toContain(true);
    await clock.advance(1_000);
    await given;
    handlers.epochs.set(shard, epoch);
    expect(before.map((isWanted) => isWanted())).not.toContain(true);
  });

  it('tell the next owner what was written last of each kind', async () => {
    const { clock, cluster, handlers } = scene();
    const shard = shardOf(setKey('one'), shards);
    await handlers.give(shard, 'a');
    set(cluster, 'one', 1);
    await clock.advance(5_000);
    const written = await handlers.give(shard, 'b');
    const newest = (kind: 'Pod' | 'PodClique'): number =>
      Math.max(...cluster.list(kind).map(({ metadata }) => Number(metadata.resourceVersion)));
    expect(Number(written.Pod)).toBe(newest('Pod'));
    expect(Number(written.PodClique)).toBe(newest('PodClique'));
  });

  it.each(['PodCliqueSet', 'PodClique', 'Pod'] as const)(
    'read anew, before they plan what a dead process left, what the watch of %s has not told',
    async (late) => {
      const answers: (() => void)[] = [];
      const { clock, cluster, handlers, systems } = scene(
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
      await handlers.give(shard, 'a');
      answerAll();
      set(cluster, 'one', 1);
      await clock.advance(1_000);
      isSilent = true;
      set(cluster, 'one', 3);
      await clock.advance(5_000);
      expect(cluster.list('Pod')).toHaveLength(6);
      const count = cluster.log.length;
      await systems.a.stop();
      handlers.owner.set(shard, 'b');
      void handlers.listeners.get('b')?.(shard, true, {});
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
    const { clock, cluster, handlers, systems } = scene();
    set(cluster, 'one', 1);
    await clock.drain();
    const shard = shardOf(setKey('one'), shards);
    handlers.owner.set(shard, 'b');
    void handlers.listeners.get('b')?.(shard, true, { Pod: '999999' });
    await clock.advance(4_900);
    expect([...systems.b.trees()]).toEqual([]);
    await clock.advance(5_000);
    expect(cluster.list('Pod')).toHaveLength(2);
  });
});
