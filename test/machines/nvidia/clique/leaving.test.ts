// When an index is free again, what is kept for a node, what is repaired, and what becomes of an
// object that is lost.
import { describe, expect, it } from 'vitest';
import { CliqueKit } from './kit.ts';
import { cliqueID, cliqueObject, daemon, domain, labelledNode, ownedBy, row } from './objects.ts';

const pod = (node: string, changes: Partial<Parameters<typeof daemon>[0]> = {}) =>
  daemon({ node, ip: `ip-${node}`, ready: true, ...changes });

const three = () =>
  new CliqueKit().given(
    domain(),
    labelledNode('a'),
    labelledNode('b'),
    cliqueObject(
      [
        row({ node: 'a', index: 0, ip: 'ip-a', ready: true }),
        row({ node: 'b', index: 1, ip: 'ip-b', ready: true }),
        row({ node: 'c', index: 2, ip: 'ip-c', ready: true }),
      ],
      { ownerReferences: ownedBy('daemon-a', 'daemon-b', 'daemon-c') },
    ),
    pod('a'),
    pod('b'),
    pod('c'),
  );

describe('a row', () => {
  it('goes only after a live list of pods, and is not ready until then (A-20, A-21, A-24, A-51)', () => {
    const kit = three().gone(pod('b'));
    const intents = kit.reconcile();
    expect(intents).toMatchObject([
      { type: 'refreshObjects', kind: 'DaemonPod', namespaces: ['nvidia-dra-driver'] },
      { type: 'patchObject', patch: { daemons: [{}, { nodeName: 'b', status: 'NotReady' }, {}] } },
    ]);
    kit.settle();
    expect(kit.table).toEqual(['a=0+', 'c=2+']);
  });

  it('stays where the list fails (A-23)', () => {
    const kit = three().gone(pod('b'));
    kit.reconcile();
    kit.listed('FORBIDDEN: pods');
    expect(kit.reconcile()).toContainEqual(expect.objectContaining({ type: 'refreshObjects' }));
    expect(kit.rows).toHaveLength(3);
  });

  it('stays where the list shows the pod after all (A-52, A-53, HC-61)', () => {
    const kit = three().gone(pod('b'));
    kit.reconcile();
    kit
      .given(pod('b', { version: 7 }))
      .listed()
      .settle();
    expect(kit.table).toEqual(['a=0+', 'b=1+', 'c=2+']);
  });

  it('stays, not ready, while its pod terminates, has failed, lost its IP or its readiness (A-22, A-25, A-26, A-82)', () => {
    const kit = three()
      .given(pod('a', { deleting: true, version: 2 }))
      .given(pod('b', { phase: 'Failed', version: 2 }))
      .given(pod('c', { ip: '', ready: false, version: 2 }))
      .settle();
    expect(kit.table).toEqual(['a=0', 'b=1', 'c=2']);
    expect(kit.rows[2]?.ipAddress).toBe('ip-c');
    expect(kit.of('refreshObjects')).toEqual([]);
  });

  it('stays while a pod on its node has not said in which clique it is (A-19, HC-19)', () => {
    const kit = three()
      .gone(pod('b'))
      .given(daemon({ node: 'b', name: 'next', clique: undefined }));
    kit.settle();
    expect(kit.table).toEqual(['a=0+', 'b=1', 'c=2+']);
  });

  it('goes where the node has a daemon of another clique (A-70)', () => {
    const kit = three()
      .gone(pod('b'))
      .given(pod('b', { name: 'moved', clique: 'other.9' }))
      .settle();
    expect(kit.table).toEqual(['a=0+', 'c=2+']);
  });

  it('goes with all others that are stale in one write (A-72)', () => {
    const kit = three();
    kit.gone(pod('b'), pod('c'));
    kit.reconcile();
    kit.listed();
    expect(kit.reconcile()).toMatchObject([
      { type: 'patchObject', patch: { daemons: [{ nodeName: 'a', index: 0, status: 'Ready' }] } },
    ]);
  });

  it('goes with the object where it is the last, so that nothing lingers without an owner (A-102)', () => {
    const kit = three().gone(pod('a'), pod('b'), pod('c')).settle();
    expect(kit.object).toBeUndefined();
    expect(kit.of('deleteObject')).toMatchObject([{ resourceVersion: expect.any(String) }]);
  });
});

