// Between what is read of the clique and IMEX: where it is read, and what counts.
import { describe, expect, it } from 'vitest';
import type { Plan } from '#src/agent/desired.ts';
import { placeOfRows, Rows } from '#src/agent/rows.ts';
import { agentSettings } from './kit.ts';

const off = { FEATURE_GATES: 'ComputeDomainCliques=false' };
const daemon = (nodeName: string, index: number, ipAddress: string) => ({
  nodeName,
  index,
  ipAddress,
  cliqueID: 'c.1',
});
const own = daemon('node-0', 0, '10.0.0.1');
const ownRow = { node: 'node-0', ip: '10.0.0.1', cliqueID: 'c.1', index: 0 };

function begin(over: Record<string, string> = {}) {
  const log: string[] = [];
  const plans: Plan[] = [];
  const looks: boolean[] = [];
  const rows = new Rows(agentSettings(over), {
    log: (level, _message, { problem }) => void log.push(`${level}: ${String(problem)}`),
    hand: (plan) => void plans.push(plan),
    looked: (isThere) => void looks.push(isThere),
  });
  return { rows, log, looks, maps: () => plans.map(({ desired }) => desired.map) };
}

describe('the rows of the clique', () => {
  it('are read from the clique object, without that gate from the ComputeDomain', () => {
    const group = '/apis/resource.nvidia.com/v1beta1/namespaces';
    expect(placeOfRows(agentSettings())).toEqual({
      collection: `${group}/driver/computedomaincliques`,
      name: 'cd.c.1',
    });
    expect(placeOfRows(agentSettings(off))).toEqual({
      collection: `${group}/team/computedomains`,
      name: 'domain',
    });
  });

  it('change nothing while ours is not among them, which is said once', () => {
    const { rows, log, looks, maps } = begin();
    rows.seen(undefined);
    rows.seen({ daemons: [] });
    rows.seen({ daemons: [own] });
    rows.seen({ daemons: [own, daemon('bad', 18, '10.0.0.2')] });
    rows.seen({ daemons: [own, daemon('bad', 18, '10.0.0.2')] });
    rows.seen(undefined);
    expect(maps()).toEqual(['0 10.0.0.1', '0 10.0.0.1', '0 10.0.0.1']);
    expect(looks).toEqual([false, false, true, true, true, false]);
    expect(log).toEqual([
      'info: waiting for own row',
      'warn: row of bad: index 18 is not in 0 to 17',
      'info: waiting for own row',
    ]);
  });

  it('of an answer count until the watch has shown ours, not after', () => {
    const { rows, maps } = begin();
    rows.seen({ daemons: [] });
    rows.joined([ownRow]);
    expect(maps()).toEqual(['0 10.0.0.1']);
    rows.seen({ daemons: [own, daemon('b', 1, '10.0.0.2')] });
    rows.joined([ownRow]);
    expect(maps()).toEqual(['0 10.0.0.1', '0 10.0.0.1\n1 10.0.0.2']);
  });

  it('of a ComputeDomain count only where it is ours, not a namesake', () => {
    const { rows, maps } = begin(off);
    const nodes = [{ name: 'node-0', ipAddress: '10.0.0.1', cliqueID: 'c.1', index: 0 }];
    rows.seen({ metadata: { uid: 'other' }, status: { nodes } });
    expect(maps()).toEqual([]);
    rows.joined([ownRow]);
    rows.seen({ metadata: { uid: 'cd' }, status: { nodes } });
    expect(maps()).toEqual(['0 10.0.0.1']);
  });
});
