// What the tests of Sandboxes share: a world with one, `demo/box`, and what is to be seen of it.
import { conditionsOf } from '#machines/kubernetes/conditions.ts';
import { at, stringMap } from '#machines/kubernetes/json.ts';
import type { StringMap } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject, ObjectMeta } from '#machines/kubernetes/objects.ts';
import type { Kind } from '#machines/kinds.ts';
import { podRef, running, sandboxNamed, sandboxRef } from '#test/support/agentsandbox/samples.ts';
import { AgentSandboxWorld } from '#test/support/agentsandbox/world.ts';
import type { AgentSandboxOptions } from '#test/support/agentsandbox/world.ts';

export interface Begun {
  readonly spec?: JsonObject;
  readonly metadata?: Partial<ObjectMeta>;
  readonly options?: AgentSandboxOptions;
  /** What is there before. */
  readonly before?: readonly KubeObject[];
}

export function begun({ spec, metadata, options, before = [] }: Begun = {}): AgentSandboxWorld {
  const world = new AgentSandboxWorld(options);
  for (const one of before) world.store.create(one);
  world.store.create(sandboxNamed('box', spec, metadata));
  return world.comeToRest();
}

/** Its pod runs. */
export function ready(world: AgentSandboxWorld, name = 'box'): AgentSandboxWorld {
  world.store.edit(podRef(name), { spec: { nodeName: 'n1' }, status: running });
  return world.comeToRest();
}

export const readyBox = (begin: Begun = {}): AgentSandboxWorld => ready(begun(begin));

export const there = (world: AgentSandboxWorld, kind: Kind, name: string): KubeObject | undefined =>
  world.store.get(kind, name);

export const statusOf = (world: AgentSandboxWorld): unknown =>
  there(world, 'Sandbox', 'box')?.['status'];

/** `Ready False SandboxExpired: Sandbox has expired`, by type. */
export const conditions = (world: AgentSandboxWorld): Record<string, string> =>
  Object.fromEntries(
    conditionsOf(statusOf(world)).map(({ type, status, reason, message }) => [
      type,
      `${String(status)} ${String(reason)}: ${String(message)}`,
    ]),
  );

export const readyOf = (world: AgentSandboxWorld): string | undefined => conditions(world)['Ready'];

export const mapOf = (
  world: AgentSandboxWorld,
  field: 'labels' | 'annotations',
  ...[kind, name]: readonly [Kind, string]
): StringMap => stringMap(at(there(world, kind, name), 'metadata', field));

export const edit = (world: AgentSandboxWorld, patch: JsonObject): AgentSandboxWorld => {
  world.store.edit(sandboxRef('box'), patch);
  return world.comeToRest();
};

export const suspend = (world: AgentSandboxWorld): AgentSandboxWorld =>
  edit(world, { spec: { operatingMode: 'Suspended' } });

export const resume = (world: AgentSandboxWorld): AgentSandboxWorld =>
  edit(world, { spec: { operatingMode: 'Running' } });

/** The node has ended what was to terminate. */
export function dropPod(world: AgentSandboxWorld, name = 'box'): AgentSandboxWorld {
  world.store.drop(podRef(name));
  return world.comeToRest();
}

/** What was written since, in words. */
export function writesOf(world: AgentSandboxWorld, act: () => unknown): readonly string[] {
  const before = world.writes.length;
  act();
  return world.writes.slice(before).map((write) => write.replace('/demo/', ' '));
}
