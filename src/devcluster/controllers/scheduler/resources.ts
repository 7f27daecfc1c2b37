// What a pod asks of a node and what a node has, as numbers. Pure; used by the fit rules.
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { quantityOf } from '#src/devcluster/strategies/quantity.ts';

/** Base units by resource name: cores, bytes, devices. */
export type Resources = ReadonlyMap<string, number>;

function listOf(resources: JsonObject | undefined): Map<string, number> {
  const amounts = new Map<string, number>();
  for (const [name, value] of Object.entries(resources ?? {})) {
    const amount = quantityOf(value);
    if (amount !== undefined) amounts.set(name, amount);
  }
  return amounts;
}

const requestsOf = (container: JsonObject): Map<string, number> =>
  listOf(objectAt(objectAt(container, 'resources'), 'requests'));

function add(to: Map<string, number>, from: Resources): void {
  for (const [name, amount] of from) to.set(name, (to.get(name) ?? 0) + amount);
}

function raise(to: Map<string, number>, from: Resources): void {
  for (const [name, amount] of from) to.set(name, Math.max(to.get(name) ?? 0, amount));
}

/**
 * The larger of what the containers need together and what the init containers need one after the
 * other; sidecars (init containers that always restart) count from their start on. Plus overhead.
 */
export function podRequests(pod: Stored): Resources {
  const spec = objectAt(pod, 'spec');
  const together = new Map<string, number>();
  const starting = new Map<string, number>();
  const sidecars = new Map<string, number>();
  for (const container of objectsAt(spec, 'initContainers')) {
    const needs = requestsOf(container);
    add(needs, sidecars);
    raise(starting, needs);
    if (textAt(container, 'restartPolicy') === 'Always') add(sidecars, requestsOf(container));
  }
  for (const container of objectsAt(spec, 'containers')) add(together, requestsOf(container));
  add(together, sidecars);
  raise(together, starting);
  add(together, listOf(objectAt(spec, 'overhead')));
  return together;
}

export function nodeAllocatable(node: Stored): Resources {
  const status = objectAt(node, 'status');
  return listOf(objectAt(status, 'allocatable') ?? objectAt(status, 'capacity'));
}
