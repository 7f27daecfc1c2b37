// kube-state-metrics with our configuration, on objects of every kind that hold all that it tells
// of: every metric appears, and Prometheus reads them and those of a controller.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { missing } from '#test/cluster/build.ts';
import { binaries } from '#test/cluster/recipe.ts';
import { binary } from '#test/cluster/up.ts';
import { eventually } from '#test/support/eventually.ts';
import { Exposition } from '#test/support/exposition.ts';
import { freePort } from '#test/support/ports.ts';
import { linted, withoutPromtool } from '#test/monitoring/promtool.ts';
import { allDefinitions } from '#test/surface/client.ts';
import { prefixOf, stateKinds } from '#tools/chart/state-metrics.ts';
import { describeReal, type Stage } from './stage.ts';
import { type StateObject, stateObjects } from './state-objects.ts';

const config = fileURLToPath(new URL('../../../charts/kube-state-metrics.yaml', import.meta.url));
const names = stateKinds.flatMap((row) =>
  row.metrics.map(({ name }) => `${prefixOf(row)}_${name}`),
);
const unbuilt = missing(binaries().filter(({ name }) => name === 'kube-state-metrics'));
const noBinary = unbuilt.length === 0 ? '' : ' [skipped: kube-state-metrics is not built]';

/** Keeps what is deleted, so that its time of deletion is told. */
const finalizer = 'example.com/held';

function collectionOf(namespace: string, { kind, apiVersion }: StateObject): string {
  const row = allDefinitions().find((one) => one.kind === kind);
  if (row === undefined) throw new Error(`there is no CRD of ${kind}`);
  return `/apis/${apiVersion}/namespaces/${namespace}/${row.plural}`;
}

async function put({ kube }: Stage, namespace: string, object: StateObject): Promise<string> {
  const { status, metadata, ...rest } = object;
  const collection = collectionOf(namespace, object);
  const body = { ...rest, metadata: { ...metadata, finalizers: [finalizer] } };
  await kube.send({ method: 'POST', path: collection, body });
  const path = `${collection}/${metadata.name}`;
  if (status !== undefined) await patch({ kube }, `${path}/status`, { status });
  await kube.send({ method: 'DELETE', path });
  return path;
}

const patch = ({ kube }: Pick<Stage, 'kube'>, path: string, body: JsonObject): Promise<unknown> =>
  kube.send({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });

describeReal('kube-state-metrics', (at) => {
  describe.skipIf(noBinary !== '')(`on objects of every kind${noBinary}`, () => {
    const paths: string[] = [];
    let url = '';

    beforeAll(async () => {
      const stage = at();
      const namespace = await stage.namespace('e2e-state');
      for (const object of stateObjects) paths.push(await put(stage, namespace, object));
      const [port, telemetry] = [await freePort(), await freePort()];
      stage.run(binary('kube-state-metrics'), [
        `--kubeconfig=${stage.given.kubeconfig}`,
        '--host=127.0.0.1',
        `--port=${port}`,
        '--telemetry-host=127.0.0.1',
        `--telemetry-port=${telemetry}`,
        '--custom-resource-state-only=true',
        `--custom-resource-state-config-file=${config}`,
      ]);
      url = `http://127.0.0.1:${port}/metrics`;
    });
    afterAll(async () => {
      for (const path of paths) await patch(at(), path, { metadata: { finalizers: [] } });
    });

    const read = async (): Promise<string> => (await fetch(url)).text();
    const absentIn = (text: string): readonly string[] => {
      const seen = new Set(new Exposition(text).samples.map(({ name }) => name));
      return names.filter((name) => !seen.has(name));
    };

    test('tells every metric of them', async () => {
      await eventually(
        'every metric',
        () => read().then(absentIn, (error: unknown) => [String(error)]),
        (absent) => absent.length === 0,
        60_000,
      );
      const exposition = new Exposition(await read());
      const labels = { podcliqueset: 'whole', namespace: 'e2e-state' };
      expect(exposition.sum('kube_podcliqueset_spec_replicas', labels)).toBe(3);
      expect(exposition.sum('kube_podcliqueset_status_replicas_available', labels)).toBe(2);
      expect(
        exposition.of('kube_podcliqueset_status_condition', labels).map(({ value }) => value),
      ).toEqual([1]);
      const phases = exposition.of('kube_podgang_status_phase', { podgang: 'whole' });
      expect(phases.map(({ labels: { phase }, value }) => [phase, value])).toEqual([
        ['Pending', 0],
        ['Running', 1],
        ['Starting', 0],
      ]);
    });

    test.skipIf(withoutPromtool !== '')(`is what Prometheus reads${withoutPromtool}`, async () => {
      expect(await linted(await read())).toEqual([]);
    });
  });

  test.skipIf(withoutPromtool !== '')(
    `has a neighbour that Prometheus reads: the controller${withoutPromtool}`,
    async () => {
      const controller = await at().controller();
      const [, url = ''] = await controller.line(/"metrics":"([^"]+)"/);
      expect(await linted(await (await fetch(`${url}/metrics`)).text())).toEqual([]);
    },
  );
});
