// A rolling upgrade on the real control plane while there is work, from the bundle of the version
// before to that of these sources, and back: replicas are replaced one after the other, so both
// versions share the work for a while.
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { testBus } from '#test/support/nats.ts';
import type { Program } from '#test/support/program.ts';
import { bundleEarlier, bundleOurs, findEarlier } from './earlier.ts';
import { Members } from './members.ts';
import { manifest, pairs } from './sets.ts';
import { describeReal, type Stage } from './stage.ts';
import { Standing } from './standing.ts';

const earlier = await findEarlier();
const skip = 'missing' in earlier ? ` [skipped: ${earlier.missing}]` : '';
const kept = pairs('kept', 12);
const probes = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((letter) => pairs(`new-${letter}`, 1));
const limitMs = 120_000;

describeReal('A rolling upgrade on the real control plane', (stageAt) => {
  const entries = { old: '', new: '' };

  beforeAll(async () => {
    if ('missing' in earlier) return;
    const { folder } = stageAt();
    entries.old = await bundleEarlier(earlier.commit, folder);
    entries.new = await bundleOurs(folder);
  });

  const ways = [
    { title: 'from the version before', from: 'old', to: 'new' },
    { title: 'back to the version before', from: 'new', to: 'old' },
  ] as const;

  test.skipIf(skip !== '').for(ways)(
    `$title touches no pod and writes nothing twice${skip}`,
    { timeout: 900_000 },
    async ({ from, to }) => {
      const stage = stageAt();
      const members = new Members(stage);
      const here = await stage.namespace(`e2e-upgrade-${to}`);
      const standing = new Standing(stage, here, kept);
      try {
        const first = await members.start('r0', { main: entries[from] });
        const second = await members.start('r1', { main: entries[from] });
        await members.sharedBy('r0', 'r1');
        await standing.begin();
        await standing.untouched(async () => {
          const end = standing.load();
          await members.start('r2', { main: entries[to] });
          await members.sharedBy('r0', 'r1', 'r2');
          await members.leave(first);
          await members.sharedBy('r1', 'r2');
          await understood(stage, here);
          await members.start('r3', { main: entries[to] });
          await members.sharedBy('r1', 'r2', 'r3');
          await members.leave(second);
          await members.sharedBy('r2', 'r3');
          expect(await end()).toBeGreaterThan(0);
        });
        expect(members.conflicts).toEqual([]);
      } finally {
        standing.end();
        await members.end();
      }
    },
  );

  /** Sets come to either version: both tell of all of them in facts that both can read, and whoever
   *  is asked answers, from the other one where that has it. */
  async function understood(stage: Stage, namespace: string): Promise<void> {
    const tails = [entries.old, entries.new].map((main) => followFacts(stage, main));
    const bus = testBus({ servers: [stage.given.natsUrl] });
    try {
      await eventually('connected', () => bus.state().connected, Boolean);
      await stage.idle(2_000); // the tails tell nobody when they have subscribed
      for (const wanted of probes) {
        await stage.kube.create(namespace, 'podcliquesets', manifest(wanted));
      }
      for (const wanted of probes) {
        await stage.available(namespace, wanted, limitMs);
        const about = { kind: 'podcliqueset', namespace, name: wanted.name } as const;
        const ask = () => bus.ask({ about, question: 'state', payload: {} }, 10_000);
        // Its shard may be on its way to the next owner.
        await eventually(`an answer for ${wanted.name}`, ask, ({ ok }) => ok, limitMs);
        const pattern = new RegExp(`podcliqueset.*${wanted.name}\\b`);
        for (const tail of tails) await tail.line(pattern);
      }
      for (const { name } of probes) await stage.kube.delete(namespace, 'podcliquesets', name);
    } finally {
      await bus.close();
      for (const tail of tails) await tail.kill();
    }
  }
});

const followFacts = (stage: Stage, main: string): Program =>
  stage.run(process.execPath, [main, 'tail', '--server', stage.given.natsUrl]);
