// The Events that the actors of ComputeDomains record, by severity and reason. NVIDIA's controller
// records none.
import type { EventTable } from '../contract/event-reasons.ts';

export const nvidiaEvents = {
  Normal: {},
  Warning: {
    CliqueFull: 'a node has no place in its clique: all indices are in use',
    CliqueIndexRepaired:
      'an index was in use twice or out of range, and its node was given another one',
    CliqueAddressInUse: 'a daemon has an IP that a row of another node holds, and waits for it',
    ComputeDomainChildFailed: 'a child of a ComputeDomain could not be written or deleted',
    ComputeDomainFinalizerFailed: 'our finalizer could not be put on a ComputeDomain or taken off',
    ComputeDomainMixed:
      'some daemons of a ComputeDomain are listed in its status alone, and some are in cliques',
    ComputeDomainStatusTooLarge: 'the status of a ComputeDomain comes near the limit of a request',
  },
} as const satisfies EventTable;

declare module '../contract/event-reasons.ts' {
  interface NormalReasons extends Record<keyof typeof nvidiaEvents.Normal, true> {}
  interface WarningReasons extends Record<keyof typeof nvidiaEvents.Warning, true> {}
}
