// What Knative says of the Services of a revision, read by that revision. Without Knative there is
// nothing to read.
import { entry, keyIn, single, type Entry, type Read } from '../../contract/view.ts';
import type { ObservedServerless } from '../objects/serverless-service.ts';

export type RevisionServices = Pick<ObservedServerless, 'pods' | 'clients' | 'mode'>;

export type ServicesEvent = Read<'servicesOfRevision', RevisionServices>;

export const servicesOfRevision = single<RevisionServices>({
  name: 'servicesOfRevision',
  say: ({ pods, mode }) => `${pods ?? 'no Service'}, ${mode}`,
});

export const shownServerless = (observed: ObservedServerless): readonly Entry[] => {
  const { name, pods, clients, mode } = observed;
  return [entry(servicesOfRevision, keyIn(observed, name), { pods, clients, mode })];
};
