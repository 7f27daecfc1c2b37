// Pieces of PromQL that alerts and dashboards share.

/** Of our processes alone: other operators have the families of controller-runtime too. Every
 *  process of ours serves coppice_bus_connected, with a bus or without. */
export const ours = (expr: string): string =>
  `(${expr} and on (job, instance) coppice_bus_connected)`;
