// What a warm pool says of itself, and that it is quiet where nothing is to be done.
import { describe, expect, it } from 'vitest';
import { PoolKit } from './kit.ts';
import { poolObject, readyStatus, sandboxObject, templateObject } from './objects.ts';

describe('the status of a pool', () => {
  it('has both counts, the selector and the generation that they are of (R47)', () => {
    const kit = PoolKit.with({ replicas: 3 }).rest().ready().rest();
    expect(kit.status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      observedGeneration: 1,
      conditions: [{ type: 'Ready', status: 'True', reason: 'MembersReady' }],
    });
    kit.edit({ replicas: 2 }).rest();
    expect(kit.status).toMatchObject({ replicas: 2, readyReplicas: 2, observedGeneration: 2 });
  });

  it('is written at once when the pool becomes full, else when there is time', () => {
    const kit = PoolKit.with({ replicas: 3 }).rest();
    const urgency = (): unknown =>
      kit.reconcile().flatMap((intent) => (intent.type === 'writeStatus' ? [intent.urgency] : []));
    kit.ready(kit.names.slice(1));
    expect(urgency()).toEqual(['lazy']);
    kit.ready();
    expect(urgency()).toEqual(['now']);
    kit.rest();
    kit.take(kit.names[0] ?? '');
    expect(urgency()).toEqual(['lazy']);
  });

  it('is written whatever else fails (G13)', () => {
    const kit = PoolKit.with({ replicas: 3 });
    kit.refuses = ({ type }) => (type === 'createObject' ? 'FORBIDDEN' : undefined);
    kit.rest();
    expect(kit.status).toMatchObject({ replicas: 0, observedGeneration: 1 });
    kit.edit({ replicas: 2 }).rest();
    expect(kit.status).toMatchObject({ replicas: 0, observedGeneration: 2 });
  });

  it('has no conditions where the CRD drops them, and is not written for ever (P12)', () => {
    const kit = PoolKit.with({ replicas: 1 });
    kit.server.prunes = true;
    kit.rest().ready().rest();
    expect(kit.status).toEqual({
      replicas: 1,
      readyReplicas: 1,
      selector: expect.any(String),
      observedGeneration: 1,
    });
  });
});

describe('a pool that is full', () => {
  it('writes nothing, whatever is seen again (P12)', () => {
    const kit = PoolKit.with({ replicas: 10 }).rest().ready().rest();
    const { length } = kit.writes;
    for (let round = 0; round < 5; round++) {
      const pool = kit.server.objects.get('SandboxWarmPool/pool');
      if (pool !== undefined) kit.server.put(pool);
      for (const member of kit.members) kit.server.put(member);
      kit.wait(60_000).rest();
    }
    expect(kit.writes).toHaveLength(length);
    expect(kit.restart().rest().writes).toHaveLength(length);
  });

  it('has each member in one queue once, after a restart too (Q1, Q17)', () => {
    const kit = PoolKit.with({ replicas: 10 }).rest();
    kit.ready(kit.names.slice(3)).rest();
    for (const _ of [1, 2]) {
      const { ready, unready } = kit.controller.context;
      expect([ready.size, unready.size]).toEqual([7, 0]);
      kit.restart().rest();
    }
    kit.restart([...kit.server.objects.values()].toReversed()).reconcile();
    expect(kit.controller.context.ready.size).toBe(7);
    kit.ready();
    expect(kit.controller.context.ready.size).toBe(10);
  });
});

