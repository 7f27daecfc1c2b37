// etcd is restored from a backup under a controller that lives: it ends, and the next one goes by
// what was restored (docs/decisions/0018-a-restored-server-ends-the-process.md). On a cluster of
// its own: the objects of other tests would be taken back too.
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { transportOf } from '#test/cluster/client.ts';
import { readState } from '#test/cluster/state.ts';
import { down, up, whileDown } from '#test/cluster/up.ts';
import type { Program } from '#test/support/program.ts';
import { provideCrds } from './cluster-wide.ts';
import { revision } from './etcd.ts';
import { manifest, pairs, podsOf } from './sets.ts';
import { describeReal, Stage } from './stage.ts';

/** From the return of the server on. */
const endedMs = 60_000;
const historyLost = 8;

describeReal('On a real control plane that is restored from a backup', (at) => {
  test('a controller ends with HISTORY_LOST, and the next one goes by what was restored', async () => {
    const stage = await ownStage(at());
    const { etcdUrl } = stage.given;
    const here = await stage.namespace('e2e-restore');
    const wanted = pairs('kept', 3);
    const controller = await stage.controller();
    await stage.kube.create(here, 'podcliquesets', manifest(wanted));
    const { pods } = await stage.ready(here, wanted);
    await stage.quiet(here);
    await backUp(stage);

    const backedUp = Number(await revision(etcdUrl));
    await stage.kube.scale(here, 'podcliquesets', 'kept', 6);
    await stage.kube.create(here, 'podcliquesets', manifest(pairs('lost', 2)));
    for (const pod of pods.slice(0, 2)) {
      await stage.kube.delete(here, 'pods', pod.metadata.name);
      await stage.gone(here, 'pods', pod);
    }
    await stage.available(here, { ...wanted, replicas: 6 }, endedMs);
    await stage.available(here, pairs('lost', 2), endedMs);
    const lost = Number(await revision(etcdUrl)) - backedUp;
    await restore(stage);

    const tookMs = await ending(controller);
    stage.say(`ended ${tookMs} ms after the return of a server that lost ${lost} versions`);
    expect(await controller.ended).toEqual({ code: historyLost, signal: null });
    expect([...controller.stdout, ...controller.stderr].join('\n')).toContain('HISTORY_LOST');
    expect(tookMs).toBeLessThan(endedMs);
    await stage.controller();
    await stage.ready(here, wanted);
    await stage.quiet(here);
    expect((await stage.ready(here, wanted)).pods).toHaveLength(podsOf(wanted));
  });
});

/** With the NATS server of all, whose other controllers have ended by now. */
async function ownStage({ given }: Stage): Promise<Stage> {
  const folder = join(given.root, 'restored');
  onTestFinished(() => down(folder));
  const limit = { qps: 1000, burst: 2000 };
  const { kubeconfig, controllerKubeconfig, etcdPort } = await up({
    folder,
    port: 0,
    nodes: 3,
    audit: true,
    schedulerLimit: limit,
    managerLimit: limit,
  });
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const transport = await transportOf(kubeconfig);
  const own = { ...given, folder, kubeconfig, controllerKubeconfig, etcdUrl };
  const stage = new Stage(own, transport);
  onTestFinished(() => stage.close());
  await provideCrds(transport, folder);
  return stage;
}

const backupIn = (folder: string): string => join(folder, 'backup');
const dataIn = (folder: string): string => readState(folder)?.dataFolder ?? '';

async function backUp(stage: Stage): Promise<void> {
  const { folder } = stage.given;
  await whileDown(folder, ['etcd'], () =>
    cp(dataIn(folder), backupIn(folder), { recursive: true }),
  );
  await stage.serving();
}

/** Kubernetes' own processes are started anew, as it asks whoever restores to do. */
async function restore(stage: Stage): Promise<void> {
  const { folder } = stage.given;
  await whileDown(folder, ['kube-controller-manager', 'kube-scheduler', 'kwok'], async () => {
    await whileDown(folder, ['kube-apiserver', 'etcd'], async () => {
      await rm(dataIn(folder), { recursive: true });
      await cp(backupIn(folder), dataIn(folder), { recursive: true });
    });
    await stage.serving();
  });
}

/** How long it takes to end, in ms; at most twice as long as it may. */
async function ending(controller: Program): Promise<number> {
  const since = performance.now();
  const giveUp = setTimeout(() => controller.signal('SIGKILL'), 2 * endedMs);
  await controller.ended;
  clearTimeout(giveUp);
  return Math.round(performance.now() - since);
}
