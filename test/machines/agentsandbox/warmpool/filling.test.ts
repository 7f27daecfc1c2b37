// A warm pool is filled, kept full, and never has more members than are wanted.
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '#machines/contract/errors.ts';
import { PoolKit } from './kit.ts';
import { ownedBy, sandboxObject, startError, templateObject } from './objects.ts';
import type { WriteIntent } from './server.ts';

const quota = (intent: { readonly type: string }): ErrorCode | undefined =>
  intent.type === 'createObject' ? 'FORBIDDEN' : undefined;

/** The first create of a pool. */
function onItsWay(kit: PoolKit): WriteIntent {
  kit.reconcile();
  kit.send();
  const [create] = kit.controller.flying.values().filter(({ type }) => type === 'createObject');
  if (create === undefined) throw new Error('nothing is created');
  return create;
}

/** Of three members one is there, one was made without a word, and one was refused. */
function withoutAWord(): PoolKit {
  const kit = PoolKit.with({ replicas: 3 });
  const round = (): void => {
    kit.reconcile();
    kit.send();
    kit.serve();
  };
  round();
  let creates = 0;
  kit.refuses = (intent) => {
    if (intent.type !== 'createObject') return undefined;
    if (creates++ > 0) return 'INVALID';
    kit.isWatching = false;
    kit.server.write(intent);
    return 'UNREACHABLE';
  };
  round();
  expect([creates, kit.members.length]).toEqual([2, 2]);
  kit.refuses = () => undefined;
  kit.isWatching = true;
  return kit;
}

