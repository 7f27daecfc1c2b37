// What people are told of a revision: why its requests wait, and what it has.
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { ObservedRevision } from '../objects/revision.ts';
import { podsService } from './services.ts';
import { routableIn, type RevisionContext } from './context.ts';

export const explainOpening = (): readonly string[] => ['its table of pods has not answered yet'];

export function explainWaiting(context: RevisionContext): readonly string[] {
  const waiting = context.table?.waiting ?? 0;
  if (waiting === 0) return [];
  const routable = routableIn(context);
  if (routable === 0) return [`${waiting} requests wait, and no pod can take one`];
  return [`${waiting} requests wait, as all ${routable} pods have as many as they take`];
}

/** Where nothing is listed nobody can be asked. */
export function explainListed(
  { listed, slices, services }: RevisionContext,
  own: ObservedRevision,
): readonly string[] {
  if (listed.size > 0) return [];
  const { port } = own;
  const service = podsService(own, services);
  const isUnnamed = slices.length > 0 && slices.every(({ ports }) => !Object.hasOwn(ports, port));
  return [
    isUnnamed
      ? `the endpoints of Service ${service} have no port ${port}`
      : `Service ${service} has no endpoints`,
  ];
}

export const fine = (context: RevisionContext): string =>
  `${routableIn(context)} pods take requests`;

export const view = ({ totals, table, listed, place }: RevisionContext): JsonObject => ({
  pods: Object.fromEntries(totals),
  listed: listed.size,
  waiting: table?.waiting ?? null,
  activators: place.activators,
});
