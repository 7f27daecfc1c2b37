// The NetworkPolicy that the pods of a template share, and the template's label.
import { describe, expect, it } from 'vitest';
import { label } from '#machines/agentsandbox/objects/labels.ts';
import { nameHash } from '#machines/agentsandbox/objects/name-hash.ts';
import type { ObservedPolicy } from '#machines/agentsandbox/objects/belongings.ts';
import { reduce, startContext } from '#machines/agentsandbox/template/context.ts';
import { at } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { controllerOfKind, templateNamed } from '#test/support/agentsandbox/samples.ts';
import { AgentSandboxWorld } from '#test/support/agentsandbox/world.ts';
import type { AgentSandboxOptions } from '#test/support/agentsandbox/world.ts';
import { settings } from '../claim/objects.ts';

const policyRef = { kind: 'TemplatePolicy', namespace: 'demo', name: 't-network-policy' } as const;
const templateRef = { kind: 'SandboxTemplate', namespace: 'demo', name: 't' } as const;
const create = 'create TemplatePolicy/demo/t-network-policy';
const patch = 'patch TemplatePolicy/demo/t-network-policy';
const hash = { [label.templateRefHash]: nameHash('t') };

function begun(spec: JsonObject = {}, options: AgentSandboxOptions = {}): AgentSandboxWorld {
  const world = new AgentSandboxWorld(options);
  world.store.create(templateNamed('t', spec));
  return world.comeToRest();
}

const policyOf = (world: AgentSandboxWorld): KubeObject | undefined =>
  world.store.get('TemplatePolicy', policyRef.name);

const foreign = (owner: readonly object[] = []): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: policyRef.name, namespace: 'demo', ownerReferences: owner as never },
  spec: { podSelector: {} },
});

function writesSince(world: AgentSandboxWorld, act: () => void): readonly string[] {
  const before = world.writes.length;
  act();
  world.comeToRest();
  return world.writes.slice(before);
}

