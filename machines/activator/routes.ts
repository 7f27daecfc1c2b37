// Who hears of which object: a revision of itself. All others are read through views.
import { route } from '../contract/route.ts';
import type { Delivery, Route } from '../contract/route.ts';
import { readSlice } from './objects/endpoint-slice.ts';
import type { ObservedSlice } from './objects/endpoint-slice.ts';
import { readRevision } from './objects/revision.ts';
import type { ObservedRevision } from './objects/revision.ts';
import { readServerless, type ObservedServerless } from './objects/serverless-service.ts';
import { shownSlice } from './views/endpoints.ts';
import { shownServerless } from './views/services.ts';

function toRevision(
  { namespace, name }: ObservedRevision,
  event: Delivery['event'] & { readonly [field: string]: unknown },
): readonly Delivery[] {
  const key = { kind: 'revision', namespace, name } as const;
  return [{ to: key, root: key, event }];
}

export const activatorRoutes: readonly Route[] = [
  route<ObservedRevision>('Revision', {
    decode: readRevision,
    seen: (observed) => toRevision(observed, { type: 'revision.observed', observed }),
    gone: (observed) => toRevision(observed, { type: 'revision.gone', uid: observed.uid }),
  }),
  route<ObservedServerless>('ServerlessService', {
    decode: readServerless,
    seen: () => [],
    gone: () => [],
    shown: shownServerless,
  }),
  route<ObservedSlice>('EndpointSlice', {
    decode: readSlice,
    seen: () => [],
    gone: () => [],
    shown: shownSlice,
  }),
];