describe('an index', () => {
  it('is kept for a node that still carries the label, and given to none else while others are free (A-28, A-29)', () => {
    const kit = three().gone(pod('b')).settle();
    expect(kit.object?.metadata.annotations).toEqual({
      'coppice.dev/reserved-indices': '[{"node":"b","index":1}]',
    });
    kit.given(pod('d', { created: 5 })).settle();
    expect(kit.table).toContain('d=3+');
    kit.given(pod('b', { name: 'next', created: 6 })).settle();
    expect(kit.table).toContain('b=1+');
  });

  it('is free at once where the node lost the label (A-28)', () => {
    const kit = three().gone(labelledNode('b'), pod('b')).settle();
    kit.given(pod('d', { created: 5 })).settle();
    expect(kit.table).toContain('d=1+');
  });

  it('that is kept never leads to a refusal: the oldest goes first (A-28)', () => {
    const kit = three().gone(pod('a')).settle();
    kit.gone(pod('b')).settle();
    kit.given(pod('d', { created: 5, maxNodes: 3 })).settle();
    expect(kit.table).toContain('d=0+');
    expect(kit.view).toMatchObject({ reserved: { b: 1 } });
  });

  it('of a row that a daemon removed itself is given to none while its pod is there (A-27, A-115)', () => {
    const kit = three()
      .given(pod('b', { deleting: true, version: 2 }))
      .settle();
    const { object } = kit;
    if (object === undefined) throw new Error();
    const daemons = kit.rows.filter(({ nodeName }) => nodeName !== 'b');
    const metadata = { ...object.metadata, resourceVersion: '5000' };
    kit.gone(labelledNode('b'));
    kit
      .given({ ...object, metadata, daemons })
      .given(pod('d', { created: 5 }))
      .settle();
    expect(kit.table).toContain('d=3+');
  });
});

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
    for (let round = 0; round < 2; round++) {
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
    const kit = broken([{ node: 'a' }], [pod('a')]).settle();
    expect(kit.rows).toMatchObject([{ index: 0, status: 'Ready' }]);
  });

  it('with an empty clique ID in a row gets the right one', () => {
    const kit = broken([{ node: 'a', index: 0, clique: '' }], [pod('a')]).settle();
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
    kit.gone(object).settle();
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
      .settle();
    expect(kit.table).toEqual(['b=8+', 'a=7+']);
  });

  it('and without pods ends its actor', () => {
    const kit = three().gone(pod('a'), pod('b'), pod('c')).settle();
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
    kit.given({ ...object, metadata }, pod('d', { created: 5 })).settle();
    expect(kit.table).toContain('d=3+');
    expect(kit.why.join('\n')).toContain(
      'finalizer example.org/hold (whoever set it must take it off)',
    );
  });
});

describe('the life of a clique', () => {
  const membership = (kit: CliqueKit) =>
    (kit.state as { active: { membership: string } }).active.membership;

  it('is forming, complete, degraded, full and draining as its daemons are (A-85)', () => {
    const kit = new CliqueKit().given(domain(), pod('a', { ready: false, maxNodes: 1 })).settle();
    expect(membership(kit)).toBe('forming');
    kit.given(pod('a', { maxNodes: 1, version: 2 })).settle();
    expect(membership(kit)).toBe('complete');
    kit.given(pod('a', { ready: false, maxNodes: 1, version: 3 })).settle();
    expect(membership(kit)).toBe('degraded');
    kit.given(pod('b', { maxNodes: 1, created: 2 })).settle();
    expect(membership(kit)).toBe('full');
    kit
      .given(pod('a', { deleting: true, version: 4 }))
      .gone(pod('b'))
      .settle();
    expect(membership(kit)).toBe('draining');
  });
});
