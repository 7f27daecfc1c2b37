// From rows to slots: what is left out, and that all nodes come to the same.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judge } from '#src/agent/desired.ts';
import { domainRows, rowsIn, tableOf } from '#src/agent/table.ts';
import type { Row } from '#src/agent/table.ts';
import { agentSettings } from './kit.ts';

const self = { node: 'node-0', ip: '10.0.0.1', cliqueID: 'c.1', maxNodes: 18 };
const row = (node: string, index: number, ip: string, cliqueID = 'c.1'): Row => ({
  node,
  ip,
  cliqueID,
  index,
});
const own = row('node-0', 0, '10.0.0.1');

describe('rows', () => {
  it('are read from anything, a missing index as 0 (A-8)', () => {
    expect(rowsIn([{ nodeName: 'a', ipAddress: '1.1.1.1', cliqueID: 'c' }, 7, null])).toEqual([
      { node: 'a', ip: '1.1.1.1', cliqueID: 'c', index: 0 },
      { node: '', ip: '', cliqueID: '', index: 0 },
      { node: '', ip: '', cliqueID: '', index: 0 },
    ]);
    expect(rowsIn(undefined)).toEqual([]);
    const nodes = [{ name: 'a', ipAddress: '1.1.1.1', cliqueID: 'c', index: 3 }];
    expect(domainRows({ spec: { numNodes: 2 }, status: { nodes } })).toEqual({
      rows: [{ node: 'a', ip: '1.1.1.1', cliqueID: 'c', index: 3 }],
      wanted: 2,
    });
  });

  it('out of range are ignored and reported, and end nobody (Q-12)', () => {
    const rows = [
      own,
      row('b', 18, '10.0.0.2'),
      row('c', -1, '10.0.0.3'),
      row('d', 1.5, '1.1.1.1'),
    ];
    const table = tableOf(rows, self);
    expect(table.members).toEqual([{ node: 'node-0', ip: '10.0.0.1', index: 0 }]);
    expect(table.own?.index).toBe(0);
    expect(table.ignored).toEqual([
      'row of b: index 18 is not in 0 to 17',
      'row of c: index -1 is not in 0 to 17',
      'row of d: index 1.5 is not in 0 to 17',
    ]);
  });

  it('of other cliques are nothing to us', () => {
    const table = tableOf([own, row('b', 99, '10.0.0.2', 'c.2')], self);
    expect(table).toMatchObject({ members: [{ node: 'node-0' }], ignored: [] });
  });

  it('without a usable IP leave their slot free (A-112)', () => {
    const table = tableOf([own, row('b', 1, ''), row('c', 2, '1.1.1.1\n9.9.9.9 evil')], self);
    expect(table.members).toHaveLength(1);
    expect(table.ignored).toEqual(['row of b: it has no IP', 'row of c: its IP is no IP']);
  });

  it('with an index or IP of another row lose, the later by name', () => {
    const table = tableOf([row('z', 0, '10.0.0.9'), own, row('x', 4, '10.0.0.1')], self);
    expect(table.members).toEqual([{ node: 'node-0', ip: '10.0.0.1', index: 0 }]);
    expect(table.ignored).toEqual([
      'row of x: IP 10.0.0.1 is that of node-0 too',
      'row of z: index 0 is that of node-0 too',
    ]);
  });

  it('of our node with another IP is not ours: the pod before us had it', () => {
    expect(tableOf([row('node-0', 0, '10.0.0.7')], self).own).toBeUndefined();
  });

  it('give every node the same map, in whatever order they come (R-6, HC-49)', () => {
    const any = fc.record({
      node: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      ip: fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3', '', 'x'),
      cliqueID: fc.constantFrom('c.1', 'c.2'),
      index: fc.integer({ min: -2, max: 20 }),
    });
    const rows = fc.uniqueArray(any, { selector: ({ node }) => node });
    fc.assert(
      fc.property(rows, fc.nat(), (all, turn) => {
        const at = all.length === 0 ? 0 : turn % all.length;
        const one = tableOf(all, { ...self, node: 'a' });
        const other = tableOf([...all.slice(at), ...all.slice(0, at)], { ...self, node: 'b' });
        expect(other.members).toEqual(one.members);
        expect(new Set(one.members.map(({ index }) => index)).size).toBe(one.members.length);
        expect(new Set(one.members.map(({ ip }) => ip)).size).toBe(one.members.length);
      }),
    );
  });
});

describe('what IMEX is to know', () => {
  const settings = agentSettings();
  const gates = 'IMEXDaemonsWithDNSNames=false,ComputeDomainCliques=false';
  const plain = agentSettings({ FEATURE_GATES: gates });

  it('is nothing before our own row is there, and all of it from then on (HC-46, HC-47)', () => {
    const other = row('b', 1, '10.0.0.2');
    expect(judge({ rows: [other], wanted: 0 }, settings)).toMatchObject({
      plan: undefined,
      missing: 'own row',
    });
    const { plan } = judge({ rows: [other, own], wanted: 0 }, settings);
    expect(plan?.desired).toEqual({ identity: 0, map: '0 10.0.0.1\n1 10.0.0.2' });
  });

  it('changes when two nodes exchange their indices (Q-6 of 3.4, Q-11)', () => {
    const pair = (a: number, b: number): string | undefined => {
      const rows = [own, row('a', a, '10.0.0.2'), row('b', b, '10.0.0.3')];
      return judge({ rows, wanted: 0 }, settings).plan?.desired.map;
    };
    expect(pair(1, 2)).not.toBe(pair(2, 1));
  });

  it('without names waits for all nodes, and is the place among the IPs', () => {
    const rows = [row('node-0', 5, '10.0.0.1'), row('b', 3, '10.0.0.2')];
    expect(judge({ rows, wanted: 3 }, plain).missing).toBe('other nodes');
    const { plan } = judge({ rows, wanted: 2 }, plain);
    expect(plan?.desired.identity).toBe(1);
    expect(plan?.nodes).toBe('10.0.0.2\n10.0.0.1\n');
  });
});
