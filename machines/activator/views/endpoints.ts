// The endpoints of a Service: all its EndpointSlices together, read by the revision whose pods they
// list. A snapshot that says nothing new wakes nobody (spec activator 2.5, T-9).
import { entry, keyIn, type Entry, type View } from '../../contract/view.ts';
import type { ObservedSlice, SlicePods } from '../objects/endpoint-slice.ts';

export interface EndpointsEvent {
  readonly type: 'endpoints.read';
  readonly slices: readonly SlicePods[];
}

export const endpointsOfService: View<SlicePods, readonly SlicePods[]> = {
  name: 'endpointsOfService',
  valueOf: (items) => [...items.values()],
  event: (_, slices = []): EndpointsEvent => ({ type: 'endpoints.read', slices }),
  say: (slices) => `${slices.reduce((sum, { endpoints }) => sum + endpoints.length, 0)} endpoints`,
};

export const shownSlice = (slice: ObservedSlice): readonly Entry[] => {
  const { ports, endpoints } = slice;
  return [entry(endpointsOfService, keyIn(slice, slice.service), { ports, endpoints })];
};
