// How many pods a revision is to have, by the requests that are here: averages in, replicas out. A
// smaller form of Knative's autoscaler, which it has its words from (spec activator 1.2 and 1.14).
// Pure: whoever calls it measures, and writes what comes of it.

export interface ScaleSettings {
  /** Requests at once that one pod is to have; above 0. */
  readonly target: number;
  /** Fewest and most pods; `most` 0: any number. */
  readonly least: number;
  readonly most: number;
  /** Over so long `average` is taken, and a panic lasts so long after its last cause. */
  readonly windowMs: number;
  /** A rise is sudden where the short window asks for so many times the pods there are; 0: nothing
   *  is ever sudden. */
  readonly panicThreshold: number;
  /** At most so many times the pods there are, at one decision; at least 1. */
  readonly maxRise: number;
  /** The last pod stays for so long after a whole window without a request. */
  readonly graceMs: number;
}

export interface Load {
  /** Requests at once over the window, and over the short one. */
  readonly average: number;
  readonly recent: number;
  /** Since the window is empty; 0 while there is a request. */
  readonly idleMs: number;
}

export interface Scaled {
  /** As was last asked for. */
  readonly wanted: number;
  /** Of them that take requests. */
  readonly ready: number;
}

/** While a rise is sudden no pod is taken away. */
export interface Panic {
  /** Since the last decision that found the rise sudden. */
  readonly quietMs: number;
}

export interface Decision {
  readonly replicas: number;
  /** Undefined: there is none. */
  readonly panic: Panic | undefined;
}

/** `panic`: as the decision before had it, with the time that has passed since then. */
export function decide(
  settings: ScaleSettings,
  load: Load,
  scaled: Scaled,
  panic: Panic | undefined,
): Decision {
  const { target, windowMs, panicThreshold, maxRise } = settings;
  const pods = Math.max(1, scaled.ready);
  const most = Math.ceil(maxRise * pods);
  const wanted = Math.min(most, Math.ceil(load.average / target));
  const sudden = Math.min(most, Math.ceil(load.recent / target));
  const isSudden = panicThreshold > 0 && load.recent / target >= panicThreshold * pods;
  const now = panicOf(isSudden, panic, windowMs);
  const asked = now === undefined ? wanted : Math.max(wanted, sudden, scaled.wanted);
  const kept = asked > 0 || isOver(settings, load) ? asked : Math.min(1, scaled.wanted);
  // A request that has just come has no average yet.
  const replicas = Math.max(kept, load.idleMs === 0 ? 1 : 0, settings.least);
  return { replicas: settings.most > 0 ? Math.min(settings.most, replicas) : replicas, panic: now };
}

function panicOf(isSudden: boolean, panic: Panic | undefined, windowMs: number): Panic | undefined {
  if (isSudden) return { quietMs: 0 };
  return panic === undefined || panic.quietMs >= windowMs ? undefined : panic;
}

/** Nobody was here for the whole grace. */
const isOver = ({ graceMs }: ScaleSettings, { idleMs }: Load): boolean => idleMs >= graceMs;
