// The schedulers that a configuration may enable, in our own file and in Grove's.

/** Scheduler backends that have a name of their own (spec api 6.2). */
export const schedulerNames = [
  'default-scheduler',
  'kai-scheduler',
  'volcano',
  'lpx-scheduler',
] as const;
