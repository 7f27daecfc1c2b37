// When an index is free again, and what is kept for a node whose daemon is gone.
import { describe, expect, it } from 'vitest';
import { domainLabel } from '#machines/nvidia/objects/labels.ts';
import { CliqueKit, pod, three } from './kit.ts';
import {
  cliqueObject,
  daemon,
  domain,
  domainUid,
  labelledNode,
  namespace,
  ownedBy,
  row,
} from './objects.ts';

describe('a row', () => {
  it('goes only after a live list of pods, and is not ready until then (A-20, A-21, A-24, A-51, HC-23, HC-26)', () => {
    const kit = three().gone(pod('b'));
    const intents = kit.reconcile();
    expect(intents).toMatchObject([
      { type: 'listObjects', kind: 'DaemonPod', namespaces: ['nvidia-dra-driver'] },
      {
        type: 'patchObject',
        resourceVersion: kit.object?.metadata.resourceVersion,
        patch: { daemons: [{}, { nodeName: 'b', status: 'NotReady' }, {}] },
      },
    ]);
    kit.carryOut();
    expect(kit.table).toEqual(['a=0+', 'c=2+']);
  });

  it('stays where the list fails (A-23)', () => {
    const kit = three().gone(pod('b'));
    kit.reconcile();
    kit.listed('FORBIDDEN: pods');
    expect(kit.reconcile()).toContainEqual(expect.objectContaining({ type: 'listObjects' }));
    expect(kit.rows).toHaveLength(3);
    expect(kit.why.join()).toContain('the last one failed: FORBIDDEN: pods');
    kit.listed().carryOut();
    expect(kit.rows).toHaveLength(2);
  });

  it('goes by its actor, which tries until it is gone, in spite of failed lists and refused writes (Q-24)', () => {
    const kit = three().gone(pod('b'));
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(kit.reconcile().map(({ type }) => type)).toContain('listObjects');
      kit.listed('no answer');
    }
    kit.reconcile();
    kit.listed();
    for (let attempt = 0; attempt < 3; attempt++) {
      const daemons = [{ nodeName: 'a' }, { nodeName: 'c' }];
      expect(kit.reconcile()).toMatchObject([{ type: 'patchObject', patch: { daemons } }]);
      kit.refused('CONFLICT', 'another one was first');
    }
    expect(kit.carryOut().table).toEqual(['a=0+', 'c=2+']);
  });

  it('goes only after a list of all namespaces that daemons may be in (A-21)', () => {
    const kit = new CliqueKit({ driverNamespace: 'other', additionalNamespaces: [namespace] });
    kit.given(cliqueObject([row({ node: 'a', index: 0 })])).reconcile();
    expect(kit.of('listObjects')).toMatchObject([
      { labels: { [domainLabel]: domainUid }, namespaces: ['other', namespace] },
    ]);
  });

  it('takes the owners along that are gone, and no others (A-103)', () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'theirs', uid: 'uid-theirs' };
    const kit = three();
    const { object } = kit;
    if (object === undefined) throw new Error();
    const ownerReferences = [...ownedBy('daemon-a', 'daemon-b', 'daemon-c'), other];
    kit.given({
      ...object,
      metadata: { ...object.metadata, resourceVersion: '11', ownerReferences },
    });
    kit.gone(pod('b')).carryOut();
    expect(kit.object?.metadata.ownerReferences).toEqual([
      ...ownedBy('daemon-a', 'daemon-c'),
      other,
    ]);
  });

  it('stays while its domain is being deleted, and costs no list: its owners take it along', () => {
    const going = {
      ...domain().metadata,
      resourceVersion: '6',
      deletionTimestamp: '2026-01-01T00:00:00Z',
    };
    const kit = three()
      .given(domain({ metadata: going }))
      .gone(pod('a'), pod('b'), pod('c'));
    expect(kit.carryOut().table).toEqual(['a=0', 'b=1', 'c=2']);
    expect(kit.of('listObjects')).toEqual([]);
    expect(kit.why).toEqual(['ComputeDomain imex is being deleted']);
    expect(kit.gone(domain()).carryOut().object).toBeUndefined();
  });

  it('stays where it is while no pod says how many places there are (A-15, A-21, A-64)', () => {
    const late = (node: string) => pod(node, { maxNodes: 36 });
    const rows = [
      row({ node: 'a', index: 30, ip: 'ip-a' }),
      row({ node: 'b', index: 31, ip: 'ip-b' }),
    ];
    const object = cliqueObject(rows, { ownerReferences: ownedBy('daemon-a', 'daemon-b') });
    const kit = new CliqueKit({ maxNodes: 18 }).given(object, late('a'), late('b')).carryOut();
    kit.gone(late('a'), late('b')).reconcile();
    expect(kit.of('patchObject').at(-1)?.patch['daemons']).toMatchObject([
      { nodeName: 'a', index: 30 },
      { nodeName: 'b', index: 31 },
    ]);
    kit.given(pod('a', { name: 'next', clique: undefined, maxNodes: 36 })).carryOut();
    expect(kit.table).toEqual(['a=30']);
    expect(kit.events).toEqual([]);
  });

  it('stays where the list shows the pod after all (A-52, A-53, HC-61)', () => {
    const kit = three().gone(pod('b'));
    expect(kit.reconcile()).toMatchObject([
      { type: 'listObjects' },
      { type: 'patchObject', patch: { daemons: [{}, { nodeName: 'b', index: 1 }, {}] } },
    ]);
    kit
      .given(pod('b', { version: 7 }))
      .listed()
      .carryOut();
    expect(kit.table).toEqual(['a=0+', 'b=1+', 'c=2+']);
  });

  it('stays, not ready, while its pod terminates, has failed, lost its IP or its readiness (A-22, A-25, A-26, A-82)', () => {
    const kit = three()
      .given(pod('a', { deleting: true, version: 2 }))
      .given(pod('b', { phase: 'Failed', version: 2 }))
      .given(pod('c', { ip: '', ready: false, version: 2 }))
      .carryOut();
    expect(kit.table).toEqual(['a=0', 'b=1', 'c=2']);
    expect(kit.rows[2]?.ipAddress).toBe('ip-c');
    expect(kit.of('listObjects')).toEqual([]);
  });

  it('stays while a pod on its node has not said in which clique it is (A-19, HC-19)', () => {
    const kit = three()
      .gone(pod('b'))
      .given(daemon({ node: 'b', name: 'next', clique: undefined }));
    kit.carryOut();
    expect(kit.table).toEqual(['a=0+', 'b=1', 'c=2+']);
  });

  it('goes where the node has a daemon of another clique (A-70, Q-15)', () => {
    const kit = three()
      .gone(pod('b'))
      .given(pod('b', { name: 'moved', clique: 'other.9' }))
      .carryOut();
    expect(kit.table).toEqual(['a=0+', 'c=2+']);
  });

  it('goes with all others that are stale in one write, and takes no other along (A-72, Q-23)', () => {
    const kit = three();
    kit.gone(pod('b'), pod('c'));
    kit.reconcile();
    kit.listed();
    expect(kit.reconcile()).toMatchObject([
      { type: 'patchObject', patch: { daemons: [{ nodeName: 'a', index: 0, status: 'Ready' }] } },
    ]);
  });

  it('goes with the object where it is the last, so that nothing lingers without an owner (A-102)', () => {
    const kit = three().gone(pod('a'), pod('b'), pod('c')).carryOut();
    expect(kit.object).toBeUndefined();
    expect(kit.of('deleteObject')).toMatchObject([{ resourceVersion: expect.any(String) }]);
  });
});

