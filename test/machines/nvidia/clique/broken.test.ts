// What is repaired in a clique that somebody broke, what becomes of an object that is lost, and the
// states of its life.
import { describe, expect, it } from 'vitest';
import { CliqueKit, pod, three } from './kit.ts';
import { cliqueID, cliqueObject, domain, ownedBy, row } from './objects.ts';

describe('an object that somebody broke', () => {
  const broken = (rows: Parameters<typeof row>[0][], pods: readonly ReturnType<typeof pod>[]) =>
    new CliqueKit().given(
      domain(),
      cliqueObject(
        rows.map((one) => row({ ip: `ip-${one.node}`, ...one })),
        {
          ownerReferences: ownedBy(...pods.map(({ metadata }) => metadata.name)),
        },
      ),
      ...pods,
    );

  it('with one index twice keeps it for the pod that is ready, then the oldest, then by name (A-18, A-19)', () => {
    const pods = [pod('a', { ready: false }), pod('b', { created: 2 }), pod('c', { created: 1 })];
    const kit = broken(
      [
        { node: 'a', index: 5 },
        { node: 'b', index: 5 },
        { node: 'c', index: 5 },
      ],
      pods,
    );
    kit.reconcile();
    const [write] = kit.of('patchObject');
    expect(write?.patch).toMatchObject({ daemons: [{ index: 1 }, { index: 0 }, { index: 5 }] });
    expect(kit.events[0]).toContain('CliqueIndexRepaired: index 5 of node b');
  });

  it('is told of once, however often others write meanwhile, and not with an index that is not persisted (A-30)', () => {
    const kit = broken(
      [
        { node: 'a', index: 5 },
        { node: 'b', index: 5 },
      ],
      [pod('a'), pod('b', { created: 2 })],
    );
    kit.reconcile();
    const { object } = kit;
    if (object === undefined) throw new Error();
    kit.given({ ...object, metadata: { ...object.metadata, resourceVersion: '11' } });
    kit.reconcile();
    expect(kit.events).toHaveLength(2);
    expect(kit.events[0]).toContain('in use twice or out of range: it gets another one');
  });

  it('says which daemons are to restart, and why they cannot be deleted (A-18)', () => {
    const annotations = { 'coppice.dev/outdated-daemons': '["uid-daemon-a"]' };
    const rows = [row({ node: 'a', index: 0, ip: 'ip-a' })];
    const kit = new CliqueKit()
      .given(cliqueObject(rows, { annotations, ownerReferences: ownedBy('daemon-a') }), pod('a'))
      .given(domain());
    kit.reconcile();
    const what = 'pod daemon-a on node a runs with an index of before: it is deleted';
    expect(kit.why).toContain(what);
    kit.refused('FORBIDDEN', 'pods is forbidden', 'DaemonPod', 'daemon-a');
    expect(kit.why).toContain(`${what}, which failed: pods is forbidden (FORBIDDEN)`);
  });

  it('restarts daemons whose index was changed, unless they do it themselves (A-18)', () => {
    const pods = [pod('a'), pod('b', { created: 2 }), pod('c', { created: 3, isAgent: true })];
    const kit = broken(
      [
        { node: 'a', index: 0 },
        { node: 'b', index: 0 },
        { node: 'c', index: 0 },
      ],
      pods,
    );
    for (let round = 0; round < 3; round++) {
      for (const intent of kit.reconcile()) {
        if (intent.type !== 'patchObject' || kit.object === undefined) continue;
        const { metadata, daemons } = intent.patch as never as { metadata: object; daemons: never };
        const merged = { ...kit.object.metadata, ...metadata, resourceVersion: `9${round}` };
        kit.given({ ...kit.object, metadata: merged, daemons });
      }
    }
    expect(kit.of('deleteObject')).toMatchObject([
      { ref: { kind: 'DaemonPod', name: 'daemon-b' } },
    ]);
  });

  it('with an index out of range, negative or not whole gets a right one (A-2, A-64, Q-12)', () => {
    const pods = [pod('a'), pod('b', { created: 1 }), pod('c', { created: 2 })];
    const kit = broken(
      [
        { node: 'a', index: 1e9 },
        { node: 'b', index: -1 },
        { node: 'c', index: 1.5 },
      ],
      pods,
    );
    kit.reconcile();
    expect(kit.of('patchObject')[0]?.patch).toMatchObject({
      daemons: [{ index: 0 }, { index: 1 }, { index: 2 }],
    });
  });

  it('with more rows than places keeps those that have one and tells the rest', () => {
    const pods = [pod('a', { maxNodes: 1 }), pod('b', { maxNodes: 1, created: 2 })];
    const kit = broken(
      [
        { node: 'a', index: 0 },
        { node: 'b', index: 1 },
      ],
      pods,
    );
    kit.reconcile();
    expect(kit.of('patchObject')[0]?.patch).toMatchObject({ daemons: [{ nodeName: 'a' }] });
    expect(kit.events.join('\n')).toContain('the row goes, as there is no other');
  });

  it('without an index is read as 0 and written with it (A-8)', () => {
    const kit = broken([{ node: 'a' }], [pod('a')]).carryOut();
    expect(kit.rows).toMatchObject([{ index: 0, status: 'Ready' }]);
  });

  it('with an empty clique ID in a row gets the right one', () => {
    const kit = broken([{ node: 'a', index: 0, clique: '' }], [pod('a')]).carryOut();
    expect(kit.rows).toMatchObject([{ cliqueID }]);
  });
});

