// How nodes get an index: uniqueness, range, order, capacity, one write for many, daemons of
// NVIDIA's that write rows themselves, and the gate ComputeDomainCliques.
import { describe, expect, it } from 'vitest';
import { CliqueKit } from './kit.ts';
import { cliqueID, cliqueObject, daemon, domain, labelledNode, ownedBy, row } from './objects.ts';

const many = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    daemon({ node: `node-${String(at).padStart(2, '0')}`, ip: `10.0.0.${at + 1}` }),
  );

describe('nodes that join', () => {
  it('get the indices 0 to 17 in one write when eighteen join at once (A-3, A-5, A-100, Q-22)', () => {
    const kit = new CliqueKit().given(...many(18).toReversed()).carryOut();
    expect(kit.rows.map(({ index }) => index)).toEqual([...Array(18).keys()]);
    expect(kit.table[0]).toBe('node-00=0');
    expect(kit.writes).toBe(1);
    expect(kit.object?.metadata).toMatchObject({
      labels: { 'resource.nvidia.com/computeDomain.cliqueID': kit.rows[0]?.cliqueID },
    });
  });

  it('are served by creation time, then by name of the node (A-5)', () => {
    const kit = new CliqueKit()
      .given(
        daemon({ node: 'a', ip: '10.0.0.1', created: 30 }),
        daemon({ node: 'c', ip: '10.0.0.2', created: 10 }),
        daemon({ node: 'b', ip: '10.0.0.3', created: 10 }),
      )
      .carryOut();
    expect(kit.table).toEqual(['b=0', 'c=1', 'a=2']);
  });

  it('fill the lowest gap and move nobody (A-4, A-7, A-15)', () => {
    const rows = [
      row({ node: 'a', index: 0, ip: '10.0.0.1' }),
      row({ node: 'c', index: 2, ip: '10.0.0.3' }),
    ];
    const kit = new CliqueKit()
      .given(
        cliqueObject(rows, { ownerReferences: ownedBy('daemon-a', 'daemon-c') }),
        daemon({ node: 'a', ip: '10.0.0.1' }),
        daemon({ node: 'c', ip: '10.0.0.3' }),
        daemon({ node: 'd', ip: '10.0.0.4' }),
        daemon({ node: 'e', ip: '10.0.0.5' }),
      )
      .carryOut();
    expect(kit.table).toEqual(['a=0', 'c=2', 'd=1', 'e=3']);
  });

  it('stay below the most nodes that there were at once, however many come and go (A-6)', () => {
    const pods = many(12);
    const there = (first: number) => pods.slice(first, first + 3);
    const kit = new CliqueKit().given(...there(0)).carryOut();
    for (let first = 1; first + 3 <= pods.length; first++) {
      kit.gone(...pods.slice(first - 1, first)).carryOut();
      kit.given(...there(first)).carryOut();
      const indices = kit.rows.map(({ index }) => index).toSorted((a, b) => a - b);
      expect(indices).toEqual([0, 1, 2]);
    }
  });

  it('are refused beyond the capacity of their DaemonSet, told once, and come in when a place is free (A-60, A-61, A-62, A-63, A-64, Q-16, Q-17)', () => {
    const pods = Array.from({ length: 4 }, (_, at) =>
      daemon({ node: `n${at}`, ip: `10.0.0.${at + 1}`, maxNodes: 2, created: at }),
    );
    const kit = new CliqueKit().given(domain(), ...pods).carryOut();
    expect(kit.table).toEqual(['n0=0', 'n1=1']);
    expect(kit.state).toMatchObject({ active: { membership: 'full' } });
    expect(kit.events).toHaveLength(4);
    expect(kit.events[0]).toContain('DaemonPod CliqueFull: node n2 gets no index in clique');
    expect(kit.events[0]).toContain('no available indices within maxNodesPerIMEXDomain (2)');
    expect(kit.events[1]).toContain('ComputeDomain CliqueFull');
    const { writes } = kit;
    const [first, second, third] = pods;
    if (first === undefined || second === undefined || third === undefined) throw new Error();
    kit.gone(third).carryOut();
    expect(kit.writes).toBe(writes);
    kit.gone(first).carryOut();
    expect(kit.table).toEqual(['n1=1', 'n3=0']);
    expect(kit.events).toHaveLength(4);
  });

  it('have a row of their own whatever clique their domain has besides (A-71, HC-45)', () => {
    const kit = new CliqueKit()
      .given(
        daemon({ node: 'a', ip: '10.0.0.1' }),
        daemon({ node: 'b', ip: '10.0.0.2', clique: 'x.1' }),
      )
      .carryOut();
    expect(kit.table).toEqual(['a=0']);
  });

  it('wait for an IP, and nothing stands in for it (A-112)', () => {
    const kit = new CliqueKit().given(daemon({ node: 'a' })).carryOut();
    expect(kit.writes).toBe(0);
    expect(kit.why).toContain('pod daemon-a on node a has no IP yet');
  });

  it('wait while the row of another node holds their IP (A-13)', () => {
    const rows = [row({ node: 'old', index: 0, ip: '10.0.0.1' })];
    const old = daemon({ node: 'old', ip: '10.0.0.1', deleting: true });
    const kit = new CliqueKit()
      .given(cliqueObject(rows, { ownerReferences: ownedBy('daemon-old') }), old)
      .given(daemon({ node: 'new', ip: '10.0.0.1' }))
      .carryOut();
    expect(kit.table).toEqual(['old=0']);
    expect(kit.events[0]).toContain('CliqueAddressInUse');
    kit.gone(old).carryOut();
    expect(kit.table).toEqual(['new=0']);
  });
});

