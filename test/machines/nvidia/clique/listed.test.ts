// Which rows a live list of pods has not spoken of: those that daemons wrote after it, or while it
// was under way.
import { describe, expect, it } from 'vitest';
import type { CliqueKit } from './kit.ts';
import { pod, two } from './kit.ts';
import { cliqueObject, domain, row } from './objects.ts';

const clique = () => two().given(domain());

const newest = (kit: CliqueKit) => kit.of('patchObject').at(-1)?.patch['daemons'];

describe('a list that shows no pod on a node', () => {
  it('says nothing of a row that a daemon writes there later (A-21, A-111)', () => {
    const kit = clique().gone(pod('b')).carryOut();
    expect(kit.table).toEqual(['a=0+']);
    const rows = kit.rows.map((one) => ({ ...one }));
    const own = row({ node: 'b', index: 1, ip: 'ip-new' });
    kit.given(cliqueObject([...rows, own], { ...kit.object?.metadata, resourceVersion: '5000' }));
    kit.reconcile();
    expect(kit.of('listObjects')).toHaveLength(2);
    expect(
      kit.of('patchObject').filter(({ resourceVersion }) => resourceVersion === '5000'),
    ).toEqual([]);
  });

  it('says nothing of a row that a daemon changes while the list is under way (A-21)', () => {
    const kit = clique().gone(pod('b'));
    kit.reconcile();
    const rows = kit.rows.map((one) =>
      one.nodeName === 'b' ? { ...one, ipAddress: 'ip-new' } : { ...one },
    );
    kit.given(cliqueObject(rows, { ...kit.object?.metadata, resourceVersion: '5000' }));
    kit.listed().reconcile();
    expect(newest(kit)).toHaveLength(2);
    expect(kit.of('listObjects')).toHaveLength(2);
  });

  it('counts where only we have said meanwhile that the row is not ready (A-21, A-26)', () => {
    const kit = clique().gone(pod('b'));
    kit.reconcile();
    const rows = kit.rows.map((one) =>
      one.nodeName === 'b' ? { ...one, status: 'NotReady' } : { ...one },
    );
    kit.given(cliqueObject(rows, { ...kit.object?.metadata, resourceVersion: '5000' }));
    kit.listed().reconcile();
    expect(newest(kit)).toHaveLength(1);
  });
});