describe('the queues of a pool', () => {
  const names = (kit: PoolKit, queue: 'ready' | 'unready'): readonly string[] => {
    const keys: string[] = [];
    let rest = kit.controller.context[queue];
    for (let key = rest.pick(); key !== undefined; key = rest.pick()) {
      keys.push(key.name);
      rest = rest.remove(key.name);
    }
    return keys;
  };

  it('hold members with an IP alone, apart by readiness (Q20, Q21, Q22, Q24, G3)', () => {
    const kit = PoolKit.with({ replicas: 3 }).rest();
    const [one = '', two = '', three = ''] = kit.names;
    kit.ready([one]);
    kit.server.status(`Sandbox/${two}`, { podIPs: ['10.0.0.2'] });
    expect(names(kit, 'ready')).toEqual([one]);
    expect(names(kit, 'unready')).toEqual([two]);
    kit.ready([two, three]);
    expect(names(kit, 'unready')).toEqual([]);
    expect(names(kit, 'ready').toSorted()).toEqual([one, two, three]);
  });

  it('have each member once, at the tail where it comes anew (Q1)', () => {
    const kit = PoolKit.with({ replicas: 3 }).rest();
    const [one = '', two = '', three = ''] = kit.names;
    const set = (name: string, isReady: boolean): void =>
      kit.server.status(`Sandbox/${name}`, readyStatus('n1', kit.now, isReady));
    for (const name of [one, two, three]) set(name, true);
    expect(names(kit, 'ready')).toEqual([one, two, three]);
    set(one, false);
    expect([names(kit, 'ready'), names(kit, 'unready')]).toEqual([[two, three], [one]]);
    set(one, true);
    expect([names(kit, 'ready'), names(kit, 'unready')]).toEqual([[two, three, one], []]);
  });

  it('lose members that go, are taken, or lack what claims ask for (Q18, Q25)', () => {
    const kit = PoolKit.with({ replicas: 3 }).rest().ready().rest();
    const [one = '', two = '', three = ''] = kit.names;
    kit.server.slow.add(one);
    kit.server.delete(`Sandbox/${one}`);
    kit.take(two);
    kit.server.patch(`Sandbox/${three}`, {
      metadata: { labels: { 'agents.x-k8s.io/warm-pool-sandbox': null } },
    });
    expect(names(kit, 'ready')).toEqual([]);
  });
});

describe('the memory of a pool', () => {
  it('holds nothing of members that are gone (M1, R69)', () => {
    const kit = PoolKit.with({ replicas: 8 });
    for (let round = 0; round < 6; round++) {
      kit.rest().ready(kit.names.slice(2)).rest();
      kit
        .take(...kit.names.slice(0, 4))
        .wait(400_000)
        .rest();
      kit.edit({ replicas: round % 2 === 0 ? 2 : 8 }).rest();
    }
    kit.edit({ replicas: 0 }).rest();
    const { members, ready, unready, overdue, held, blueprints, ...rest } = kit.controller.context;
    const { refill, removal, unlabelled } = rest;
    const all = [members, ready, unready, overdue, held, blueprints, unlabelled];
    const more = [refill.creating, refill.repeated, removal.chosen, removal.waiting, removal.sent];
    expect([...all, ...more].map(({ size }) => size)).toEqual(Array(12).fill(0));
    expect(refill.spare).toEqual([]);
  });

  it('holds no numbers of members as long as none is made', () => {
    const kit = PoolKit.with({ replicas: 3 }).rest();
    kit.server.remove('SandboxTemplate/template');
    kit.take(kit.names[0] ?? '').restart();
    expect(kit.rest().controller.context.ordinals.size).toBe(0);
    kit.server.put({
      ...templateObject(),
      metadata: { name: 'template', namespace: 'default', uid: 'another' },
    });
    expect(kit.rest().members).toHaveLength(3);
    expect(kit.controller.context.ordinals.size).toBe(0);
  });

  it('is not of an earlier pool or Sandbox of the name (M2)', () => {
    const kit = PoolKit.with({ replicas: 2 }).rest().ready().rest();
    const old = kit.names;
    kit.server.remove('SandboxWarmPool/pool');
    kit.server.put({
      ...poolObject({ replicas: 3 }),
      metadata: { name: 'pool', namespace: 'default', uid: 'another' },
    });
    kit.rest();
    expect(kit.controller.context.counts).toEqual({ active: 3, ready: 0, terminating: 0 });
    expect(kit.server.controlled('another').map(({ metadata }) => metadata.name)).not.toContain(
      old[0],
    );
    expect(kit.members).toHaveLength(2);
  });
});

describe('a member of before', () => {
  it('gets the label that says it is warm (2.3.3)', () => {
    const kit = PoolKit.with({ replicas: 1 });
    const object = sandboxObject('pool-abcde');
    const { [`agents.x-k8s.io/launch-type`]: _, ...labels } = object.metadata.labels ?? {};
    const owner = {
      apiVersion: 'extensions.agents.x-k8s.io/v1alpha1',
      kind: 'SandboxWarmPool',
      name: 'pool',
      uid: 'uid-pool',
      controller: true,
    };
    kit.server.put({
      ...object,
      metadata: { ...object.metadata, labels, ownerReferences: [owner] },
    });
    kit.rest();
    expect(kit.names).toEqual(['pool-abcde']);
    expect(kit.members[0]?.metadata.labels).toMatchObject({
      'agents.x-k8s.io/launch-type': 'warm',
    });
  });
});
