// A Sandbox and a template on the embedded cluster, with the controller in the same process: made,
// ready, suspended, resumed and expired, and what each of these costs the API server.
import { describe, expect, it } from 'vitest';
import type { ActorSystem } from '#actors/system.ts';
import { agentsandbox } from '#machines/agentsandbox/module.ts';
import { withSettings } from '#machines/contract/module.ts';
import { conditionsOf } from '#machines/kubernetes/conditions.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import type { RequestRecord } from '#src/devcluster/requests.ts';
import { withController } from '#test/devcluster/controlled.ts';
import type { World } from '#test/devcluster/controllers/support.ts';
import { crd } from '#test/devcluster/schema/crd-fixtures.ts';
import { agentSandboxSettings } from '#test/support/agentsandbox/samples.ts';

const module = withSettings(agentsandbox, agentSandboxSettings);
const plurals = ['sandboxes', 'sandboxtemplates', 'sandboxclaims', 'sandboxwarmpools'];
const sandboxes = '/apis/agents.x-k8s.io/v1beta1/namespaces/default/sandboxes';
const templates = '/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/default/sandboxtemplates';
const policies = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
const core = '/api/v1/namespaces/default';

const podTemplate = {
  metadata: { labels: { team: 'a' } },
  spec: { containers: [{ name: 'main', image: 'busybox:1', ports: [{ containerPort: 80 }] }] },
};

const box = (spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'agents.x-k8s.io/v1beta1',
  kind: 'Sandbox',
  metadata: { name: 'box' },
  spec: { podTemplate, ...spec },
});

const withSandboxes = (
  run: (world: World, system: ActorSystem, writes: () => readonly string[]) => Promise<void>,
): Promise<void> =>
  withController(
    { nodes: 2 },
    async (world, system) => {
      const requests: RequestRecord[] = [];
      world.cluster.requests.onRequest((one) => requests.push(one));
      await world.clock.advance(1_000);
      const writes = (): readonly string[] =>
        requests
          .splice(0)
          .filter(({ user, verb }) => user === 'controller' && !/get|list|watch/.test(verb))
          .map(({ verb, resource, name, subresource }) =>
            [verb, resource, name, subresource].filter((part) => part !== '').join(' '),
          );
      await run(world, system, writes);
    },
    { modules: [module], crds: plurals.map(crd) },
  );

const readyOf = async (world: World): Promise<string> => {
  const own = await world.get(`${sandboxes}/box`);
  const found = conditionsOf(own?.['status']).find(({ type }) => type === 'Ready');
  return `${String(found?.['status'])} ${String(found?.['reason'])}: ${String(found?.['message'])}`;
};

const edit = async (world: World, patch: JsonObject): Promise<void> => {
  const { status, body } = await world.client.mergePatch(`${sandboxes}/box`, patch);
  expect([status, at(body, 'message')]).toEqual([200, undefined]);
  await world.clock.advance(60_000);
};

