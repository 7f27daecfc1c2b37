// Clients of the older version: what they write and read is converted by our webhook, and served as
// all else (spec agent-sandbox 1.9).
import { expect } from 'vitest';
import { at } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { sandboxConversion } from '#src/modules/agentsandbox/conversion/webhook.ts';
import { must } from '#test/support/workload.ts';
import type { Scenario } from '../stage/describe.ts';
import { podTemplate } from '../stage/pod-template.ts';
import type { Scene } from '../stage/scene.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const admission = {
  enabled: true,
  ...{ bindAddress: '127.0.0.1', port: 0, registration: 'url' },
  certificates: { mode: 'auto' },
};

const conversions = (scene: Scene): Promise<readonly unknown[]> =>
  Promise.all(
    sandboxConversion.definitions.map(async (name) => {
      const crd = await must(scene.cluster.client, { method: 'GET', path: `${crds}/${name}` });
      return at(crd, 'spec', 'conversion', 'strategy');
    }),
  );

/** Nobody answers under that address afterwards. */
async function withoutConversion(scene: Scene): Promise<void> {
  const body = { spec: { conversion: { strategy: 'None', webhook: null } } };
  const contentType = 'application/merge-patch+json';
  for (const name of sandboxConversion.definitions) {
    await must(scene.cluster.client, {
      method: 'PATCH',
      path: `${crds}/${name}`,
      contentType,
      body,
    });
  }
}

export const converted: Scenario = {
  name: 'converted',
  title: 'Objects of v1alpha1 are served through our webhook, and read back as they were (R20)',
  run: async (scene) => {
    await scene.controller({ admission });
    scene.onEnd(() => withoutConversion(scene));
    await scene.eventually('registered', async () =>
      (await conversions(scene)).every((strategy) => strategy === 'Webhook'),
    );
    const old = (resource: Parameters<Scene['path']>[0], name = ''): string =>
      scene.path(resource, name).replace('v1beta1', 'v1alpha1');
    const create = (
      resource: 'sandboxes' | 'sandboxclaims',
      kind: string,
      name: string,
      spec: JsonObject,
    ) => {
      const group = resource === 'sandboxes' ? 'agents.x-k8s.io' : 'extensions.agents.x-k8s.io';
      const body = { apiVersion: `${group}/v1alpha1`, kind, metadata: { name }, spec };
      return must(scene.cluster.client, { method: 'POST', path: old(resource), body });
    };
    const read = (resource: 'sandboxes' | 'sandboxclaims', name: string): Promise<unknown> =>
      must(scene.cluster.client, { method: 'GET', path: old(resource, name) });

    await scene.template('python');
    await scene.pool('warm', 2);
    await scene.full('warm', 2);
    // The webhook may be known to the server a moment later than it is registered.
    await scene.eventually('converted', async () => {
      const request = { method: 'GET', path: old('sandboxwarmpools', 'warm') } as const;
      return (await scene.cluster.client.request(request)).status === 200;
    });
    const spec = { sandboxTemplateRef: { name: 'python' }, warmpool: 'warm' };
    await create('sandboxclaims', 'SandboxClaim', 'mine', spec);
    await scene.ready('sandboxclaims', 'mine');
    expect(scene.sandboxOf('mine')).toMatch(/^warm-/);
    const claim = await read('sandboxclaims', 'mine');
    expect(at(claim, 'spec')).toEqual(spec);
    expect(at(claim, 'status', 'sandbox', 'name')).toBe(scene.sandboxOf('mine'));

    await create('sandboxes', 'Sandbox', 'alone', { podTemplate: podTemplate() });
    await scene.ready('sandboxes', 'alone');
    const scale = { method: 'PATCH', contentType: 'application/merge-patch+json' } as const;
    const path = `${old('sandboxes', 'alone')}/scale`;
    await must(scene.cluster.client, { ...scale, path, body: { spec: { replicas: 0 } } });
    await scene.says('sandboxes', 'alone', /^False SandboxSuspended: Sandbox is suspended/);
    expect(at(scene.one('sandboxes', 'alone'), 'spec', 'operatingMode')).toBe('Suspended');
    await must(scene.cluster.client, { ...scale, path, body: { spec: { replicas: 1 } } });
    await scene.ready('sandboxes', 'alone');
    expect(at(await read('sandboxes', 'alone'), 'spec', 'replicas')).toBe(1);
  },
};
