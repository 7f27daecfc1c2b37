// More than one replica on the real control plane: shards move while there is work, clocks are
// minutes apart, and a replica is cut off from the API server but not from NATS, and the other way.
// No pod is touched by any of that, and nothing is written twice.
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { type Member, Members, terms } from './members.ts';
import { manifest, pairs } from './sets.ts';
import { describeReal, type Stage } from './stage.ts';
import { Standing } from './standing.ts';

const libraries = ['x86_64', 'aarch64'].map(
  (machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`,
);
const library = libraries.find((file) => existsSync(file));
const skip =
  library === undefined ? ' [skipped: not installed: faketime, a package of Debian]' : '';
/** Only the time of day is another one, as on a machine whose clock was set wrongly. */
const atTime = (offset: string): readonly string[] => [
  `LD_PRELOAD=${library}`,
  `FAKETIME=${offset}`,
  'FAKETIME_DONT_FAKE_MONOTONIC=1',
];

const count = 12;
const kept = pairs('kept', count);
const more = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => pairs(`more-${letter}`, 1));
const limitMs = 120_000;
/** Longer than leases last, so that whoever is taken for dead is buried. */
const longMs = 2_000 * terms.durationSeconds;

describeReal('Replicas on the real control plane', (stageAt) => {
  let stage: Stage;
  let members: Members;
  let standing: Standing;

  beforeEach(async ({ task }) => {
    stage = stageAt();
    members = new Members(stage);
    const here = await stage.namespace(`e2e-replicas-${task.name.split(' ')[0]?.toLowerCase()}`);
    standing = new Standing(stage, here, kept);
  });
  afterEach(async () => {
    standing.end();
    await members.end();
  });

  /** That share the work, and a set that is ready. */
  async function two(
    first: readonly string[] = [],
    second: readonly string[] = [],
  ): Promise<readonly [Member, Member]> {
    const both = [
      await members.start('r0', { environment: first }),
      await members.start('r1', { environment: second }),
    ] as const;
    await members.sharedBy('r0', 'r1');
    await standing.begin();
    return both;
  }

  const scaled = async (replicas: number): Promise<void> => {
    await stage.kube.scale(standing.namespace, 'podcliquesets', 'kept', replicas);
    await stage.ready(standing.namespace, { ...kept, replicas });
  };

  /** So many that both have some of them. */
  const others = async (): Promise<void> => {
    for (const wanted of more) {
      await stage.kube.create(standing.namespace, 'podcliquesets', manifest(wanted));
      await stage.available(standing.namespace, wanted, limitMs);
    }
  };

  test('hand shards over under load without a dip of readiness, and are refused nothing', async () => {
    const [first] = await two();
    await standing.untouched(async () => {
      const end = standing.load();
      await members.start('r2');
      await members.sharedBy('r0', 'r1', 'r2');
      await members.leave(first);
      await members.sharedBy('r1', 'r2');
      expect(await end()).toBeGreaterThan(0);
    });
    expect(members.conflicts).toEqual([]);
  });

  test.skipIf(skip !== '')(`share the work with clocks ten minutes apart${skip}`, async () => {
    const [fast, slow] = await two(atTime('+300s'), atTime('-300s'));
    await standing.untouched(async () => {
      const end = standing.load();
      await stage.idle(longMs);
      await members.sharedBy('r0', 'r1');
      await end();
    });
    await others();
    expect(members.conflicts).toEqual([]);
    expect(members.writesOf(fast)).toBeGreaterThan(0);
    expect(members.writesOf(slow)).toBeGreaterThan(0);
    await standing.untouched(async () => {
      await fast.program.kill();
      await members.sharedBy('r1');
    });
    for (const { name } of more) {
      await stage.kube.delete(standing.namespace, 'podcliquesets', name);
    }
    await scaled(count + 2);
  });

  test('take over from one that is cut off from the API server but not from NATS', async () => {
    const [cut, other] = await two();
    const { namespace, onlooker } = standing;
    await standing.untouched(async () => {
      await cut.api.away();
      await members.sharedBy('r1');
      const isTold = ({ status, text }: { status: number; text: string }): boolean =>
        status === 500 && /leases could not renew its lease for \d+ s/.test(text);
      await eventually('told not to be ready', () => members.ready(cut), isTold, limitMs);
      expect((await fetch(`${cut.url}/livez`)).status).toBe(200);
      expect((await members.ready(other)).status).toBe(200);
    });
    const written = members.writesOf(cut);
    await scaled(count + 3);
    expect(members.writesOf(cut)).toBe(written);
    expect(onlooker.podsEver(namespace)).toBe(2 * (count + 3));
    await cut.api.back();
    await members.sharedBy('r0', 'r1');
    const isReady = ({ status }: { status: number }): boolean => status === 200;
    await eventually('ready again', () => members.ready(cut), isReady, limitMs);
    await scaled(count + 6);
    expect(onlooker.podsEver(namespace)).toBe(2 * (count + 6));
    expect(members.conflicts).toEqual([]);
  });

  test('go on when one is cut off from NATS but not from the API server', async () => {
    const [cut] = await two();
    await standing.untouched(async () => {
      await cut.nats.away();
      const end = standing.load();
      await stage.idle(longMs);
      await end();
      // It holds what it held, and says so: NATS decides nothing.
      await members.sharedBy('r0', 'r1');
      expect((await members.ready(cut)).status).toBe(200);
    });
    const before = members.writesOf(cut);
    await others();
    expect(members.writesOf(cut)).toBeGreaterThan(before);
    expect(members.conflicts).toEqual([]);
    await cut.nats.back();
    await eventually(
      'connected to NATS',
      () => cut.nats.connections,
      (open) => open > 0,
      limitMs,
    );
  });
});
