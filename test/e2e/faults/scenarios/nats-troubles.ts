// Whatever happens to NATS, nothing happens in the cluster: partitioned in silence, wiped, given
// the store of yesterday, and away for minutes.
import { jetstreamManager } from '@nats-io/jetstream';
import { expect } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { amountOf, atMost } from '#test/support/optional.mjs';
import { pairs } from '../../real/sets.ts';
import type { Scenario } from '../stage/describe.ts';
import type { Scene } from '../stage/scene.ts';

const noticedMs = atMost(15_000);
const stoppedMs = 1_000 * amountOf('seconds without NATS');

export const natsTroubles: Scenario = {
  name: 'nats',
  usesNats: true,
  title: 'changes nothing in the cluster when NATS is partitioned, wiped or shows an older store',
  run: async (scene) => {
    const { nats } = scene;
    await withHistory(scene);
    await scene.create(pairs('calm', 4));
    await scene.ready(pairs('calm', 4));
    await scene.quiet();
    await nats.stop();
    nats.keep();
    await nats.start();
    await connected(scene, 1);
    nats.proxy.delay(300);
    await scene.kube.scale(scene.namespace, 'podcliquesets', 'calm', 6);
    nats.proxy.cut();
    await scene.ready(pairs('calm', 6));
    nats.proxy.heal();
    await connected(scene, 1);
    await scene.quiet();
    const writes = scene.proxy.traffic.writes.length;
    const facts = await kept(scene);

    nats.proxy.partition();
    const tookMs = await connected(scene, 0);
    scene.say(`partition noticed after ${Math.round(tookMs)} ms`);
    expect(tookMs).toBeLessThan(noticedMs);
    nats.proxy.heal();
    await connected(scene, 1);

    await nats.stop();
    nats.wipe();
    await nats.start();
    await connected(scene, 1);
    await eventually(
      'an empty stream',
      () => kept(scene),
      (count) => count === 0,
    );

    await nats.stop();
    nats.putBack();
    await nats.start();
    await connected(scene, 1);
    const old = await kept(scene);
    scene.say(`${facts} facts kept, ${old} in the older store`);
    expect(old).toBeGreaterThan(0);
    expect(old).toBeLessThan(facts);
    await scene.idle(3000);
    expect(scene.proxy.traffic.writes).toHaveLength(writes);
    expect(scene.podsEver).toBe(12);
  },
};

export const natsAway: Scenario = {
  name: 'nats-away',
  usesNats: true,
  title: 'works on without NATS for as long as it is away, and writes nothing when it returns',
  run: async (scene) => {
    const { nats, proxy, kube, namespace } = scene;
    await withHistory(scene);
    await scene.create(pairs('alone', 4));
    await scene.ready(pairs('alone', 4));
    await nats.stop();
    await connected(scene, 0);
    await kube.scale(namespace, 'podcliquesets', 'alone', 6);
    await scene.ready(pairs('alone', 6));
    await scene.quiet();
    const writes = proxy.traffic.writes.length;
    await scene.idle(stoppedMs);
    await nats.start();
    scene.say(`NATS back, connected after ${Math.round(await connected(scene, 1))} ms`);
    await scene.idle(3000);
    expect(proxy.traffic.writes).toHaveLength(writes);
    expect(scene.podsEver).toBe(12);
  },
};

async function withHistory(scene: Scene): Promise<void> {
  await scene.nats.start();
  const history = { storage: 'file' };
  await scene.controller({ bus: { servers: [scene.nats.url], history } });
  await connected(scene, 1);
  await eventually(
    'a stream',
    () => kept(scene),
    (count) => count >= 0,
  );
}

/** Until the controller's own metric says so; resolves with the milliseconds that it took. */
async function connected(scene: Scene, value: 0 | 1): Promise<number> {
  const begun = performance.now();
  const ask = () => scene.metric('coppice_bus_connected');
  await eventually(`coppice_bus_connected ${value}`, ask, (now) => now === value, 60_000);
  return performance.now() - begun;
}

/** Facts in the stream; -1 while there is no stream. */
async function kept(scene: Scene): Promise<number> {
  const client = await scene.nats.client();
  try {
    const manager = await jetstreamManager(client);
    return (await manager.streams.info('COPPICE_FACTS')).state.messages;
  } catch {
    return -1;
  } finally {
    await client.close();
  }
}
