// Which members of a warm pool are deleted, in which order, and that no claim loses one.
import { describe, expect, it } from 'vitest';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import { PoolKit } from './kit.ts';
import { templateObject, unschedulableStatus } from './objects.ts';

describe('a pool with too many members', () => {
  it('deletes those that are not ready first, then the newest (P6, R39)', () => {
    const kit = PoolKit.with({ replicas: 2 }).rest();
    const [unready = '', ready = ''] = kit.names;
    kit.wait(10_000).edit({ replicas: 4 }).rest();
    const newest = kit.names.filter((name) => name !== unready && name !== ready);
    kit
      .ready([ready, ...newest])
      .edit({ replicas: 3 })
      .rest();
    expect(kit.names).toEqual([ready, ...newest].toSorted());
    kit.edit({ replicas: 1 }).rest();
    expect(kit.names).toEqual([ready]);
  });

  it('is emptied by 0, and says 0 of 0 with its selector (P7, R40)', () => {
    const kit = PoolKit.with({ replicas: 30 }).rest().ready().rest();
    kit.edit({ replicas: 0 }).rest();
    expect(kit.sandboxes).toEqual([]);
    expect(kit.status).toMatchObject({
      replicas: 0,
      readyReplicas: 0,
      selector: expect.stringMatching(/^agents.x-k8s.io\/warm-pool-sandbox=[0-9a-f]{8}$/),
    });
  });

  it('keeps what was not deleted yet where more are wanted again (R48)', () => {
    const kit = PoolKit.with({ replicas: 20 }).rest().ready().rest();
    kit.edit({ replicas: 5 }).reconcile();
    expect(kit.controller.context.removal.chosen.size).toBe(15);
    kit.edit({ replicas: 20 }).rest();
    expect(kit.written('deleteObject')).toEqual([]);
    expect(kit.members).toHaveLength(20);
  });

  it('deletes more at once while deletions succeed, as many as a batch has (R43)', () => {
    const kit = PoolKit.with({ replicas: 40 }, { maxBatchSize: 8 }).rest().ready().rest();
    kit.edit({ replicas: 0 });
    let most = 0;
    for (let round = 0; round < 40; round++) {
      kit.reconcile();
      kit.send();
      most = Math.max(most, kit.controller.flying.size);
      kit.serve();
    }
    expect(kit.members).toEqual([]);
    expect(most).toBe(8);
  });

  it('goes on with others where one is refused for long (R36)', () => {
    const kit = PoolKit.with({ replicas: 20 }).rest().ready().rest();
    const refused: string[] = [];
    kit.controller.refusedMs = 600_000;
    kit.refuses = ({ type, ref }) => {
      if (type !== 'deleteObject') return undefined;
      refused.push(ref.name);
      return ref.name === refused[0] ? 'FORBIDDEN' : undefined;
    };
    kit.edit({ replicas: 5 }).rest().wait(60_000).rest();
    expect(kit.members).toHaveLength(6);
  });

  it('sends one deletion where deletions are refused (R36, R43)', () => {
    const kit = PoolKit.with({ replicas: 20 }).rest().ready().rest();
    kit.refuses = ({ type }) => (type === 'deleteObject' ? 'FORBIDDEN' : undefined);
    kit.edit({ replicas: 5 }).rest();
    expect(kit.written('deleteObject')).toHaveLength(1);
    kit.refuses = () => undefined;
    kit.wait(2_000).rest();
    expect(kit.members).toHaveLength(5);
  });
});

describe('the deletion of a member', () => {
  it('fails where a claim has taken it meanwhile, and the pool goes on (G1)', () => {
    const kit = PoolKit.with({ replicas: 2 }).rest().ready().rest();
    kit.edit({ replicas: 1 }).reconcile();
    kit.send();
    kit.isWatching = false;
    const [victim = ''] = [...kit.controller.flying.keys()].map((key) => key.slice(8));
    kit.take(victim);
    kit.isWatching = true;
    kit.serve();
    kit.rest();
    expect(kit.sandboxes).toHaveLength(2);
    expect(kit.members).toHaveLength(1);
  });
});

