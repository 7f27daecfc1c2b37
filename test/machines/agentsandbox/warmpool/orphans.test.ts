// Sandboxes that look like members and have no owner, and pools that go.
import { describe, expect, it } from 'vitest';
import { PoolKit } from './kit.ts';
import { ownedBy, sandboxObject } from './objects.ts';

describe('a Sandbox with the label of the pool and without an owner', () => {
  const orphan = sandboxObject('pool-old');

  it('becomes a member where there is room (R45)', () => {
    const kit = PoolKit.with({ replicas: 2 });
    kit.server.put(orphan);
    kit.rest();
    expect(kit.names).toContain('pool-old');
    expect(kit.members).toHaveLength(2);
  });

  it('is none too many where a creation that failed was done all the same (P5)', () => {
    const kit = PoolKit.with({ replicas: 1 });
    kit.reconcile();
    kit.send();
    kit.isWatching = false;
    const [[key, intent] = []] = kit.controller.flying;
    if (key === undefined || intent === undefined) throw new Error('nothing is created');
    const reply = kit.server.write(intent);
    kit.controller.answer(key, reply, kit.now, 'SERVER_ERROR');
    kit.isWatching = true;
    kit.server.put(orphan);
    kit.rest().wait(10_000).rest();
    expect(kit.written('patchObject')).toEqual([]);
    expect(kit.sandboxes).toHaveLength(1);
  });

  it('is deleted where it is stale, under either strategy, or not needed (R45)', () => {
    const kit = PoolKit.with({ replicas: 2 });
    kit.server.put({ ...orphan, spec: { podTemplate: { spec: { containers: [] } } } });
    kit.rest();
    expect(kit.names).not.toContain('pool-old');
    kit.server.put(sandboxObject('pool-older'));
    kit.rest();
    expect(kit.sandboxes).toHaveLength(2);
  });

  it('is left alone where it was made for a pool whose name has the same hash (H1)', () => {
    const kit = PoolKit.with({ replicas: 2 });
    const annotations = { 'coppice.dev/warm-pool': 'other' };
    kit.server.put(sandboxObject('other-one', { annotations }));
    kit.rest();
    expect(kit.names).not.toContain('other-one');
    expect(kit.sandboxes).toHaveLength(3);
  });

  it('is left alone where another pool or a claim controls it (P3, Q25)', () => {
    const kit = PoolKit.with({ replicas: 2 });
    for (const kind of ['SandboxWarmPool', 'SandboxClaim']) {
      const ownerReferences = [ownedBy(kind, 'other')];
      kit.server.put(sandboxObject(`of-${kind.toLowerCase()}`, { ownerReferences }));
    }
    kit.rest();
    expect(kit.sandboxes).toHaveLength(4);
  });
});

describe('a pool that is being deleted', () => {
  it('writes nothing, and touches neither members nor what claims have (2.3.2)', () => {
    const kit = PoolKit.with({ replicas: 4 }).rest().ready().rest();
    kit.take(...kit.names.slice(0, 2));
    const { length } = kit.writes;
    kit.server.slow.add('pool');
    kit.server.delete('SandboxWarmPool/pool');
    kit.rest();
    expect(kit.writes).toHaveLength(length);
    expect(kit.controller.why(kit.now).join()).toContain('no Sandbox that a claim has');
  });
});
