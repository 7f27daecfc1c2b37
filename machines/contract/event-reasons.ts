// The reasons of core/v1 Events, which people alert on. Each module has a table of its own
// (`Module.events`) and adds the names to the two interfaces below, so nothing else can be
// recorded; the runtime's own are here. docs/surface/events.txt is held equal to the tables.

/** By severity: when an Event of this reason is recorded. */
export type EventTable = Readonly<Record<'Normal' | 'Warning', Readonly<Record<string, string>>>>;

export const runtimeEvents = {
  Normal: {
    ActorUnparked: 'a command started the parked actor of the object again',
  },
  Warning: {
    ActorParked: 'the actor of the object failed again and again, cannot read it or was stopped',
  },
} as const satisfies EventTable;

/** Keys are the reasons of this severity. */
export interface NormalReasons extends Record<keyof typeof runtimeEvents.Normal, true> {}
export interface WarningReasons extends Record<keyof typeof runtimeEvents.Warning, true> {}

export type WarningReason = keyof WarningReasons;
