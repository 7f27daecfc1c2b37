// What the tests of a ComputeDomain's status share: the domain `demo/mesh`, its rows, and what is
// to be seen of them in its status.
import { at, list } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { mesh, rowsOf } from '#test/support/nvidia.ts';
import type { RowOf } from '#test/support/nvidia.ts';
import { NvidiaWorld } from '#test/support/nvidia-world.ts';
import type { NvidiaOptions } from '#test/support/nvidia-world.ts';

export const domain = 'uid-1';
export const interval = 2_000;

export function deployed(options: NvidiaOptions = {}, spec = {}, status?: JsonObject): NvidiaWorld {
  const world = new NvidiaWorld(options);
  world.create(mesh(spec, status));
  return world.stabilize();
}

/** Time for whatever waits for the interval. */
export const later = (world: NvidiaWorld): NvidiaWorld => world.stabilize().pass(interval);

export const statusOf = (world: NvidiaWorld): unknown =>
  world.find('ComputeDomain', 'mesh', 'demo')?.['status'];
export const nodesOf = (world: NvidiaWorld): readonly string[] =>
  list(at(statusOf(world), 'nodes')).map((node) => {
    const { name, ipAddress, cliqueID, index, status } = Object(node);
    return `${name} ${ipAddress} ${cliqueID || '-'} ${index} ${status}`;
  });
export const statuses = (world: NvidiaWorld): number =>
  world.writes.filter((write) => write.startsWith('status')).length;
export const saidOf = (world: NvidiaWorld): readonly string[] =>
  world.events.map(({ reason }) => reason);

export const cliqueRef = (id: string, namespace = 'driver') =>
  ({ kind: 'ComputeDomainClique', namespace, name: `${domain}.${id}` }) as const;
export const podRef = (name: string) => ({ kind: 'Pod', namespace: 'driver', name }) as const;
export const setRows = (world: NvidiaWorld, id: string, rows: readonly RowOf[]): void =>
  world.edit(cliqueRef(id), { daemons: rowsOf(id, rows) });

export const a: RowOf = ['a', '10.0.0.1', 0, 'Ready'];
export const b: RowOf = ['b', '10.0.0.2', 1, 'NotReady'];