describe('A SandboxTemplate', () => {
  it('has one NetworkPolicy, by default open to the router alone and closed to private networks (R70)', () => {
    const world = begun({}, { settings: { routerNamespace: 'routers' } });
    expect(world.writes.toSorted()).toEqual([create, 'patch SandboxTemplate/demo/t']);
    expect(policyOf(world)).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'SandboxTemplate', name: 't', controller: true }] },
      spec: {
        podSelector: { matchLabels: hash },
        policyTypes: ['Ingress', 'Egress'],
        ingress: [
          {
            from: [
              {
                podSelector: { matchLabels: { app: 'sandbox-router' } },
                namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'routers' } },
              },
            ],
          },
        ],
        egress: [
          {
            to: [
              {
                ipBlock: {
                  cidr: '0.0.0.0/0',
                  except: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'],
                },
              },
              { ipBlock: { cidr: '::/0', except: ['fc00::/7', 'fe80::/10'] } },
            ],
          },
        ],
      },
    });
    expect(world.store.get('SandboxTemplate', 't')?.metadata.labels).toEqual(hash);
    expect(world.why('sandboxtemplate', 't')).toEqual([
      'SandboxTemplate t has its NetworkPolicy t-network-policy',
    ]);
  });

  it('writes nothing where all is as it is to be (G14)', () => {
    const world = begun();
    expect(writesSince(world, () => world.restart())).toEqual([]);
    const labels = { metadata: { labels: { theirs: 'x' } } };
    expect(writesSince(world, () => world.store.edit(templateRef, labels))).toEqual([]);
  });

  it('has the rules of its own, and takes what the server fills in for no difference', () => {
    const ports = [{ port: 80 }];
    const world = begun({ networkPolicy: { ingress: [{ ports, from: [] }], egress: [] } });
    expect(at(policyOf(world), 'spec', 'ingress')).toEqual([{ ports, from: [] }]);
    const spec = { ingress: [{ ports: [{ port: 80, protocol: 'TCP' }] }], egress: null };
    expect(writesSince(world, () => world.store.edit(policyRef, { spec }))).toEqual([]);
    const changed = { ingress: [{ ports: [{ port: 81, protocol: 'TCP' }] }] };
    expect(writesSince(world, () => world.store.edit(policyRef, { spec: changed }))).toEqual([
      patch,
    ]);
    expect(at(policyOf(world), 'spec', 'ingress')).toEqual([{ ports, from: [] }]);
    const isOpen = { podSelector: { matchLabels: { more: 'x' } } };
    expect(writesSince(world, () => world.store.edit(policyRef, { spec: isOpen }))).toEqual([
      patch,
    ]);
    expect(at(policyOf(world), 'spec', 'podSelector')).toEqual({ matchLabels: hash });
  });

  it('has it again where somebody has deleted it, and follows an edit', () => {
    const world = begun();
    expect(writesSince(world, () => world.store.drop(policyRef))).toEqual([create]);
    const spec = { networkPolicy: { egress: [{}] } };
    expect(writesSince(world, () => world.store.edit(templateRef, { spec }))).toEqual([patch]);
    expect(at(policyOf(world), 'spec', 'ingress')).toBeUndefined();
    expect(at(policyOf(world), 'spec', 'egress')).toEqual([{}]);
  });

  it('deletes its own, and no other, where it manages none', () => {
    const world = begun();
    const unmanaged = { spec: { networkPolicyManagement: 'Unmanaged' } };
    expect(writesSince(world, () => world.store.edit(templateRef, unmanaged))).toEqual([
      'delete TemplatePolicy/demo/t-network-policy',
    ]);
    expect(writesSince(world, () => world.store.create(foreign()))).toEqual([]);
    expect(world.why('sandboxtemplate', 't')).toEqual([
      'SandboxTemplate t has no NetworkPolicy of ours',
    ]);
  });

  it.each([
    ['nobody', []],
    ['another template', [controllerOfKind('SandboxTemplate', 'other', 'uid-other')]],
    ['an earlier template of its name', [controllerOfKind('SandboxTemplate', 't', 'uid-old')]],
  ])('leaves a NetworkPolicy of its name alone that %s controls, and says so (R70)', (_, owner) => {
    const world = new AgentSandboxWorld();
    world.store.create(foreign(owner));
    world.store.create(templateNamed('t'));
    world.comeToRest();
    expect(world.writes).toEqual(['patch SandboxTemplate/demo/t']);
    const text =
      'refusing to update NetworkPolicy "t-network-policy" as it is not controlled by SandboxTemplate "t"';
    expect(world.events).toMatchObject([{ reason: 'NetworkPolicyFailed', note: text }]);
    expect(world.why('sandboxtemplate', 't')).toEqual([text]);
    expect(writesSince(world, () => world.store.drop(policyRef))).toEqual([create]);
    expect(world.events).toHaveLength(1);
  });

  it('says that it has none because the server refuses it', () => {
    const world = begun(
      {},
      { fateOf: ({ type }) => (type === 'createObject' ? 'refused' : 'answered') },
    );
    expect(world.events).toMatchObject([{ reason: 'NetworkPolicyFailed' }]);
    expect(world.why('sandboxtemplate', 't')[0]).toMatch(/NetworkPolicy t-network-policy: create/);
  });

  it('leaves all as it is while it is being deleted', () => {
    const world = begun();
    const finalizers = { metadata: { finalizers: ['theirs/x'] } };
    world.store.edit(templateRef, finalizers);
    world.store.remove(templateRef);
    expect(writesSince(world, () => world.store.drop(policyRef))).toEqual([]);
    world.store.edit(templateRef, { metadata: { finalizers: [] } });
    world.comeToRest();
    expect(world.why('sandboxtemplate', 't')).toEqual(['no actor']);
  });

  it('has its policy still where an older one of its name is gone', () => {
    const key = { kind: 'sandboxtemplate', namespace: 'demo', name: 't' } as const;
    const policy = { name: policyRef.name, uid: 'new' } as ObservedPolicy;
    const context = { ...startContext({ key, root: key, settings }), policy };
    const gone = (uid: string) =>
      reduce(context, { type: 'policy.gone', observed: { ...policy, uid } });
    expect([gone('old').policy, gone('new').policy]).toEqual([policy, undefined]);
  });
});
