// Why a PodGang is not initialized, in sentences for people. Answers `why`.
import { sayError } from '../errorbook.ts';
import { maxListed } from '../limits.ts';
import type { JsonObject } from '../objects.ts';
import { isListed, silent, standingOf } from './context.ts';
import type { GangContext } from './context.ts';

export function why(context: GangContext): readonly string[] {
  const { gang } = context;
  if (gang === undefined) return [`PodGang ${context.key.name} was not seen yet`];
  if (gang.deleting) return [`PodGang ${gang.name} is being deleted`];
  const reasons = [
    ...context.errors.map(sayError),
    ...silent(context).map((name) => `waiting for PodClique ${name} to tell its pods`),
    ...gang.groups.flatMap(({ name }) => {
      const missing = context.reports.get(name)?.missing ?? 0;
      if (missing > 0) return [`${missing} pods of PodClique ${name} do not exist yet`];
      const isStale = context.reports.has(name) && !isListed(context, name);
      return isStale ? [`the pods of PodClique ${name} are about to be listed`] : [];
    }),
  ].slice(0, maxListed);
  if (reasons.length > 0) return reasons;
  return [
    `PodGang ${gang.name} is ${standingOf(context)}; placing its pods is the scheduler's part`,
  ];
}

/** For `/actors` and `ask state`. */
export const view = (context: GangContext): JsonObject => ({
  uid: context.gang?.uid ?? null,
  isInitialized: context.gang?.isInitialized ?? false,
  groups: (context.gang?.groups ?? []).slice(0, maxListed).map((group) => ({
    name: group.name,
    listed: group.pods.size,
    missing: context.reports.get(group.name)?.missing ?? null,
  })),
  silent: silent(context).slice(0, maxListed),
  errors: context.errors.map(sayError),
});
