// What an update may take away, as the oracle sees it: what is old, in turn, and from no less than
// a minimum.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { Shown } from './shown.ts';
import { Tally } from './tally.ts';
import { Updates } from './updates.ts';

const metadata = (name: string, labels: Record<string, string>, more: object = {}) => ({
  name,
  namespace: 'default',
  uid: name,
  resourceVersion: '1',
  labels: { 'app.kubernetes.io/part-of': 'set', ...labels },
  ...more,
});

const running = { updateStartedAt: 'then', currentlyUpdating: [{ replicaIndex: 0 }] };

const set = (updateProgress: JsonObject, more: object = {}): Stored => ({
  kind: 'PodCliqueSet',
  metadata: metadata('set', {}, more),
  spec: { replicas: 2 },
  status: { updateProgress },
});

const clique = (current: string, minAvailable = 1): Stored => ({
  kind: 'PodClique',
  metadata: metadata('c', { 'grove.io/pod-template-hash': 'new' }),
  spec: { replicas: 2, minAvailable },
  status: { updateProgress: { readyPodsSelectedToUpdate: { current } } },
});

const pod = (name: string, hash: string, replica = '0', ready = 'True'): Stored => ({
  kind: 'Pod',
  metadata: metadata(name, {
    'grove.io/pod-template-hash': hash,
    'grove.io/podcliqueset-replica-index': replica,
  }),
  spec: {},
  status: { conditions: [{ type: 'Ready', status: ready }] },
});

/** What the oracle says when this pod goes; undefined: that no update is the cause. */
function taken(
  of: Stored,
  { owner = clique('a'), root = set(running), others = [] as readonly Stored[] } = {},
): readonly string[] | undefined {
  const violations: string[] = [];
  const shown = new Shown(new VirtualClock());
  shown.see('grove.io/podcliquesets', root);
  const violate = (what: string) => violations.push(what);
  const updates = new Updates({ shown, tally: new Tally(), violate, isDeaf: false });
  return updates.takesPod([owner], [of], others) ? violations : undefined;
}

describe('A pod', () => {
  it('goes for an update where it is of an older template, and chosen or not ready', () => {
    expect(taken(pod('a', 'old'))).toEqual([]);
    expect(taken(pod('b', 'old', '0', 'False'))).toEqual([]);
    expect(taken(pod('b', 'old'))).toBeUndefined();
    expect(taken(pod('a', 'new'))).toBeUndefined();
  });

  it('goes when it is the turn of its replica, and nothing holds the update', () => {
    const outOfTurn = ['takes a, which is of an older template, out of turn'];
    const old = pod('a', 'old', '1');
    expect(taken(old)).toEqual(outOfTurn);
    expect(taken(old, { root: set({ ...running, updateEndedAt: 'now' }) })).toEqual([]);
    const annotations = { 'grove.io/pause-update': 'true' };
    expect(taken(pod('a', 'old'), { root: set(running, { annotations }) })).toEqual(outOfTurn);
  });

  it('goes where the minimum is ready until then', () => {
    const owner = clique('a', 2);
    expect(taken(pod('a', 'old'), { owner })).toEqual([
      'takes a, which is of an older template, from less than a minimum',
    ]);
    expect(taken(pod('a', 'old'), { owner, others: [pod('b', 'new')] })).toEqual([]);
    expect(taken(pod('a', 'old', '0', 'False'), { owner })).toEqual([]);
  });
});

const podSpec = (image: string) => ({ containers: [{ name: 'main', image }] });

/** Of one replica of two cliques, with its minimum of one; no update has chosen it. */
const group: Stored = {
  kind: 'PodCliqueScalingGroup',
  metadata: metadata('set-0-pack', {}, { ownerReferences: [{ uid: 'set', controller: true }] }),
  spec: { replicas: 1, minAvailable: 1, cliqueNames: ['front', 'store'] },
};

const member = (name: string, image: string, more: object = {}): Stored => ({
  kind: 'PodClique',
  metadata: metadata(
    `set-0-pack-0-${name}`,
    {
      'grove.io/podcliqueset-replica-index': '0',
      'grove.io/podcliquescalinggroup-replica-index': '0',
    },
    { ownerReferences: [{ uid: 'set-0-pack', controller: true }], ...more },
  ),
  spec: { replicas: 1, minAvailable: 1, podSpec: podSpec(image) },
  status: { readyReplicas: 1, conditions: [{ type: 'PodCliqueScheduled', status: 'True' }] },
});

/** The same of the first of these members, which are all that is known. */
function takenOf(members: readonly Stored[]): readonly string[] | undefined {
  const violations: string[] = [];
  const shown = new Shown(new VirtualClock());
  const spec = { podSpec: podSpec('new') };
  const cliques = ['front', 'store'].map((name) => ({ name, spec }));
  shown.see('grove.io/podcliquesets', { ...set(running), spec: { template: { cliques } } });
  shown.see('grove.io/podcliquescalinggroups', group);
  for (const one of members) shown.see('grove.io/podcliques', one);
  const violate = (what: string) => violations.push(what);
  const updates = new Updates({ shown, tally: new Tally(), violate, isDeaf: false });
  const [first] = members;
  return updates.takesMember(first, () => false) ? violations : undefined;
}

describe('A member of a scaling group', () => {
  it('goes for an update where its replica has an older one, and is not ready', () => {
    expect(takenOf([member('store', 'old'), member('front', 'new')])).toBeUndefined();
    expect(takenOf([member('store', 'old')])).toEqual([]);
    expect(takenOf([member('store', 'new')])).toBeUndefined();
  });

  it('goes after another one that is going: its replica is not ready any more', () => {
    const going = member('front', 'new', { deletionTimestamp: 'now' });
    expect(takenOf([member('store', 'old'), going])).toEqual([]);
  });
});
