// Who edited what, on the embedded cluster: from the managedFields that the API server keeps to the
// fact that begins the trace.
import { expect, test } from 'vitest';
import type { Recorded } from '#actors/history/history.ts';
import type { ActorSystem } from '#actors/system.ts';
import { withController } from './controlled.ts';
import type { World } from './controllers/support.ts';

const sets = '/apis/grove.io/v1alpha1/namespaces/default/podcliquesets';

const create = (world: World): Promise<unknown> =>
  world.create(`${sets}?fieldManager=helm`, {
    apiVersion: 'grove.io/v1alpha1',
    kind: 'PodCliqueSet',
    metadata: { name: 'w' },
    spec: {
      replicas: 1,
      template: {
        cliques: [
          {
            name: 'a',
            spec: {
              roleName: 'a',
              replicas: 1,
              minAvailable: 1,
              podSpec: {
                containers: [{ name: 'main', image: 'i', env: [{ name: 'KEY', value: 'geheim' }] }],
              },
            },
          },
        ],
      },
    },
  });

const edits = ({ history }: ActorSystem): readonly Recorded[] =>
  history.of('podcliqueset/default/w', 1_000).filter(({ data }) => data['edit'] !== undefined);

test('The first fact of a trace names who edited a set, and what, and no value', async () => {
  await withController({ nodes: 1 }, async (world, system) => {
    await world.clock.advance(1_000);
    await create(world);
    await world.until('the pod is ready', () => world.readyPods() === 1);
    await world.clock.advance(5_000);
    const patch = { spec: { replicas: 2 }, metadata: { labels: { team: 'geheim' } } };
    await world.client.mergePatch(`${sets}/w?fieldManager=kubectl-edit`, patch);
    await world.until('two pods are ready', () => world.readyPods() === 2);
    expect(edits(system)).toMatchObject([
      {
        what: 'observed',
        cause: '',
        data: {
          kind: 'PodCliqueSet',
          name: 'w',
          edit: {
            manager: 'kubectl-edit',
            operation: 'Update',
            paths: ['spec.replicas', 'metadata.labels.team'],
          },
        },
      },
      { what: 'observed', cause: '', data: { edit: { manager: 'helm', paths: [] } } },
    ]);
    const [edit] = edits(system);
    expect(system.history.trace(edit?.trace ?? '').length).toBeGreaterThan(10);
    const all = system.history.after(0, Infinity);
    const written = JSON.stringify(all);
    expect(written).not.toContain('geheim');
    expect(JSON.parse(written)).toEqual(all);
  });
});