describe('a template that changes', () => {
  const changed = { podTemplate: { spec: { containers: [{ name: 'main', image: 'two' }] } } };

  it('replaces all members under Recreate, and none that a claim has (P1, Q26)', () => {
    const kit = PoolKit.with({ replicas: 5, strategy: 'Recreate' }).rest().ready().rest();
    const before = kit.names;
    kit
      .take(...before.slice(0, 2))
      .rest()
      .ready()
      .rest();
    kit.edit(changed, 'SandboxTemplate/template').rest();
    expect(kit.members).toHaveLength(5);
    expect(kit.names.some((name) => before.includes(name))).toBe(false);
    expect(kit.sandboxes).toHaveLength(7);
  });

  it('is waited for by members that go slowly, so that there are never too many (P1, P10, G7)', () => {
    const kit = PoolKit.with({ replicas: 5, strategy: 'Recreate' }).rest().ready().rest();
    for (const name of kit.names) kit.server.slow.add(name);
    kit.edit(changed, 'SandboxTemplate/template').rest();
    expect(kit.members).toHaveLength(5);
    for (const name of kit.names) kit.server.remove(`Sandbox/${name}`);
    kit.rest();
    expect(kit.members).toHaveLength(5);
    expect(JSON.stringify(kit.members)).not.toContain('"image":"one"');
  });

  it('replaces none under OnReplenish, but gives new ones the new spec (2.3.4)', () => {
    const kit = PoolKit.with({ replicas: 3 }).rest().ready().rest();
    const before = kit.names;
    kit.edit(changed, 'SandboxTemplate/template').rest();
    expect(kit.names).toEqual(before);
    kit.take(before[0] ?? '').rest();
    expect(JSON.stringify(kit.members)).toContain('"image":"two"');
  });

  it('replaces none where only its metadata changes (P2, R44)', () => {
    const kit = PoolKit.with({ replicas: 3, strategy: 'Recreate' }).rest().ready().rest();
    const before = kit.names;
    const { spec } = templateObject();
    const { podTemplate } = spec as { podTemplate: object };
    const metadata = { labels: { a: 'b' }, annotations: { c: 'd' } };
    kit.edit({ podTemplate: { ...podTemplate, metadata } }, 'SandboxTemplate/template').rest();
    expect(kit.names).toEqual(before);
  });

  it('replaces all where the pool names another one (P1)', () => {
    const kit = PoolKit.with({ replicas: 3, strategy: 'Recreate' }).rest().ready().rest();
    const before = kit.names;
    const other = { ...templateObject(), metadata: { name: 'other', namespace: 'default' } };
    kit.server.put(other);
    kit.edit({ sandboxTemplateRef: { name: 'other' } }).rest();
    expect(kit.names.some((name) => before.includes(name))).toBe(false);
  });

  it('stops a roll-out where it vanishes, and one that is undone (G7)', () => {
    const kit = PoolKit.with({ replicas: 9, strategy: 'Recreate' }).rest().ready().rest();
    const before = kit.names;
    kit.edit(changed, 'SandboxTemplate/template').reconcile();
    expect(kit.controller.state).toMatchObject({ active: { supply: 'replacing' } });
    kit.server.remove('SandboxTemplate/template');
    kit.rest();
    // The one whose deletion was on its way.
    expect(kit.written('deleteObject')).toHaveLength(1);
    expect(kit.names).toHaveLength(8);
    kit.server.put({ ...templateObject(), metadata: { name: 'template', namespace: 'default' } });
    kit.rest();
    expect(kit.names.filter((name) => before.includes(name))).toHaveLength(8);
    expect(kit.written('deleteObject')).toHaveLength(1);
    expect(kit.members).toHaveLength(9);
  });
});

