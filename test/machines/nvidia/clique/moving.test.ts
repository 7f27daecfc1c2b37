// Daemons that join without a label, on a node that moves from one clique to another: which of both
// has them is told by who owns which object.
import { describe, expect, it } from 'vitest';
import { cliqueName } from '#machines/nvidia/objects/labels.ts';
import { CliqueKit, pod, two } from './kit.ts';
import { cliqueObject, domainUid, ownedBy, row } from './objects.ts';

const other = (...owners: readonly string[]) =>
  cliqueObject([row({ node: 'b', index: 0, ip: 'ip-b', clique: 'new.1' })], {
    name: cliqueName(domainUid, 'new.1'),
    uid: 'uid-of-other',
    labels: {},
    ownerReferences: ownedBy(...owners),
  });

const next = pod('b', { name: 'next', clique: undefined, isAgent: true, created: 9 });

describe('a node that moves to another clique', () => {
  it('keeps its row until its new daemon is persisted there, and not beyond that (A-70, A-91)', () => {
    const kit = two().gone(pod('b')).given(next).carryOut();
    expect(kit.table).toEqual(['a=0+', 'b=1']);
    expect(kit.of('listObjects')).toEqual([]);
    kit.given(other('next')).carryOut();
    expect(kit.of('listObjects')).toHaveLength(1);
    expect(kit.table).toEqual(['a=0+']);
  });

  it('loses its row also where its new daemon is seen once more while the list is under way', () => {
    const kit = two().gone(pod('b')).given(next, other('next'));
    kit.reconcile();
    kit.given(pod('b', { name: 'next', clique: undefined, created: 9, version: 5 }));
    kit.reconcile();
    kit.listed().reconcile();
    expect(kit.of('listObjects')).toHaveLength(2);
    expect(kit.of('patchObject').at(-1)?.patch['daemons']).toHaveLength(1);
  });

  it('keeps its row where the other object is in another namespace, or has other owners', () => {
    const kit = two().gone(pod('b')).given(next);
    const theirs = other('next');
    kit.given({ ...theirs, metadata: { ...theirs.metadata, namespace: 'team' } });
    expect(kit.carryOut().table).toEqual(['a=0+', 'b=1']);
    kit.given(other('daemon-x'));
    expect(kit.carryOut().table).toEqual(['a=0+', 'b=1']);
  });

  it('keeps the row that its new daemon owns here, whatever other cliques say', () => {
    const kit = two().gone(pod('b')).given(next);
    kit.ask('b', 'uid-next');
    kit.carryOut();
    expect(kit.given(other('next')).carryOut().table).toEqual(['a=0+', 'b=1+']);
  });
});

describe('a clique', () => {
  it('that somebody deletes is made anew as daemons without a label know it (A-27, A-38)', () => {
    const unlabelled = { clique: undefined, isAgent: true };
    const object = cliqueObject([row({ node: 'b', index: 1, ip: 'ip-b' })], {
      ownerReferences: ownedBy('daemon-b'),
    });
    // Of this process none has asked: the object alone tells of b.
    const kit = new CliqueKit().given(object, pod('b', unlabelled)).carryOut();
    kit.gone(kit.object ?? object).carryOut();
    expect(kit.table.map((one) => one.slice(0, 3))).toEqual(['b=1']);
    kit.given(pod('a', { created: 1 })).carryOut();
    expect(kit.table.map((one) => one.slice(0, 3))).toEqual(['b=1', 'a=0']);
  });

  it('keeps a daemon without a label whose reference somebody takes off the owners (A-103)', () => {
    const object = cliqueObject([row({ node: 'b', index: 1, ip: 'ip-b', ready: true })], {
      ownerReferences: ownedBy('daemon-b'),
    });
    const agent = pod('b', { clique: undefined, isAgent: true });
    const kit = new CliqueKit().given(object, agent).carryOut();
    const metadata = { ...object.metadata, resourceVersion: '5000', ownerReferences: [] };
    kit.given({ ...object, metadata }).carryOut();
    expect(kit.table).toEqual(['b=1+']);
    expect(kit.object?.metadata.ownerReferences).toMatchObject([{ name: 'daemon-b' }]);
    kit.gone(agent).carryOut();
    expect([...kit.context.starting.values()].flat()).toEqual([]);
    expect(kit.context.starting.has('uid-daemon-b')).toBe(false);
  });

  it("takes no daemon of NVIDIA's for ours because its object went before its label came", () => {
    const object = cliqueObject([row({ node: 'b', index: 1, ip: 'ip-b' })], {
      ownerReferences: ownedBy('daemon-b'),
    });
    const kit = new CliqueKit().given(object, pod('b', { clique: undefined })).carryOut();
    kit
      .gone(kit.object ?? object)
      .given(pod('b', { version: 2 }))
      .carryOut();
    expect(kit.context.admitted.size).toBe(0);
    expect(kit.table.map((one) => one.slice(0, 3))).toEqual(['b=1']);
  });

  it('reads of daemons without a label those on its nodes, its owners and those that ask', () => {
    const kit = two().given(pod('z', { clique: undefined }));
    kit.ask('c', 'uid-daemon-c');
    kit.reconcile();
    expect(kit.read('startingDaemons')).toEqual([
      `${domainUid} a`,
      `${domainUid} b`,
      'uid-daemon-c',
    ]);
  });

  it('forgets daemons that are gone', () => {
    const kit = two();
    kit.given(next).ask('b', 'uid-next');
    kit.reconcile();
    expect([...kit.context.wereReady].toSorted()).toEqual([
      'uid-daemon-a',
      'uid-daemon-b',
      'uid-next',
    ]);
    expect([...kit.context.admitted.keys()]).toEqual(['uid-next']);
    kit.gone(next, pod('b')).carryOut();
    expect([...kit.context.wereReady]).toEqual(['uid-daemon-a']);
    expect([...kit.context.admitted.keys()]).toEqual([]);
  });
});
