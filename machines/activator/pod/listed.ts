// The pods that the endpoints of a revision list, by address: of all slices of its Service, at the
// port of its protocol (spec activator 1.11).
import type { Endpoint, SlicePods } from '../objects/endpoint-slice.ts';

export type Listed = Pick<Endpoint, 'id' | 'isReady'>;

/** While a pod moves from one slice to another both have it, perhaps with different readiness; and
 *  one that is gone may still be in one when another pod has its address. The ready one counts. A
 *  pod that no slice tells from others at its address goes by the address. */
export function listedPods(
  slices: readonly SlicePods[],
  port: string,
): ReadonlyMap<string, Listed> {
  const listed = new Map<string, Listed>();
  for (const { ports, endpoints } of slices) {
    const number = Object.hasOwn(ports, port) ? ports[port] : undefined;
    if (number === undefined) continue;
    for (const { ip, id, isReady } of endpoints) {
      const dest = ip.includes(':') ? `[${ip}]:${number}` : `${ip}:${number}`;
      if (listed.get(dest)?.isReady === true) continue;
      listed.set(dest, { id: id === '' ? dest : id, isReady });
    }
  }
  return listed;
}
