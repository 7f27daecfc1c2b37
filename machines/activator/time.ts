// The one unit of time of the activator: whole microseconds, in a type of their own, so that
// seconds are not taken for them. Milliseconds are converted where a clock is read.

/** Microseconds: since the epoch as a point in time, plain as a duration. */
export type Micros = number & { readonly unit: 'microseconds' };

const perMillisecond = 1_000;

// eslint-disable-next-line typescript/no-unsafe-type-assertion -- The only place that makes one.
export const microsOf = (ms: number): Micros => Math.round(ms * perMillisecond) as Micros;

/** For the runtime, which keeps deadlines in milliseconds: never too early. */
export const msOf = (micros: Micros): number => Math.ceil(micros / perMillisecond);

export const plus = (at: Micros, span: Micros): Micros => microsOf((at + span) / perMillisecond);

export const minus = (at: Micros, span: Micros): Micros => microsOf((at - span) / perMillisecond);