describe('On the embedded cluster a Sandbox', () => {
  it(
    'is made, suspended, resumed and expired',
    () =>
      withSandboxes(async (world, _, writes) => {
        const claim = {
          metadata: { name: 'data' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
          },
        };
        await world.create(sandboxes, box({ service: true, volumeClaimTemplates: [claim] }));
        await world.clock.advance(60_000);
        expect(await readyOf(world)).toBe('True DependenciesReady: Pod is Ready; Service Exists');
        expect(await world.get(`${core}/persistentvolumeclaims/data-box`)).toBeDefined();
        const own = await world.get(`${sandboxes}/box`);
        expect(own?.['status']).toMatchObject({ serviceFQDN: 'box.default.svc.cluster.local' });
        const uid = (await world.pod('box'))?.metadata.uid;
        writes();

        await edit(world, { spec: { operatingMode: 'Suspended' } });
        expect(await readyOf(world)).toBe('False SandboxSuspended: Sandbox is suspended');
        expect(await world.pod('box')).toBeUndefined();

        await edit(world, { spec: { operatingMode: 'Running' } });
        expect(await readyOf(world)).toBe('True DependenciesReady: Pod is Ready; Service Exists');
        expect((await world.pod('box'))?.metadata.uid).not.toBe(uid);

        await edit(world, { spec: { shutdownTime: rfc3339(world.clock.now() + 10_000) } });
        expect(await readyOf(world)).toBe('False SandboxExpired: Sandbox has expired');
        expect(await world.pod('box')).toBeUndefined();
        expect(await world.get(`${core}/services/box`)).toBeUndefined();
        expect(await world.get(`${core}/persistentvolumeclaims/data-box`)).toBeDefined();
        writes();
        await world.clock.advance(600_000);
        expect(writes()).toEqual([]);
      }),
    60_000,
  );

  it(
    'is written as often as it must be',
    () =>
      withSandboxes(async (world, _, writes) => {
        const annotations = { 'agents.x-k8s.io/pod-name': 'box' };
        await world.create(sandboxes, { ...box(), metadata: { name: 'box', annotations } });
        await world.clock.advance(60_000);
        expect(await readyOf(world)).toBe('True DependenciesReady: Pod is Ready');
        expect(writes()).toEqual(['create pods', 'update sandboxes box status']);
        await edit(world, { spec: { podTemplate: { metadata: { labels: { team: 'b' } } } } });
        expect(writes().toSorted()).toEqual(['patch pods box', 'update sandboxes box status']);
        await world.clock.advance(600_000);
        expect(writes()).toEqual([]);
      }),
    60_000,
  );

  it(
    'goes with all that it has where that is its policy',
    () =>
      withSandboxes(async (world) => {
        const shutdownTime = rfc3339(world.clock.now() + 30_000);
        await world.create(
          sandboxes,
          box({ service: true, shutdownPolicy: 'Delete', shutdownTime }),
        );
        await world.clock.advance(120_000);
        expect(await world.get(`${sandboxes}/box`)).toBeUndefined();
        expect(await world.pod('box')).toBeUndefined();
        expect(await world.get(`${core}/services/box`)).toBeUndefined();
      }),
    60_000,
  );

  it(
    'says who has the name of its pod',
    () =>
      withSandboxes(async (world, system) => {
        await world.createPod('box');
        await world.create(sandboxes, box());
        await world.clock.advance(30_000);
        expect(await readyOf(world)).toMatch(
          /^False ReconcilerError: Error seen: cannot adopt unowned/,
        );
        const about = { kind: 'sandbox', namespace: 'default', name: 'box' } as const;
        const answer = await system.ask({ about, question: 'why', payload: {} });
        expect(answer.ok && at(answer.data, 'because')).toContainEqual(
          expect.stringMatching(/cannot adopt unowned pod "box"/),
        );
        const uid = text(at(await world.pod('box'), 'metadata', 'uid'));
        await world.client.remove(`${core}/pods/box`, uid);
        await world.clock.advance(120_000);
        expect(await readyOf(world)).toBe('True DependenciesReady: Pod is Ready');
      }),
    60_000,
  );
});

describe('On the embedded cluster the members of a warm pool', () => {
  it(
    'cost three writes each until they are ready',
    () =>
      withSandboxes(async (world, _, writes) => {
        const apiVersion = 'extensions.agents.x-k8s.io/v1beta1';
        const spec = { podTemplate };
        const template = { apiVersion, kind: 'SandboxTemplate', metadata: { name: 't' }, spec };
        await world.create(templates, template);
        await world.clock.advance(10_000);
        writes();
        await world.create(templates.replace('sandboxtemplates', 'sandboxwarmpools'), {
          apiVersion,
          kind: 'SandboxWarmPool',
          metadata: { name: 'pool' },
          spec: { replicas: 20, sandboxTemplateRef: { name: 't' } },
        });
        await world.clock.advance(120_000);
        const pool = templates.replace('sandboxtemplates', 'sandboxwarmpools/pool');
        expect((await world.get(pool))?.['status']).toMatchObject({ readyReplicas: 20 });
        const all = writes().map((write) => write.replace(/ sandboxes \S+/, ' sandboxes'));
        const count = (what: string): number => all.filter((write) => write === what).length;
        expect(count('create sandboxes')).toBe(20);
        expect(count('create pods')).toBe(20);
        expect(count('update sandboxes status')).toBe(20);
        expect(all.filter((write) => !/ (?:sandboxes|pods)/.test(write)).length).toBeLessThan(10);
        expect(all.filter((write) => write.startsWith('patch'))).toEqual([]);
        await world.clock.advance(600_000);
        expect(writes()).toEqual([]);
      }),
    60_000,
  );
});

describe('On the embedded cluster a SandboxTemplate', () => {
  it(
    'has a NetworkPolicy, which the server stores as it was wanted (R70, G14)',
    () =>
      withSandboxes(async (world, _, writes) => {
        await world.create(templates, {
          apiVersion: 'extensions.agents.x-k8s.io/v1beta1',
          kind: 'SandboxTemplate',
          metadata: { name: 't' },
          spec: { podTemplate, networkPolicy: { ingress: [{ ports: [{ port: 80 }] }] } },
        });
        await world.clock.advance(10_000);
        expect(writes().toSorted()).toEqual(['create networkpolicies', 'patch sandboxtemplates t']);
        const policy = await world.get(`${policies}/t-network-policy`);
        expect(list(at(policy, 'spec', 'ingress'))).toHaveLength(1);
        await world.clock.advance(600_000);
        expect(writes()).toEqual([]);
      }),
    60_000,
  );
});
