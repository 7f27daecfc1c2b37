// What breaks on the real control plane: the controller, the API server while a PodCliqueSet comes
// up, the history of etcd. It always ends whole, and no pod too many was ever made.
import { expect, test } from 'vitest';
import { restart } from '#test/cluster/up.ts';
import { tally } from './audit.ts';
import { cleared } from './cluster-wide.ts';
import { compact, revision } from './etcd.ts';
import { manifest, pairs, podsOf } from './sets.ts';
import { describeReal } from './stage.ts';

describeReal('On the real control plane', (at) => {
  test('a controller that finds all as it should be only asks for the token Secret', async () => {
    const stage = at();
    const here = await stage.namespace('e2e-restart');
    const wanted = pairs('restarted', 10);
    const first = await stage.controller();
    await stage.kube.create(here, 'podcliquesets', manifest(wanted));
    await stage.ready(here, wanted);
    await stage.quiet(here);
    await first.kill();
    const before = stage.audit.writes(here).length;
    const controller = await stage.controller();
    await stage.idle(3000);
    expect(tally(stage.audit.writes(here).slice(before))).toEqual({ 'create secrets 409': 1 });
    controller.signal('SIGTERM');
    expect(await controller.ended).toEqual({ code: 0, signal: null });
  });

  test('an API server killed during a deploy costs time and nothing else', async () => {
    const stage = at();
    await cleared(stage.kube);
    const here = await stage.namespace('e2e-apiserver');
    const wanted = pairs('broken', 40);
    const controller = await stage.controller();
    await stage.kube.create(here, 'podcliquesets', manifest(wanted));
    await stage.sees(here, 'podcliques', 'broken-5-w');
    await restart(stage.given.folder, 'kube-apiserver', 1000);
    await stage.serving();
    await stage.ready(here, wanted);
    await stage.quiet(here);
    const pods = await stage.kube.list(here, 'pods');
    expect(pods).toHaveLength(podsOf(wanted));
    await controller.kill();
  });

  test('a controller that slept through a compaction lists anew and goes on', async () => {
    const stage = at();
    await cleared(stage.kube);
    const here = await stage.namespace('e2e-compaction');
    const wanted = pairs('slept', 4);
    const controller = await stage.controller();
    await stage.kube.create(here, 'podcliquesets', manifest(wanted));
    const { pods } = await stage.ready(here, wanted);
    const lists = stage.lists('pods');
    controller.signal('SIGSTOP');
    // The pod goes and nobody tells; then the history in which it went is gone too.
    for (const pod of pods.slice(0, 3)) {
      await stage.kube.delete(here, 'pods', pod.metadata.name);
      await stage.gone(here, 'pods', pod);
    }
    await stage.kube.scale(here, 'podcliquesets', 'slept', 6);
    await compact(stage.given.etcdUrl, await revision(stage.given.etcdUrl));
    // A fresh server has no history in memory either.
    await restart(stage.given.folder, 'kube-apiserver');
    await stage.serving();
    controller.signal('SIGCONT');
    await stage.ready(here, { ...wanted, replicas: 6 });
    await stage.quiet(here);
    const created = tally(stage.audit.writes(here))['create pods 201'];
    expect(created).toBe(podsOf({ ...wanted, replicas: 6 }) + 3);
    expect(stage.lists('pods')).toBeGreaterThan(lists);
    await controller.kill();
    // For whoever comes next: the garbage collector gets over this in half a minute only.
    await restart(stage.given.folder, 'kube-controller-manager');
  });
});
