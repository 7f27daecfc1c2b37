// Members that were chosen to be deleted. A choice sticks until the member is seen going, it is
// assigned to a claim after all, or more members are wanted again.
import { PersistentMap } from '../../contract/persistent-map.ts';
import { Agenda } from './agenda.ts';
import { slowStart, type SlowStart } from './refill.ts';

/** Excess ones are kept again where more are wanted. */
export type Cause = 'excess' | 'stale' | 'stuck';

export interface Removal extends SlowStart {
  readonly chosen: PersistentMap<string, Cause>;
  /** Of these, those whose deletion is to be sent, in order. */
  readonly waiting: Agenda;
  /** Of these, those whose deletion was sent and not answered. */
  readonly sent: PersistentMap<string, true>;
  /** How many of them were chosen for what. */
  readonly causes: Readonly<Record<Cause, number>>;
  /** Choices so far, by which they are in order. */
  readonly choices: number;
}

export const noRemoval: Removal = {
  ...slowStart,
  chosen: PersistentMap.of(),
  waiting: Agenda.of(),
  sent: PersistentMap.of(),
  causes: { excess: 0, stale: 0, stuck: 0 },
  choices: 0,
};

export const withChosen = (removal: Removal, name: string, cause: Cause): Removal => ({
  ...removal,
  chosen: removal.chosen.set(name, cause),
  waiting: removal.waiting.set(name, removal.choices),
  causes: { ...removal.causes, [cause]: removal.causes[cause] + 1 },
  choices: removal.choices + 1,
});

/** It is gone or going, or is kept. */
export function withoutChosen(removal: Removal, name: string): Removal {
  const cause = removal.chosen.get(name);
  if (cause === undefined) return removal;
  return {
    ...removal,
    chosen: removal.chosen.delete(name),
    waiting: removal.waiting.delete(name),
    sent: removal.sent.delete(name),
    causes: { ...removal.causes, [cause]: removal.causes[cause] - 1 },
  };
}

/** Its deletion did not take place, and is to be sent again. */
export const unsent = (removal: Removal, name: string): Removal =>
  removal.sent.has(name)
    ? {
        ...removal,
        sent: removal.sent.delete(name),
        waiting: removal.waiting.set(name, removal.choices),
        choices: removal.choices + 1,
      }
    : removal;
