// Step 4, what the module depends on besides objects: its own settings. Who starts the module makes
// them from the configuration, and the runtime never sees them.
import type { ConfiguredInput } from '#machines/contract/behaviour.ts';

export interface PrintSettings {
  /** Of one printer. */
  readonly mostTrays: number;
}

export type PrintInput = ConfiguredInput<PrintSettings>;
