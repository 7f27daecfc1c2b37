// Step 1: the kinds that the module reads or writes, those that have a life, and the reasons of
// Events and conditions.
import type { ConditionTable } from '#machines/contract/condition-reasons.ts';
import type { EventTable } from '#machines/contract/event-reasons.ts';
import type { KindRow } from '#machines/contract/kind.ts';

const print = 'print.example.dev/v1';

export const printKinds = {
  Printer: {
    apiVersion: 'print.example.dev/v2',
    olderVersions: [print],
    plural: 'printers',
    writes: ['status'],
    owners: [],
    isDeciding: true,
  },
  Tray: {
    apiVersion: print,
    plural: 'trays',
    writes: ['create', 'patch', 'delete'],
    owners: ['Printer'],
  },
  Job: { apiVersion: print, plural: 'jobs', writes: ['status'], owners: [], isDeciding: true },
  Paper: {
    apiVersion: print,
    plural: 'papers',
    writes: [],
    owners: [],
    isClusterScoped: true,
    keeps: ({ spec }) => ({ spec }),
  },
} as const satisfies Record<string, KindRow>;

type PrintKind = keyof typeof printKinds;

export const printActors = {
  printer: 'Printer',
  job: 'Job',
} as const satisfies Record<string, PrintKind>;

export const printEvents = {
  Normal: { TrayLent: 'who asked for a tray is told which one it has' },
  Warning: {},
} as const satisfies EventTable;

export const printConditions = {
  AllTrays: 'every tray is there',
  TraysMissing: 'trays are missing',
} as const satisfies ConditionTable;

declare module '#machines/contract/event-reasons.ts' {
  interface NormalReasons extends Record<keyof typeof printEvents.Normal, true> {}
}

declare module '#machines/contract/condition-reasons.ts' {
  interface ConditionReasons extends Record<keyof typeof printConditions, true> {}
}

declare module '#machines/contract/kind.ts' {
  interface KindNames extends Record<PrintKind, true> {}
  interface ActorNames extends Record<keyof typeof printActors, true> {}
}
