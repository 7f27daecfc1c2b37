// An object under the name of an earlier one, of whose end no watch has told.
import { describe, expect, it } from 'vitest';
import type { Observation } from '#actors/ports.ts';
import { cliqueKey } from '../fixtures/facts.ts';
import { stage } from '../fixtures/stage.ts';

describe('An actor', () => {
  it('whose object took the name of another while nobody looked is another actor too', async () => {
    const ends: Observation[] = [];
    const world = stage({
      watch: (observation, deliver) => {
        if (observation.type === 'gone') ends.push(observation);
        else deliver(observation);
      },
    });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 1 } });
    await world.reconciled();
    const [old] = world.cluster
      .list('PodClique')
      .filter(({ metadata: { name } }) => name === 'demo-0');
    const before = await world.view(cliqueKey('demo-0'));
    world.cluster.delete({ kind: 'PodClique', namespace: 'default', name: 'demo-0' });
    const { ownerReferences, labels } = old?.metadata ?? {};
    const meta = { ...(ownerReferences && { ownerReferences }), ...(labels && { labels }) };
    const made = world.cluster.apply('PodClique', 'demo-0', { spec: { pods: 1 } }, meta);
    await world.reconciled();
    expect(ends.length).toBeGreaterThan(0);
    const after = await world.view(cliqueKey('demo-0'));
    expect([before['uid'], after['uid']]).toEqual([old?.metadata.uid, made.metadata.uid]);
    const ended = world.facts.filter(({ what }) => what === 'ended');
    expect(ended.map(({ about }) => about.name)).toEqual(['demo-0']);
  });
});
