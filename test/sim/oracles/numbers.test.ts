// The oracle over members that may be there: a place is taken by what was sent and had no answer,
// and by nothing that the process kept back.
import { describe, expect, it } from 'vitest';
import { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { Numbers } from '../pools/numbers.ts';
import { collections, namespace, paths } from '../pools/objects.ts';
import { Past } from '../pools/past.ts';
import { Tally } from './tally.ts';

const owner = { kind: 'SandboxWarmPool', name: 'pool', uid: 'pool', controller: true };
const metadata = (name: string) => ({ name, namespace, uid: name, resourceVersion: '1' });
const pool: Stored = {
  kind: 'SandboxWarmPool',
  metadata: metadata('pool'),
  spec: { replicas: 1 },
};

const creationOf = (name: string) => ({
  method: 'POST' as const,
  path: paths.sandboxes,
  body: { metadata: { name, ownerReferences: [owner] } },
});

const timeout = { status: 504, headers: {}, body: {} };

/** Controller 1 and a pool that wants one member. */
function watched() {
  const [store, clock, violations] = [new Store(), new VirtualClock(), new Array<string>()];
  const past = new Past(store, clock, 'pools');
  const numbers = new Numbers({
    ...{ store, clock, tally: new Tally(), past: () => past, listed: () => [] },
    ...{ areClocksWrong: false, latelyMs: 1, graceMs: 1 },
    violate: (what) => violations.push(what),
  });
  store.put(store.collection(collections.pools), pool, undefined);
  return { numbers, violations, store };
}

describe('A create of a member', () => {
  it('has a place while nobody knows whether it was done (P5)', () => {
    const { numbers, violations } = watched();
    const [first, second] = [creationOf('pool-a'), creationOf('pool-b')];
    numbers.sends(1, first);
    numbers.hears(1, first, timeout);
    numbers.sends(1, second);
    expect(violations).toHaveLength(1);
  });

  it('takes no place where it was done and is only not known to be', () => {
    const { numbers, violations, store } = watched();
    const [first, second] = [creationOf('pool-a'), creationOf('pool-b')];
    numbers.sends(1, first);
    numbers.sends(1, second);
    store.put(
      store.collection(collections.sandboxes),
      { kind: 'Sandbox', ...second.body },
      undefined,
    );
    numbers.hears(1, first, timeout);
    numbers.hears(1, second, timeout);
    expect(violations).toEqual([]);
    // It is there: the server will say so.
    numbers.sends(1, second);
    expect(violations).toEqual([]);
    numbers.sends(1, creationOf('pool-c'));
    expect(violations).toHaveLength(1);
  });

  it('has none where the process kept it back', () => {
    const { numbers, violations } = watched();
    numbers.hears(1, creationOf('pool-a'), undefined);
    numbers.sends(1, creationOf('pool-b'));
    expect(violations).toEqual([]);
  });

  it('keeps its place where it is asked for again and that is kept back', () => {
    const { numbers, violations } = watched();
    const first = creationOf('pool-a');
    numbers.sends(1, first);
    numbers.hears(1, first, timeout);
    numbers.hears(1, first, undefined);
    numbers.sends(1, creationOf('pool-b'));
    expect(violations).toHaveLength(1);
  });
});