describe('an index', () => {
  it('is kept for a node that still carries the label, and given to none else while others are free (A-28, A-29)', () => {
    const kit = three().gone(pod('b')).carryOut();
    expect(kit.object?.metadata.annotations).toEqual({
      'coppice.dev/reserved-indices': '[{"node":"b","index":1}]',
    });
    kit.given(pod('d', { created: 5 })).carryOut();
    expect(kit.table).toContain('d=3+');
    kit.given(pod('b', { name: 'next', created: 6 })).carryOut();
    expect(kit.table).toContain('b=1+');
  });

  it('is kept by a controller that has just started, and given up for want of others alone (A-28, A-29)', () => {
    const { object } = three().gone(pod('b')).carryOut();
    if (object === undefined) throw new Error();
    const started = () =>
      new CliqueKit().given(domain(), labelledNode('b'), object, pod('a'), pod('c'));
    const kit = started()
      .given(pod('d', { created: 5 }))
      .carryOut();
    expect(kit.table).toEqual(['a=0+', 'c=2+', 'd=3+']);
    expect(
      started()
        .given(pod('b', { name: 'next' }))
        .carryOut().table,
    ).toContain('b=1+');
  });

  it('is free at once where the node lost the label (A-28)', () => {
    const kit = three().gone(labelledNode('b'), pod('b')).carryOut();
    kit.given(pod('d', { created: 5 })).carryOut();
    expect(kit.table).toContain('d=1+');
  });

  it('that is kept never leads to a refusal: the oldest goes first (A-28)', () => {
    const kit = three().gone(pod('a')).carryOut();
    kit.gone(pod('b')).carryOut();
    kit.given(pod('d', { created: 5, maxNodes: 3 })).carryOut();
    expect(kit.table).toContain('d=0+');
    expect(kit.view).toMatchObject({ reserved: { b: 1 } });
  });

  it('of a row that a daemon removed itself is given to none while its pod is there (A-27, A-115)', () => {
    const kit = three()
      .given(pod('b', { deleting: true, version: 2 }))
      .carryOut();
    const { object } = kit;
    if (object === undefined) throw new Error();
    const daemons = kit.rows.filter(({ nodeName }) => nodeName !== 'b');
    const metadata = { ...object.metadata, resourceVersion: '5000' };
    kit.gone(labelledNode('b'));
    kit
      .given({ ...object, metadata, daemons })
      .given(pod('d', { created: 5 }))
      .carryOut();
    expect(kit.table).toContain('d=3+');
  });

  it('of a row that was written, and that its daemon removed before it was seen, is given to none while its pod is there (A-27)', () => {
    const kit = three().given(pod('d', { created: 5 }));
    kit.reconcile();
    // That tells nothing of the write of the clique.
    kit.refused('CONFLICT', 'it has another UID', 'DaemonPod', 'daemon-c');
    const { object } = kit;
    if (object === undefined) throw new Error();
    const metadata = { ...object.metadata, resourceVersion: '5000' };
    kit
      .given({ ...object, metadata }, pod('d', { created: 5, deleting: true, version: 2 }))
      .given(pod('e', { created: 6 }))
      .carryOut();
    expect(kit.table).toContain('e=4+');
  });

  it('of a write that was refused is kept for nobody', () => {
    const kit = three().given(pod('d', { created: 5 }));
    kit.reconcile();
    kit.refused('CONFLICT', 'another one was first').gone(pod('d'));
    kit.given(pod('e', { created: 6 })).carryOut();
    expect(kit.table).toContain('e=3+');
  });
});

describe('an owner that the garbage collector has taken off', () => {
  /** The clique as the collector leaves it. */
  const collected = (kit: CliqueKit, version: number) => {
    const { object } = kit;
    if (object === undefined) throw new Error('there is no clique');
    const metadata = { ...object.metadata, resourceVersion: String(version) };
    return {
      ...object,
      metadata: { ...metadata, ownerReferences: ownedBy('daemon-a', 'daemon-c') },
    };
  };
  const ownersIn = (kit: CliqueKit) =>
    kit.object?.metadata.ownerReferences?.map(({ name }) => name).toSorted();
  const all = ['daemon-a', 'daemon-b', 'daemon-c'];

  it('is put back once, and then not before its pod is seen anew, as a watch may be late (A-103)', () => {
    const kit = three();
    kit.given(collected(kit, 5_000)).carryOut();
    expect(ownersIn(kit)).toEqual(all);
    kit.given(collected(kit, 6_000)).carryOut();
    expect(ownersIn(kit)).toEqual(['daemon-a', 'daemon-c']);
    kit.given(pod('b', { version: 99 })).carryOut();
    expect(ownersIn(kit)).toEqual(all);
  });
});
