// Somebody who never reads: a subscriber of everything, and then NATS itself. Facts that nobody
// takes must not pile up in the controller.
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { subjectsOf } from '#bus/subjects.ts';
import { pairs } from '../../real/sets.ts';
import type { Scenario } from '../stage/describe.ts';
import type { Scene } from '../stage/scene.ts';

const few = pairs('deaf', 2);
const many = pairs('deaf', 25);
const growthMb = 100;
const floodBytes = 32 * 1024 * 1024;
/** A quarter of what there is: on a busy machine the connection may be lost for some seconds, and
 *  facts with it. */
const factsOfBreath = 500;

/** Keeps a subscriber that does not read, nor answer pings, and holds publishers back for it. */
const patientServer = {
  max_pending: 4 * floodBytes,
  write_deadline: '15m',
  ping_interval: '15m',
  no_fast_producer_stall: false,
};

export const deafListeners: Scenario = {
  name: 'deaf',
  usesNats: true,
  title: 'grows by less than 100 MB for listeners that never read',
  run: async (scene) => {
    const { nats } = scene;
    await nats.start(patientServer);
    await scene.controller({ bus: { servers: [nats.url], history: { enabled: false } } });
    await scene.create(few);
    await scene.ready(few);
    await breathe(scene);
    const warm = await residentMb(scene);
    await breathe(scene);
    const before = await residentMb(scene);

    const deaf = await deafSubscriber(nats.port);
    await flood(scene);
    const told = await published(scene);
    await breathe(scene);
    const besideSubscriber = await residentMb(scene);
    expect((await published(scene)) - told).toBeGreaterThan(factsOfBreath);
    expect(await nats.pendingBytes()).toBeGreaterThan(floodBytes / 4);
    deaf.destroy();

    nats.proxy.deafen();
    await breathe(scene);
    const besideServer = await residentMb(scene);
    nats.proxy.heal();
    scene.say(
      `resident ${warm} MB, ${before} MB with listeners that read, ${besideSubscriber} MB with a deaf subscriber, ` +
        `${besideServer} MB with a deaf server`,
    );
    expect(Math.max(besideSubscriber, besideServer) - before).toBeLessThan(growthMb);
  },
};

/** Fills what the kernel keeps for the subscriber, so that the rest piles up at the server. */
async function flood({ nats }: Scene): Promise<void> {
  const client = await nats.client();
  const payload = new Uint8Array(64 * 1024);
  for (let sent = 0; sent < floodBytes; sent += payload.length) {
    client.publish('coppice.fact.flood', payload);
    await client.flush();
  }
}

/** Out and in again: some thousand facts. */
async function breathe(scene: Scene): Promise<void> {
  const { kube, namespace } = scene;
  for (const wanted of [many, few, many, few]) {
    await kube.scale(namespace, 'podcliquesets', wanted.name, wanted.replicas);
    await scene.ready(wanted);
  }
}

const published = (scene: Scene): Promise<number> => scene.metric('coppice_bus_published_total');

const residentMb = async (scene: Scene): Promise<number> =>
  Math.round((await scene.metric('process_resident_memory_bytes')) / 2 ** 20);

/** Subscribes to everything and then reads not a byte. */
function deafSubscriber(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('data', () => {
      socket.write(`CONNECT {"verbose":false}\r\nSUB ${subjectsOf.all} 1\r\nPING\r\n`);
      socket.once('data', () => {
        socket.pause();
        socket.removeAllListeners('error').on('error', () => undefined);
        resolve(socket);
      });
    });
  });
}