describe('a member that does not become ready', () => {
  it('is replaced after the grace without any event, not all at once (P4, R38)', () => {
    const kit = PoolKit.with({ replicas: 20 }).rest();
    const before = kit.names;
    kit.wait(301_000).rest();
    expect(kit.names).toEqual(before);
    const { wakesAt = 0 } = kit.controller;
    expect(wakesAt).toBeGreaterThan(kit.now);
    const times = new Set<number>();
    for (let left = 40; left > 0; left--) {
      const { wakesAt: next = Infinity } = kit.controller;
      if (next > kit.now + 60_000) break;
      times.add(next);
      kit.wait(Math.max(1, next - kit.now)).rest();
    }
    expect(times.size).toBeGreaterThan(10);
    expect(kit.names.some((name) => before.includes(name))).toBe(false);
    expect(kit.members).toHaveLength(20);
  });

  it('is not old where the clock of the server is far behind (P4)', () => {
    const kit = PoolKit.with({ replicas: 2 });
    kit.server.behindMs = 900_000;
    kit.rest();
    const before = kit.names;
    kit.wait(299_000).rest();
    expect(kit.names).toEqual(before);
    kit.wait(60_000).rest();
    expect(kit.names.some((name) => before.includes(name))).toBe(false);
    expect(kit.members).toHaveLength(2);
  });

  it('waits no longer than the grace where the clock of who said so was ahead (P4)', () => {
    const kit = PoolKit.with({ replicas: 2 }).rest().ready().rest();
    const [before = '', other] = kit.names;
    const lastTransitionTime = rfc3339(kit.now + 3_600_000);
    kit.server.status(`Sandbox/${before}`, {
      conditions: [{ type: 'Ready', status: 'False', reason: 'PodFailed', lastTransitionTime }],
    });
    kit.rest();
    kit.wait(299_000).rest();
    expect(kit.names).toContain(before);
    kit.wait(60_000).rest();
    expect(kit.names).not.toContain(before);
    expect(kit.names).toContain(other);
    expect(kit.members).toHaveLength(2);
  });

  it('has the whole grace again where it was ready', () => {
    const kit = PoolKit.with({ replicas: 1 }).rest().ready().rest();
    const before = kit.names;
    kit.wait(3_600_000).rest();
    kit.ready().server.status(`Sandbox/${before[0] ?? ''}`, unschedulableStatus(kit.now));
    kit.rest();
    kit.wait(299_000).rest();
    expect(kit.names).toEqual(before);
  });

  it('is kept where no node has room, which is said once, as is its end (R37)', () => {
    const kit = PoolKit.with({ replicas: 2 }).rest();
    const before = kit.names;
    for (const name of before) kit.server.status(`Sandbox/${name}`, unschedulableStatus(kit.now));
    for (let round = 0; round < 8; round++) kit.wait(60_000).rest();
    expect(kit.names).toEqual(before);
    expect(kit.events('WarmPoolNotProgressing')).toEqual([
      expect.stringMatching(/^[12]\/2 sandboxes are unschedulable past the 5m0s readiness grace/),
    ]);
    expect(kit.controller.state).toMatchObject({ active: { supply: 'holding' } });
    const { wakesAt } = kit.controller;
    for (const name of before) {
      kit.server.patch(`Sandbox/${name}`, { metadata: { labels: { theirs: 'x' } } });
    }
    kit.wait(1_000).rest();
    expect(kit.controller.wakesAt).toBe(wakesAt);
    kit.ready().rest();
    expect(kit.events('WarmPoolProgressing')).toEqual(['Warm pool is progressing again']);
  });

  it('is replaced where its pod has ended before it found a node (R37)', () => {
    const kit = PoolKit.with({ replicas: 1 }).rest();
    const [before = ''] = kit.names;
    const { conditions } = unschedulableStatus(kit.now);
    const finished = { type: 'Finished', status: 'True', reason: 'PodSucceeded' };
    kit.server.status(`Sandbox/${before}`, { conditions: [...conditions, finished] });
    kit.rest().wait(400_000).rest();
    expect(kit.names).toHaveLength(1);
    expect(kit.names).not.toContain(before);
    expect(kit.events('WarmPoolNotProgressing')).toEqual([]);
  });
});
