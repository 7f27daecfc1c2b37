// How rows follow the pods of their nodes, and what a clique does when its writes fail.
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { nvidiaRoutes } from '#machines/nvidia/routes.ts';
import { CliqueKit } from './kit.ts';
import { cliqueObject, daemon, domain, ownedBy, row } from './objects.ts';

const pod = (node: string, changes: Partial<Parameters<typeof daemon>[0]> = {}) =>
  daemon({ node, ip: `ip-${node}`, ...changes });

/** Whom the sight of a daemon pod is told to. */
const actorsOf = (object: KubeObject): readonly string[] =>
  nvidiaRoutes
    .filter(({ kind }) => kind === 'DaemonPod')
    .flatMap((route) => route.deliver(route.decode(object) as never, object))
    .map(({ to }) => to.name);

const two = () =>
  new CliqueKit().given(
    cliqueObject(
      [row({ node: 'a', index: 0, ip: 'ip-a' }), row({ node: 'b', index: 1, ip: 'ip-b' })],
      {
        ownerReferences: ownedBy('daemon-a', 'daemon-b'),
      },
    ),
    pod('a'),
    pod('b'),
  );

describe('a row', () => {
  it('is Ready as its pod runs and is ready, and goes back (A-80, A-82, A-85, Q-6)', () => {
    const kit = two();
    kit.given(pod('a', { ready: true, version: 2 })).carryOut();
    expect(kit.table).toEqual(['a=0+', 'b=1']);
    kit.given(pod('a', { ready: true, phase: 'Pending', version: 3 })).carryOut();
    expect(kit.table).toEqual(['a=0', 'b=1']);
  });

  it('shares the write with all others whose readiness changed (A-83, A-85)', () => {
    const kit = two();
    kit.given(pod('a', { ready: true, version: 2 }), pod('b', { ready: true, version: 2 }));
    expect(kit.carryOut().table).toEqual(['a=0+', 'b=1+']);
    expect(kit.writes).toBe(1);
  });

  it('starts not ready, also where the pod is (A-81, HC-41)', () => {
    const kit = new CliqueKit().given(pod('a', { ready: true }));
    expect(kit.reconcile()[0]).toMatchObject({ body: { daemons: [{ status: 'NotReady' }] } });
  });

  it('has node and IP as they are spelled (A-14, HC-52)', () => {
    const node = 'Node.Example-01';
    const kit = new CliqueKit().given(pod(node, { ip: '2001:DB8::A' })).carryOut();
    expect(kit.rows).toMatchObject([{ nodeName: node, ipAddress: '2001:DB8::A' }]);
  });

  it('is not made for a node without a fabric, which takes no place from others (A-66, HC-28, HC-40)', () => {
    const without = pod('a', { clique: '', maxNodes: 1 });
    const kit = new CliqueKit().given(without, pod('b', { maxNodes: 1, created: 1 })).carryOut();
    expect(kit.table).toEqual(['b=0']);
    expect(kit.events).toEqual([]);
    expect(actorsOf(without)).toEqual([]);
  });

  it('goes where the daemon of its node says by its label that there is no fabric any more (HC-28)', () => {
    const kit = two()
      .gone(pod('b'))
      .given(pod('b', { name: 'next', clique: '' }));
    expect(kit.carryOut().table).toEqual(['a=0']);
  });
});

describe('a clique', () => {
  it('whose domain is not known is judged by its pods alone (A-55)', () => {
    const kit = two()
      .given(pod('a', { ready: true, version: 2 }))
      .gone(pod('b'));
    expect(kit.carryOut().table).toEqual(['a=0+']);
  });

  it('without a domain and without pods goes (A-104, A-124)', () => {
    const kit = two().gone(pod('a'), pod('b')).carryOut();
    expect(kit.object).toBeUndefined();
    expect(kit.state).toBe('gone');
  });

  it('asks for one list at a time, and for another one where more daemons are missed (A-73)', () => {
    const kit = two().gone(pod('a'));
    kit.reconcile();
    kit.gone(pod('b')).reconcile();
    // The runtime merges intents that are equal.
    const [first, second, ...others] = kit.of('listObjects');
    expect(first).toBeDefined();
    expect(second).toEqual(first);
    expect(others).toEqual([]);
    kit.listed().reconcile();
    expect(kit.of('patchObject').at(-1)?.patch).toMatchObject({ daemons: [{ nodeName: 'b' }] });
    expect(kit.carryOut().object).toBeUndefined();
  });

  it('decides anew after a conflict, and lets who joined meanwhile ride along (A-35, A-37, A-74, A-114)', () => {
    const kit = two().gone(pod('b'));
    kit.reconcile();
    kit.listed().reconcile();
    const { object } = kit;
    if (object === undefined) throw new Error();
    const metadata = { ...object.metadata, resourceVersion: '77' };
    kit.given({ ...object, metadata }, pod('c', { created: 3 }));
    expect(kit.reconcile()).toMatchObject([
      {
        type: 'patchObject',
        resourceVersion: '77',
        uid: 'uid-of-clique',
        patch: {
          daemons: [
            { nodeName: 'a', index: 0 },
            { nodeName: 'c', index: 1 },
          ],
        },
      },
    ]);
  });

  it('puts no owner back that the garbage collector took away (A-103, HC-27)', () => {
    const kit = two()
      .given(pod('b', { name: 'next', created: 9 }))
      .gone(pod('b'))
      .carryOut();
    expect(kit.object?.metadata.ownerReferences?.map(({ name }) => name)).toEqual([
      'daemon-a',
      'daemon-b',
      'next',
    ]);
    const { object } = kit;
    if (object === undefined) throw new Error();
    const { writes } = kit;
    const ownerReferences = ownedBy('daemon-a', 'next');
    kit.given({
      ...object,
      metadata: { ...object.metadata, resourceVersion: '9000', ownerReferences },
    });
    expect(kit.carryOut().writes).toBe(writes);
  });

  it('says why its table is not written', () => {
    const kit = two().given(domain(), pod('c', { created: 3 }));
    kit.reconcile();
    kit.refused('FORBIDDEN', 'computedomaincliques is forbidden');
    expect(kit.why.join('\n')).toContain(
      'the table cannot be written: computedomaincliques is forbidden (FORBIDDEN)',
    );
    expect(kit.carryOut().why.join('\n')).not.toContain('cannot be written');
  });
});
