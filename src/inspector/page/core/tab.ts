// What each tab of an actor's page gets from views/actor.tsx.
import type { FactRow } from '#src/inspector/protocol.ts';
import type { Row } from './rows.ts';

export interface TabProps {
  readonly id: string;
  /** Undefined: there is no such actor now. */
  readonly row: Row | undefined;
  /** Another value: something happened. */
  readonly news: number;
  /** That came while it is shown, oldest first. */
  readonly facts: readonly FactRow[];
}
