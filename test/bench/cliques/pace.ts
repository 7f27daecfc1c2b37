// The periods of what surrounds the daemons, the same for all strategies: as NVIDIA's driver and
// the kubelet have them, and for tests that cannot wait for them.

export interface Pace {
  /** From the start of the process that uses the names until it answers a probe. */
  readonly processMs: number;
  /** Of the startup probe. */
  readonly probeMs: number;
  /** The plug-in asks again after the first, doubling to the second. */
  readonly askAgainMs: readonly [number, number];
  /** Of the roll-up into the domain, and of the sweep. */
  readonly rollUpMs: number;
}

export const shippedPace: Pace = {
  processMs: 200,
  probeMs: 1000,
  askAgainMs: [250, 3000],
  rollUpMs: 2000,
};

export const testPace: Pace = { processMs: 5, probeMs: 50, askAgainMs: [50, 100], rollUpMs: 100 };