describe('an object that is gone', () => {
  it('is made anew with the rows of live pods and the same indices (A-38, A-101, Q-8)', () => {
    const kit = three();
    kit.reconcile();
    kit.gone(pod('a'));
    const { object } = kit;
    if (object === undefined) throw new Error();
    kit.gone(object).carryOut();
    expect(kit.table).toEqual(['b=1+', 'c=2+']);
  });

  it('is made anew as the status of the domain remembers it, where nothing else does (A-38, A-96)', () => {
    const nodes = ['a', 'b'].map((name, at) => ({
      name,
      ipAddress: `ip-${name}`,
      cliqueID,
      index: 7 + at,
      status: 'Ready',
    }));
    const kit = new CliqueKit()
      .given(domain({ status: { status: 'Ready', nodes } }), pod('b'), pod('a', { created: 4 }))
      .carryOut();
    expect(kit.table).toEqual(['b=8+', 'a=7+']);
  });

  it('and without pods ends its actor', () => {
    const kit = three().gone(pod('a'), pod('b'), pod('c')).carryOut();
    expect(kit.state).toBe('gone');
  });

  it('that is held by a foreign finalizer is still written, and says who holds it', () => {
    const kit = three();
    const { object } = kit;
    if (object === undefined) throw new Error();
    const metadata = {
      ...object.metadata,
      resourceVersion: '50',
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['example.org/hold'],
    };
    kit.given({ ...object, metadata }, pod('d', { created: 5 })).carryOut();
    expect(kit.table).toContain('d=3+');
    expect(kit.why.join('\n')).toContain(
      'finalizer example.org/hold (whoever set it must take it off)',
    );
    const { object: held } = kit;
    if (held === undefined) throw new Error();
    kit.gone(held).carryOut();
    expect(kit.table).toEqual(['a=0+', 'b=1+', 'c=2+', 'd=3+']);
    expect(kit.object?.metadata.uid).not.toBe(held.metadata.uid);
    expect(kit.why.join('\n')).not.toContain('example.org/hold');
  });

  it('that is held and left by all says who holds it, and is deleted no second time', () => {
    const kit = new CliqueKit().given(
      cliqueObject([], {
        deletionTimestamp: '2026-01-01T00:00:00Z',
        finalizers: ['example.org/hold'],
      }),
    );
    expect(kit.carryOut().of('deleteObject')).toEqual([]);
    expect(kit.why).toEqual([expect.stringContaining('finalizer example.org/hold')]);
  });
});

describe('a clique outside of the namespaces of the driver', () => {
  it('is left as it is, whatever it says, and says why (A-21)', () => {
    const kit = new CliqueKit({ driverNamespace: 'other' }).given(
      cliqueObject([row({ node: 'a', index: 0 }), row({ node: 'b', index: 0 })]),
      pod('a'),
    );
    kit.ask('a', 'uid-daemon-a');
    expect(kit.carryOut().intents).toMatchObject([{ type: 'answer', answer: { ok: false } }]);
    expect(kit.state).toMatchObject({ active: { membership: 'foreign', table: 'agreed' } });
    expect(kit.why.join()).toContain('is none of the driver’s'.replace('’', "'"));
    kit.given(cliqueObject([], { resourceVersion: '11' })).carryOut();
    expect(kit.intents).toHaveLength(1);
  });
});

describe('the life of a clique', () => {
  const membership = (kit: CliqueKit) =>
    (kit.state as { active: { membership: string } }).active.membership;

  it('is forming, complete, degraded, full and draining as its daemons are (A-85)', () => {
    const kit = new CliqueKit().given(domain(), pod('a', { ready: false, maxNodes: 1 })).carryOut();
    expect(membership(kit)).toBe('forming');
    kit.given(pod('a', { maxNodes: 1, version: 2 })).carryOut();
    expect(membership(kit)).toBe('complete');
    kit.given(pod('a', { ready: false, maxNodes: 1, version: 3 })).carryOut();
    expect(membership(kit)).toBe('degraded');
    kit.given(pod('b', { maxNodes: 1, created: 2 })).carryOut();
    expect(membership(kit)).toBe('full');
    kit
      .given(pod('a', { deleting: true, version: 4 }))
      .gone(pod('b'))
      .carryOut();
    expect(membership(kit)).toBe('draining');
  });
});