describe('the same again', () => {
  const there = () =>
    new CliqueKit().given(
      cliqueObject([row({ node: 'a', index: 3, ip: '10.0.0.1', ready: true })], {
        ownerReferences: ownedBy('daemon-a'),
      }),
      daemon({ node: 'a', ip: '10.0.0.1', ready: true }),
    );

  it('costs no write, also after a restart (A-9, A-44, A-54)', () => {
    expect(there().carryOut().writes).toBe(0);
  });

  it('from another pod keeps the index, is not ready at first, and makes the pod an owner, also with the same IP (A-10, A-16, Q-9)', () => {
    const kit = there();
    kit.gone(daemon({ node: 'a', ip: '10.0.0.1', ready: true }));
    kit.given(daemon({ node: 'a', name: 'next', ip: '10.0.0.1', ready: true, created: 9 }));
    const [write] = kit.reconcile();
    expect(write).toMatchObject({
      type: 'patchObject',
      patch: {
        metadata: { ownerReferences: [{ name: 'daemon-a' }, { name: 'next' }] },
        daemons: [{ nodeName: 'a', index: 3, status: 'NotReady' }],
      },
    });
    expect(kit.carryOut().table).toEqual(['a=3+']);
  });

  it('with another IP is not ready until that is persisted (A-81, Q-10)', () => {
    const kit = there().given(daemon({ node: 'a', ip: '10.0.0.9', ready: true, version: 2 }));
    expect(kit.reconcile()[0]).toMatchObject({
      patch: { daemons: [{ ipAddress: '10.0.0.9', index: 3, status: 'NotReady' }] },
    });
  });

  it('follows the live pod where an old one terminates beside it (A-11, A-12)', () => {
    const kit = there();
    kit.given(daemon({ node: 'a', ip: '10.0.0.1', deleting: true, version: 3 }));
    kit
      .given(daemon({ node: 'a', name: 'next', ip: '10.0.0.2', ready: true, created: 9 }))
      .carryOut();
    expect(kit.rows).toMatchObject([{ ipAddress: '10.0.0.2', status: 'Ready', index: 3 }]);
    const { writes } = kit;
    kit.given(daemon({ node: 'a', ip: '10.0.0.7', deleting: true, version: 4 })).carryOut();
    expect(kit.writes).toBe(writes);
  });
});

