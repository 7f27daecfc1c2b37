// How much a line of the log matters, in rising order. The configuration names one of these.

export const levels = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof levels)[number];
