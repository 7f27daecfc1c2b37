// The Services of a revision: whose endpoints are its pods, and whose are its activators; and the
// place of this activator among them.
import { keyIn, type Reading } from '../../contract/view.ts';
import type { SlicePods } from '../objects/endpoint-slice.ts';
import type { ObservedRevision } from '../objects/revision.ts';
import type { Place } from '../slices.ts';
import { activatorsOfService, endpointsOfService } from '../views/endpoints.ts';
import { type RevisionServices, servicesOfRevision } from '../views/services.ts';

type Names = Pick<ObservedRevision, 'name' | 'service'>;

/** What the object says comes first, then what Knative says, then how Knative names it. */
export const podsService = ({ name, service }: Names, said: RevisionServices | undefined): string =>
  service ?? said?.pods ?? `${name}-private`;

export function servicesReadBy(
  own: ObservedRevision,
  said: RevisionServices | undefined,
): readonly Reading[] {
  const activators = own.activators ?? keyIn(own, said?.clients ?? own.name);
  return [
    { view: servicesOfRevision, key: keyIn(own, own.name) },
    { view: endpointsOfService, key: keyIn(own, podsService(own, said)) },
    { view: activatorsOfService, key: activators },
  ];
}

export const alone: Place = { activators: 1, place: -1 };

/** By the addresses of activators that take requests for the protocol of the revision; undefined:
 *  this one is not among them. Clients may reach pods directly then, or the news is late. */
export function placeAmong(
  slices: readonly SlicePods[],
  { port, activators }: Pick<ObservedRevision, 'port' | 'activators'>,
  address: string,
): Place | undefined {
  const ips = new Set<string>();
  for (const { ports, endpoints } of slices) {
    if (activators === undefined && !Object.hasOwn(ports, port)) continue;
    for (const { ip, isReady } of endpoints) if (isReady) ips.add(ip);
  }
  const place = [...ips].toSorted().indexOf(address);
  return place < 0 ? undefined : { activators: ips.size, place };
}
