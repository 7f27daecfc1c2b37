// The endpoints of a Service: all its EndpointSlices together, read by the revision whose pods they
// list, or whose activators. A snapshot that says nothing new wakes nobody (spec activator 2.5,
// T-9).
import { entry, keyIn, type Entry, type View } from '../../contract/view.ts';
import type { ObservedSlice, SlicePods } from '../objects/endpoint-slice.ts';

export interface EndpointsEvent {
  readonly type: 'endpoints.read' | 'activators.read';
  readonly slices: readonly SlicePods[];
}

type EndpointsView = View<SlicePods, readonly SlicePods[]>;

const endpoints = (name: string, type: EndpointsEvent['type']): EndpointsView => ({
  name,
  valueOf: (items) => [...items.values()],
  event: (_, slices = []): EndpointsEvent => ({ type, slices }),
  say: (slices) => `${slices.reduce((sum, slice) => sum + slice.endpoints.length, 0)} endpoints`,
});

export const endpointsOfService = endpoints('endpointsOfService', 'endpoints.read');

/** The same, for who looks for its place among the activators. */
export const activatorsOfService = endpoints('activatorsOfService', 'activators.read');

export const shownSlice = (slice: ObservedSlice): readonly Entry[] => {
  const { ports, endpoints: listed } = slice;
  const key = keyIn(slice, slice.service);
  const item = { ports, endpoints: listed };
  return [entry(endpointsOfService, key, item), entry(activatorsOfService, key, item)];
};
