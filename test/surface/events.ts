// The Events that people alert on: those of the runtime and of every module.
import { runtimeEvents } from '#machines/contract/event-reasons.ts';
import { modules } from '#machines/index.ts';
import { page } from './page.ts';

/** Reason, severity and when it is recorded. */
export const allEvents = [runtimeEvents, ...modules.map(({ events }) => events)]
  .flatMap((table) => Object.entries(table))
  .flatMap(([severity, rows]) =>
    Object.entries(rows).map(([reason, when]) => [reason, severity, when] as const),
  );

export const renderEvents = (): string =>
  page(...allEvents.map(([reason, severity, when]) => `${reason} ${severity}: ${when}`).toSorted());
