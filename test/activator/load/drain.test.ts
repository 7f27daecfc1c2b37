// An activator that is asked to end under load, with another one beside it and a balancer that asks
// both, as a kubelet does, whether they are well.
import { request } from 'node:http';
import { expect, it } from 'vitest';
import { Clients } from './clients.ts';
import { expectAllAnswered, expectNothingLeft } from './judge.ts';
import { LoadWorld } from './world.ts';

/** Of the platform's probe: true for 200. */
const isWell = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const headers = { 'user-agent': 'kube-probe/1.36', connection: 'close' };
    const asked = request({ port, host: '127.0.0.1', agent: false, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200));
    });
    asked.on('error', () => resolve(false));
    asked.end();
  });

it('An activator that drains under load loses no request (B-38)', async () => {
  const world = await LoadWorld.start({ limit: 4, workMs: () => 10 });
  await world.addAll(8);
  const draining = await world.open({ drainMs: 1_000 });
  let healthy = [world.port, draining.ports.http];
  let turn = 0;
  const clients = new Clients({
    port: () => healthy[++turn % healthy.length] ?? world.port,
    clients: 40,
    bytes: 100,
  });
  await world.until(() => clients.account.ok > 200);
  const drained = draining.drain();
  expect(await isWell(world.port)).toBe(true);
  expect(await isWell(draining.ports.http)).toBe(false);
  // Not everybody knows at once: requests still come, and are served.
  const { ok } = clients.account;
  await world.until(() => clients.account.ok > ok + 100);
  healthy = [world.port];
  await drained;
  expect(await isWell(draining.ports.http)).toBe(false);
  const after = clients.account.ok;
  await world.until(() => clients.account.ok > after + 100);
  expectAllAnswered(world, await clients.stop());
  await expectNothingLeft(world);
  await draining.stop();
  await world.stop();
});
