// The same controller and the same PodCliqueSet on the embedded cluster and on the real control
// plane: the objects at the end are the same, but for what is listed here with its reason.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConnection } from '#src/kube/connect/config.ts';
import { httpTransport } from '#src/kube/transport/http.ts';
import { systemClock } from '#src/time/clock.ts';
import { labelsPods } from '#test/cluster/recipe.ts';
import { differences, normalizedObjects } from './masked.ts';
import { manifest, twoRoles } from './sets.ts';
import { describeReal, Stage } from './stage.ts';

interface Known {
  readonly path: RegExp;
  readonly reason: string;
}

const known: readonly Known[] = [
  {
    path: labelsPods()
      ? /\.labels\.topology\.kubernetes\.io\/region: "region-\d" \| undefined$/
      : /\.labels\.topology\.kubernetes\.io\/(?:region|zone): ".+" \| undefined$/,
    reason:
      'from 1.35 on a pod gets zone and region of its node when it is bound; KWOK nodes have no region',
  },
  {
    path: /\.status\.(hostIPs?|containerStatuses\.0\.(started|containerID)): .* \| undefined$/,
    reason: 'a kubelet fills it in, and so does the embedded one; KWOK does not',
  },
];

describeReal('The embedded cluster and the real one', (at) => {
  test('make the same objects of a PodCliqueSet', async () => {
    const objects = async (stage: Stage) => {
      const here = await stage.namespace('e2e-likeness');
      await stage.kube.create(here, 'podcliquesets', manifest(twoRoles));
      return normalizedObjects(await stage.ready(here, twoRoles), here);
    };
    const stage = at();
    const controller = await stage.controller();
    const real = await objects(stage);
    await controller.kill();
    const twin = await embedded(stage);
    await twin.controller();
    const same = await objects(twin);
    const found = differences(same, real);
    const isKnown = (line: string): boolean => known.some(({ path }) => path.test(line));
    expect(found.filter((line) => !isKnown(line))).toEqual([]);
    expect(known.filter(({ path }) => !found.some((line) => path.test(line)))).toEqual([]);
    await twin.close();
  });

  /** A stage on an embedded cluster that runs until this file ends. */
  async function embedded(stage: Stage): Promise<Stage> {
    const folder = join(stage.folder, 'embedded');
    const flags = ['src/main.ts', 'cluster', '--nodes', '20', '--data', folder, '--port', '0'];
    const cluster = stage.run(process.execPath, flags);
    const [, kubeconfig = ''] = await cluster.line(/^export KUBECONFIG=(.+)$/);
    const connection = await loadConnection({ file: kubeconfig }, systemClock);
    const transport = httpTransport(connection, { userAgent: 'coppice-test' });
    const given = { ...stage.given, kubeconfig, controllerKubeconfig: kubeconfig };
    return new Stage({ ...given, folder }, transport);
  }
});
