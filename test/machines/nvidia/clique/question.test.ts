// The question `join`: who is let in, who is refused, and when an answer comes.
import { describe, expect, it } from 'vitest';
import { CliqueKit } from './kit.ts';
import { daemon, domainUid } from './objects.ts';

describe('the question join', () => {
  it('is answered with index, version and table once they are persisted (A-30)', () => {
    const kit = new CliqueKit().given(daemon({ node: 'a', clique: undefined }));
    const id = kit.ask('a', 'uid-daemon-a', '10.0.0.1');
    kit.reconcile();
    expect(kit.answers(id)).toEqual([]);
    kit.carryOut();
    expect(kit.answers(id)).toEqual([
      {
        ok: true,
        data: {
          index: 0,
          version: kit.object?.metadata.resourceVersion,
          daemons: [expect.objectContaining({ nodeName: 'a', ipAddress: '10.0.0.1', index: 0 })],
        },
      },
    ]);
  });

  it('waits for a pod that no watch has shown yet (A-52)', () => {
    const kit = new CliqueKit();
    const id = kit.ask('a', 'uid-daemon-a');
    kit.carryOut();
    expect(kit.answers(id)).toEqual([]);
    kit.given(daemon({ node: 'a', ip: '10.0.0.1', clique: undefined })).carryOut();
    expect(kit.answers(id)).toMatchObject([{ ok: true, data: { index: 0 } }]);
  });

  it('is refused after a moment where no watch shows the pod, so that others get their turn', () => {
    const kit = new CliqueKit();
    const id = kit.ask('a', 'uid-daemon-a');
    kit.reconcile();
    expect(kit.wakesAt).toBe(1_000);
    kit.now = 999;
    kit.reconcile();
    expect(kit.answers(id)).toEqual([]);
    expect(kit.wakesAt).toBe(1_000);
    kit.now = 1_000;
    kit.reconcile();
    expect(kit.answers(id)).toMatchObject([{ ok: false, code: 'NOT_FOUND' }]);
  });

  it('is refused under a name that is that of no clique', () => {
    const kit = new CliqueKit({}, domainUid);
    const id = kit.ask('a', 'uid-daemon-a');
    expect(kit.carryOut().writes).toBe(0);
    expect(kit.answers(id)).toMatchObject([{ ok: false, code: 'FORBIDDEN' }]);
  });

  it('is answered to the next pod of a node once its IP is persisted', () => {
    const kit = new CliqueKit().given(daemon({ node: 'a', ip: '10.0.0.1' })).carryOut();
    const next = { node: 'a', name: 'next', clique: undefined, created: 9 };
    kit.gone(daemon({ node: 'a' })).given(daemon({ ...next, ip: '10.0.0.2' }));
    const first = kit.ask('a', 'uid-next');
    kit.reconcile();
    expect(kit.answers(first)).toEqual([]);
    kit.carryOut();
    expect(kit.answers(first)).toMatchObject([
      { data: { index: 0, daemons: [{ ipAddress: '10.0.0.2' }] } },
    ]);
    kit.given(daemon({ ...next, ip: '10.0.0.3', version: 2 }));
    const second = kit.ask('a', 'uid-next');
    kit.reconcile();
    expect(kit.answers(second)).toEqual([]);
    kit.carryOut();
    expect(kit.answers(second)).toMatchObject([{ data: { daemons: [{ ipAddress: '10.0.0.3' }] } }]);
  });

  it('is not answered with the row of the pod before while its own IP is not known', () => {
    const kit = new CliqueKit().given(daemon({ node: 'a', ip: '10.0.0.1' })).carryOut();
    const next = { node: 'a', name: 'next', created: 9 };
    kit.gone(daemon({ node: 'a' })).given(daemon({ ...next, ip: '' }));
    const id = kit.ask('a', 'uid-next');
    kit.carryOut();
    expect(kit.answers(id)).toEqual([]);
    kit.given(daemon({ ...next, ip: '10.0.0.2', version: 2 })).carryOut();
    expect(kit.answers(id)).toMatchObject([{ data: { daemons: [{ ipAddress: '10.0.0.2' }] } }]);
  });

  it('is not answered while the row of another node holds the IP (A-13)', () => {
    const pods = [daemon({ node: 'a', ip: '10.0.0.1' }), daemon({ node: 'b', ip: '10.0.0.2' })];
    const kit = new CliqueKit().given(...pods).carryOut();
    kit.given(daemon({ node: 'b', ip: '10.0.0.1', version: 2 }));
    const id = kit.ask('b', 'uid-daemon-b');
    kit.carryOut();
    expect(kit.answers(id)).toEqual([]);
    kit.given(daemon({ node: 'a', ip: '10.0.0.3', version: 2 })).carryOut();
    expect(kit.answers(id)).toMatchObject([{ ok: true, data: { index: 1 } }]);
  });

  it('is refused for another node than that of the pod, a pod that ends, and one of no DaemonSet of the domain', () => {
    const kit = new CliqueKit().given(
      daemon({ node: 'x', ip: '10.0.0.1', clique: undefined }),
      daemon({ node: 'y', ip: '10.0.0.2', clique: undefined, deleting: true }),
      daemon({ node: 'z', ip: '10.0.0.3', clique: undefined, owner: 'other' }),
    );
    const ids = [
      kit.ask('y', 'uid-daemon-x'),
      kit.ask('y', 'uid-daemon-y'),
      kit.ask('z', 'uid-daemon-z'),
    ];
    kit.carryOut();
    expect(ids.flatMap((id) => kit.answers(id))).toMatchObject([
      { ok: false, code: 'FORBIDDEN', message: 'pod daemon-x runs on node x, not on y' },
      { ok: false, code: 'FORBIDDEN', message: 'pod daemon-y is terminating or over' },
      { ok: false, code: 'FORBIDDEN' },
    ]);
    expect(kit.writes).toBe(0);
  });

  it('tells who is refused for want of an index', () => {
    const kit = new CliqueKit().given(
      daemon({ node: 'a', ip: '10.0.0.1', maxNodes: 1 }),
      daemon({ node: 'b', ip: '10.0.0.2', maxNodes: 1, clique: undefined }),
    );
    kit.carryOut();
    const id = kit.ask('b', 'uid-daemon-b');
    kit.carryOut();
    expect(kit.answers(id)).toMatchObject([
      { ok: false, message: 'no available indices within maxNodesPerIMEXDomain (1)' },
    ]);
  });

  it('is forgotten when nobody waits any more', () => {
    const kit = new CliqueKit();
    const id = kit.ask('a', 'uid-daemon-a');
    kit.drop(id);
    kit.given(daemon({ node: 'a', ip: '10.0.0.1' })).carryOut();
    expect(kit.answers(id)).toEqual([]);
  });

  it('and labels may be mixed in one clique, and a restart knows both (A-34)', () => {
    const pods = [
      daemon({ node: 'a', ip: '10.0.0.1', ready: true }),
      daemon({ node: 'b', ip: '10.0.0.2', ready: true, clique: undefined, created: 1 }),
    ];
    const kit = new CliqueKit().given(...pods);
    kit.ask('b', 'uid-daemon-b');
    kit.carryOut();
    expect(kit.table).toEqual(['a=0+', 'b=1+']);
    const { object } = kit;
    if (object === undefined) throw new Error();
    expect(new CliqueKit().given(object, ...pods).carryOut().writes).toBe(0);
  });
});
