// Bounds of what the plugin does to reach the controller, in one place.

/** Until a port-forward, and TLS through it, stand. */
export const connectMs = 10_000;

/** Of one answer of the controller that is no stream. */
export const maxAnswerBytes = 64 * 1024 * 1024;

/** Of a token that the plugin asks the API server for: the least that it gives out. */
export const tokenSeconds = 600;

/** Questions that are asked at once: the controller answers half as many again and a few. */
export const asksAtOnce = 8;

/** What is looked at to find the controller. */
export const maxPods = 50;