describe('a pool with too few members', () => {
  it('is filled to the wanted number at once (P5, R34)', () => {
    const kit = PoolKit.with({ replicas: 50 }).rest();
    expect(kit.members).toHaveLength(50);
    expect(kit.written('createObject')).toHaveLength(50);
  });

  it('sends one create, then ever more while they succeed (R43)', () => {
    const kit = PoolKit.with({ replicas: 50 });
    const sizes: number[] = [];
    for (let round = 0; round < 6; round++) {
      kit.reconcile();
      sizes.push(kit.controller.queued.size - 1);
      kit.send();
      kit.serve();
    }
    expect(sizes).toEqual([1, 2, 4, 8, 16, 19]);
  });

  it('costs one call where a quota refuses, and says so once and in why (R43)', () => {
    const kit = PoolKit.with({ replicas: 500 });
    kit.refuses = quota;
    kit.rest();
    expect(kit.written('createObject')).toHaveLength(1);
    kit.wait(2_000).rest();
    expect(kit.written('createObject')).toHaveLength(2);
    expect(kit.events('WarmPoolRefillFailed')).toEqual([
      'a member could not be created (FORBIDDEN): it said FORBIDDEN',
    ]);
    expect(kit.controller.why(kit.now).join('\n')).toContain(
      'claims are served from what is there',
    );
    expect(kit.status).toMatchObject({
      conditions: [{ type: 'Ready', status: 'False', reason: 'RefillFailed' }],
    });
    kit.refuses = () => undefined;
    kit.wait(2_000).rest();
    expect(kit.members).toHaveLength(500);
  });

  it('asks again for a member that was made without a word, though another was refused (P5)', () => {
    const kit = withoutAWord();
    kit.edit({ replicas: 4 });
    kit.isWatching = false;
    kit.wait(60_000).rest();
    expect(kit.members).toHaveLength(4);
  });

  it('asks for it before what was refused, as one less may be missing by now (P9)', () => {
    const kit = withoutAWord();
    const ownerReferences = [ownedBy('SandboxWarmPool', 'pool')];
    kit.server.put(sandboxObject('of-somebody', { ownerReferences }));
    kit.wait(60_000).rest();
    expect(kit.members).toHaveLength(3);
  });

  it('asks again for it though an earlier pool of its name had a member of that number (P5)', () => {
    const kit = PoolKit.with({ replicas: 1 });
    kit.refuses = (intent) => {
      if (intent.type !== 'createObject') return undefined;
      kit.isWatching = false;
      kit.server.write(intent);
      return 'UNREACHABLE';
    };
    kit.reconcile();
    kit.send();
    kit.serve();
    kit.refuses = () => undefined;
    const owner = { ...ownedBy('SandboxWarmPool', 'pool'), uid: 'uid-of-an-earlier-one' };
    const [own] = kit.members;
    if (own === undefined) throw new Error('no member');
    const identity = { namespace: 'default', uid: 'earlier', resourceVersion: '1' };
    kit.controller.see({
      ...own,
      metadata: { ...own.metadata, name: 'earlier', ...identity, ownerReferences: [owner] },
    });
    kit.wait(60_000).rest();
    expect(kit.members).toHaveLength(1);
  });

  it('asks for nothing twice while no watch shows its creates (P8, P11, R34)', () => {
    const kit = PoolKit.with({ replicas: 10 }, { maxBatchSize: 4 });
    for (let round = 0; round < 50; round++) {
      kit.reconcile();
      kit.send();
      kit.wait(600_000);
    }
    expect(kit.controller.flying.size).toBe(2);
    expect(kit.controller.context.refill.creating.size).toBe(1);
  });

  it('makes the same members again after a crash with lost replies (P9, R34)', () => {
    const kit = PoolKit.with({ replicas: 20 });
    for (let round = 0; round < 3; round++) {
      kit.reconcile();
      kit.send();
      kit.serve();
    }
    kit.reconcile();
    kit.send();
    const onTheirWay = [...kit.controller.flying.values()];
    kit.restart().rest();
    expect(kit.members).toHaveLength(20);
    for (const intent of onTheirWay) kit.server.write(intent);
    expect(kit.members).toHaveLength(20);
  });

  it('asks after a crash for the highest of the numbers that are free first (P9)', () => {
    const kit = PoolKit.with({ replicas: 6 }).rest();
    const made = kit.written('createObject').map(({ ref }) => ref.name);
    for (const number of [1, 4]) kit.server.delete(`Sandbox/${made[number]}`);
    kit.restart().rest();
    const again = kit.written('createObject').slice(made.length);
    expect(again.map(({ ref }) => ref.name)).toEqual([made[4], made[1]]);
  });

  it('asks for a member whose reply was lost by the same name (P9)', () => {
    const kit = PoolKit.with({ replicas: 5 }).rest();
    kit.take(...kit.names);
    let lost = 0;
    kit.refuses = (intent) => {
      if (intent.type !== 'createObject' || lost++ > 3) return undefined;
      kit.isWatching = false;
      kit.server.write(intent);
      kit.isWatching = true;
      return 'UNREACHABLE';
    };
    for (let round = 0; round < 8; round++) kit.rest().wait(2_000);
    expect(kit.members).toHaveLength(5);
  });

  it('counts a create on its way though the member of its name came and went (P9, R34)', () => {
    const kit = PoolKit.with({ replicas: 1 });
    const create = onItsWay(kit);
    // As another controller has asked for it.
    kit.server.write(create);
    kit.server.delete(`Sandbox/${create.ref.name}`);
    kit.rest();
    expect(kit.written('createObject')).toEqual([create]);
    expect(kit.names).toEqual([create.ref.name]);
  });

  it('counts it no longer where the runtime has dropped that create (P5)', () => {
    const kit = PoolKit.with({ replicas: 1 });
    kit.reconcile();
    const [create] = kit.controller.queued
      .values()
      .map(({ intent }) => intent)
      .filter(({ type }) => type === 'createObject');
    if (create === undefined) throw new Error('nothing is asked for');
    kit.edit({ replicas: 2 }).send();
    kit.server.write(create);
    kit.server.delete(`Sandbox/${create.ref.name}`);
    kit.rest();
    expect(kit.members).toHaveLength(2);
  });

  it('asks for the next number where that create finds somebody else there (P9)', () => {
    const kit = PoolKit.with({ replicas: 1 });
    const create = onItsWay(kit);
    kit.server.write(create);
    kit.take(create.ref.name).rest();
    expect(kit.written('createObject')).toHaveLength(2);
    expect(kit.members).toHaveLength(1);
  });

  it('counts members that go until they are gone (P10, R35)', () => {
    const kit = PoolKit.with({ replicas: 4 }).rest().ready();
    for (const name of kit.names) {
      kit.server.slow.add(name);
      kit.server.delete(`Sandbox/${name}`);
    }
    kit.rest();
    expect(kit.members).toHaveLength(4);
    expect(kit.controller.why(kit.now).join()).toContain('4 members are terminating');
    for (const name of kit.names.slice(2)) kit.server.remove(`Sandbox/${name}`);
    kit.rest();
    expect(kit.members).toHaveLength(4);
  });

  it('replaces members that claims have taken by others with new names (P9, Q17)', () => {
    const kit = PoolKit.with({ replicas: 4 }).rest().ready();
    const before = kit.names;
    kit.take(...before.slice(0, 3)).rest();
    expect(kit.members).toHaveLength(4);
    expect(kit.sandboxes).toHaveLength(7);
    kit
      .take(...kit.names)
      .restart()
      .rest();
    expect(kit.members).toHaveLength(4);
    expect(kit.controller.context.refill.failure).toBeUndefined();
    const creates = kit.written('createObject').map(({ ref }) => ref.name);
    expect(new Set(creates).size).toBe(creates.length);
  });

  it('takes the next name where somebody else has one', () => {
    const kit = PoolKit.with({ replicas: 3 });
    kit.reconcile();
    const [name = ''] = [...kit.controller.queued.keys()].filter((key) =>
      key.startsWith('Sandbox/'),
    );
    kit.server.put(sandboxObject(name.slice(8), { labels: {} }));
    kit.rest();
    expect(kit.members).toHaveLength(3);
    expect(kit.events('WarmPoolRefillFailed')).toEqual([]);
  });

  it('waits for its template, and goes on by itself when that is there (2.3.2)', () => {
    const kit = PoolKit.with({ replicas: 3 });
    kit.server.remove('SandboxTemplate/template');
    kit.rest();
    expect(kit.members).toEqual([]);
    expect(kit.status).toMatchObject({ replicas: 0, conditions: [{ reason: 'TemplateNotFound' }] });
    expect(kit.controller.why(kit.now).join()).toContain('SandboxTemplate template is not there');
    kit.server.put({ ...templateObject(), metadata: { name: 'template', namespace: 'default' } });
    kit.rest();
    expect(kit.members).toHaveLength(3);
  });

  it('does a bounded part of the work where a million are wanted', () => {
    const kit = PoolKit.with({ replicas: 1_000_000 });
    for (let round = 0; round < 12; round++) {
      kit.reconcile();
      kit.send();
      kit.serve();
    }
    kit.reconcile();
    expect(kit.controller.context.refill.creating.size).toBe(300);
  });

  it('starts few members at once while others end in StartError', () => {
    const kit = PoolKit.with({ replicas: 100 });
    kit.server.put(startError('pod'));
    kit.rest();
    expect(kit.members).toHaveLength(11);
    expect(kit.events('WarmPoolStartFailed')).toEqual([expect.stringContaining('D-Bus timed out')]);
    expect(kit.controller.why(kit.now).join()).toContain('ended in StartError');
    kit.ready(kit.names.slice(0, 5)).rest();
    expect(kit.members).toHaveLength(16);
    kit.server.remove('Pod/pod');
    kit.rest();
    expect(kit.members).toHaveLength(100);
    expect(kit.events('WarmPoolStartFailed')).toHaveLength(1);
  });
});
