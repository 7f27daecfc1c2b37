// A claim whose assignment is refused, in the runtime: the writes of its pool and its own are on
// one object.
import { expect, it } from 'vitest';
import { agentsandbox } from '#machines/agentsandbox/module.ts';
import { withSettings } from '#machines/contract/module.ts';
import { conditionsOf } from '#machines/kubernetes/conditions.ts';
import { text } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { stage } from '#test/actors/fixtures/stage.ts';
import { poolObject, settings, templateObject } from '../objects.ts';

it.each(['FORBIDDEN', 'INVALID'] as const)(
  'A claim says that its assignment is refused (%s), and is served once it is not',
  async (code) => {
    const world = stage(withSettings(agentsandbox, settings));
    const { cluster, clock, system } = world;
    const claim = { kind: 'SandboxClaim', namespace: 'default', name: 'claim' } as const;
    const put = (kind: 'SandboxTemplate' | 'SandboxWarmPool', one: KubeObject): unknown =>
      cluster.apply(kind, one.metadata.name, { spec: one['spec'] });
    const said = (): string => text(conditionsOf(cluster.get(claim)?.['status'])[0]?.['message']);
    system.synced();
    put('SandboxTemplate', templateObject());
    put('SandboxWarmPool', poolObject({ replicas: 1 }));
    await world.reconciled();
    cluster.fault = ({ op, ref }) =>
      op === 'patch' && ref.kind === 'SandboxClaim' ? { type: 'refuse', code } : undefined;
    cluster.apply('SandboxClaim', 'claim', { spec: { warmPoolRef: { name: 'pool' } } });
    await clock.advance(65_000);
    expect(said()).toContain(
      `the assignment of sandbox "claim" could not be written (${code}): injected ${code}`,
    );
    cluster.fault = () => undefined;
    await clock.advance(130_000);
    expect(said()).toBe('Pod exists with phase: ');
  },
);
