// A claim on the embedded cluster, with the controller in the same process, as a client sees it
// that has created the claim and watches it from there.
import { expect, it } from 'vitest';
import { agentsandbox } from '#machines/agentsandbox/module.ts';
import { withSettings } from '#machines/contract/module.ts';
import { conditionsOf } from '#machines/kubernetes/conditions.ts';
import { at, text } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { withController } from '#test/devcluster/controlled.ts';
import type { World } from '#test/devcluster/controllers/support.ts';
import { crd } from '#test/devcluster/schema/crd-fixtures.ts';
import { claim, containers, make, pathOf } from '#test/e2e/sandboxes/objects.ts';
import { agentSandboxSettings } from '#test/support/agentsandbox/samples.ts';

const plurals = ['sandboxes', 'sandboxtemplates', 'sandboxclaims', 'sandboxwarmpools'];
const served = {
  modules: [withSettings(agentsandbox, agentSandboxSettings)],
  crds: plurals.map(crd),
};

interface Seen {
  readonly type: string;
  readonly object: KubeObject;
}

/** What a watch of the claim from this version has shown so far. */
function watched({ cluster }: World, resourceVersion: string): readonly Seen[] {
  const seen: Seen[] = [];
  const query = `watch=true&fieldSelector=metadata.name%3Dmine&resourceVersion=${resourceVersion}`;
  cluster.transport().watch(`${pathOf('SandboxClaim')}?${query}`, {
    event: ({ type, object }) => void seen.push({ type, object: object as KubeObject }),
    closed: () => {},
  });
  return seen;
}

const versions = (seen: readonly Seen[]): readonly unknown[] =>
  seen.map(({ object }) => object.metadata.resourceVersion);

it('A watch from the version of its creation shows every later state of a claim, whenever it begins (K4)', () =>
  withController(
    { nodes: 2 },
    async (world) => {
      await world.clock.advance(1_000);
      await make(
        world,
        'SandboxTemplate',
        { name: 'python' },
        { podTemplate: { spec: { containers } } },
      );
      await make(
        world,
        'SandboxWarmPool',
        { name: 'warm' },
        { replicas: 1, sandboxTemplateRef: { name: 'python' } },
      );
      await world.clock.advance(60_000);
      const made = (await claim(world, 'mine')).metadata;
      const version = text(at(made, 'resourceVersion'));
      const atOnce = watched(world, version);
      await world.clock.advance(60_000);
      const late = watched(world, version);
      await world.clock.advance(1_000);
      expect(versions(late)).toEqual(versions(atOnce));
      // Nothing but writes to this one claim, up to the state that it has now.
      expect(new Set(late.map(({ type }) => type))).toEqual(new Set(['MODIFIED']));
      expect(new Set(late.map(({ object }) => object.metadata.uid))).toEqual(
        new Set([at(made, 'uid')]),
      );
      const last = late.at(-1)?.object;
      expect(last).toEqual(await world.get(pathOf('SandboxClaim', 'mine')));
      expect(at(last, 'status', 'sandbox', 'name')).toMatch(/^warm-/);
      expect(conditionsOf(last?.['status'])).toMatchObject([{ type: 'Ready', status: 'True' }]);
    },
    served,
  ));
