// Two processes that share cliques of ComputeDomains, of which one dies: what the other one knows
// when it begins.
import { expect, it } from 'vitest';
import type { Kind } from '#machines/kinds.ts';
import { withSettings } from '#machines/contract/module.ts';
import { nvidia } from '#machines/nvidia/module.ts';
import { cliqueName } from '#machines/nvidia/objects/labels.ts';
import { daemonPod, nvidiaSettings } from '#test/support/nvidia.ts';
import { scene, shards } from './fixtures/sharing.ts';

const namespace = 'default';
const domain = '11111111-2222-3333-4444-555555555555';
const cliqueID = 'fabric.7';
const ref = { kind: 'ComputeDomainClique', namespace, name: cliqueName(domain, cliqueID) } as const;
const module = withSettings(nvidia, { ...nvidiaSettings, driverNamespace: namespace });

it.each(['ComputeDomainClique', 'DaemonPod'] as const)(
  'A process that takes a clique over serves it by what it has read anew, where its watch of %s is late (A-41)',
  async (late) => {
    const answers: (() => void)[] = [];
    const refresh = (kind: Kind): Promise<void> =>
      new Promise((resolve) => {
        answers.push(() => {
          for (const object of cluster.list(kind))
            systems.b.observe({ type: 'seen', kind, object });
          resolve();
        });
      });
    const { clock, cluster, handlers, systems } = scene(refresh, module.behaviours, module.routes);
    const answerAll = (): void => answers.splice(0).forEach((now) => now());
    const join = (node: string): void => {
      const { metadata, spec, status } = daemonPod({
        domain,
        node,
        clique: cliqueID,
        ip: `ip-${node}`,
      });
      const { name: _, namespace: __, ...meta } = metadata;
      cluster.apply('DaemonPod', `daemon-${node}`, { spec, status }, meta);
    };
    const table = (): readonly string[] =>
      (
        (cluster.get(ref)?.['daemons'] ?? []) as {
          nodeName: string;
          index: number;
          status: string;
        }[]
      ).map(({ nodeName, index, status }) => `${nodeName}=${index} ${status}`);
    let isSilent = false;
    cluster.watch = (observation) => {
      systems.a.observe(observation);
      const kind = observation.type === 'seen' ? observation.kind : observation.ref.kind;
      if (!isSilent || kind !== late) systems.b.observe(observation);
    };
    for (let shard = 0; shard < shards; shard++) await handlers.give(shard, 'a');
    answerAll();
    join('a');
    await clock.advance(1_000);
    isSilent = true;
    join('b');
    await clock.advance(1_000);
    expect(table()).toEqual(['a=0 Ready', 'b=1 Ready']);
    const count = cluster.log.length;
    await systems.a.stop();
    for (let shard = 0; shard < shards; shard++) {
      handlers.owner.set(shard, 'b');
      void handlers.listeners.get('b')?.(shard, true, {});
    }
    await clock.advance(60_000);
    expect(cluster.log.slice(count)).toEqual([]);
    answerAll();
    await clock.advance(5_000);
    expect(cluster.log.slice(count)).toEqual([]);
    isSilent = false;
    join('c');
    await clock.advance(5_000);
    expect(table()).toEqual(['a=0 Ready', 'b=1 Ready', 'c=2 Ready']);
    expect(cluster.log.slice(count).filter(({ outcome }) => !outcome.ok)).toEqual([]);
  },
);