describe('IPs that change hands', () => {
  it('are swapped in one write (A-13)', () => {
    const rows = [row({ node: 'a', index: 0, ip: '1' }), row({ node: 'b', index: 1, ip: '2' })];
    const kit = new CliqueKit()
      .given(cliqueObject(rows, { ownerReferences: ownedBy('daemon-a', 'daemon-b') }))
      .given(daemon({ node: 'a', ip: '2' }), daemon({ node: 'b', ip: '1' }))
      .carryOut();
    expect(kit.rows.map(({ ipAddress }) => ipAddress)).toEqual(['2', '1']);
    expect(kit.writes).toBe(1);
  });
});

describe('a daemon of NVIDIA’s', () => {
  it('that inserted its own row keeps the index it took (A-111)', () => {
    const kit = new CliqueKit()
      .given(
        cliqueObject([row({ node: 'a', index: 4, ip: '10.0.0.1' })], {
          ownerReferences: ownedBy('daemon-a'),
        }),
      )
      .given(
        daemon({ node: 'a', ip: '10.0.0.1' }),
        daemon({ node: 'b', ip: '10.0.0.2', created: 1 }),
      )
      .carryOut();
    expect(kit.table).toEqual(['a=4', 'b=0']);
  });

  it('that adopts a row made for it becomes an owner all the same (A-113)', () => {
    const kit = new CliqueKit()
      .given(cliqueObject([row({ node: 'a', index: 3, ip: '10.0.0.1' })]))
      .given(daemon({ node: 'a', ip: '10.0.0.1' }))
      .carryOut();
    expect(kit.table).toEqual(['a=3']);
    expect(kit.object?.metadata.ownerReferences).toEqual(ownedBy('daemon-a'));
  });

  it('may take an index that is reserved for another node, which then gets the next (A-117)', () => {
    const kit = new CliqueKit().given(
      labelledNode('b'),
      cliqueObject([row({ node: 'a', index: 1, ip: '10.0.0.1' })], {
        ownerReferences: ownedBy('daemon-a'),
        annotations: { 'coppice.dev/reserved-indices': '[{"node":"b","index":1}]' },
      }),
      daemon({ node: 'a', ip: '10.0.0.1' }),
      daemon({ node: 'b', ip: '10.0.0.2', created: 1 }),
    );
    expect(kit.carryOut().table).toEqual(['a=1', 'b=0']);
  });
});

describe('with the gate ComputeDomainCliques off', () => {
  const off = { featureGates: { ComputeDomainCliques: false } };
  const theirs = daemon({ node: 'a', ip: '10.0.0.1', ready: true });

  it('only our daemons get a row, beside the indices that others took (A-17, A-105)', () => {
    const nodes = [{ name: 'a', ipAddress: '10.0.0.1', cliqueID, index: 0, status: 'Ready' }];
    const kit = new CliqueKit(off).given(domain({ status: { nodes } }), theirs).carryOut();
    expect(kit.writes).toBe(0);
    expect(kit.why).toEqual([
      `the daemons of clique ${cliqueID} list themselves in the status of their ComputeDomain`,
    ]);
    kit.given(daemon({ node: 'b', ip: '10.0.0.2', ready: true, isAgent: true })).carryOut();
    expect(kit.table).toEqual(['b=1+']);
    expect(kit.state).toMatchObject({ active: { membership: 'complete' } });
  });

  it('rows that are there stay and follow their pods', () => {
    const rows = [row({ node: 'a', index: 3, ip: '10.0.0.9' })];
    const kit = new CliqueKit(off)
      .given(cliqueObject(rows, { ownerReferences: ownedBy('daemon-a') }), theirs)
      .carryOut();
    expect(kit.table).toEqual(['a=3+']);
    expect(kit.rows).toMatchObject([{ ipAddress: '10.0.0.1' }]);
  });
});
