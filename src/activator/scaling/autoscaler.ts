// The autoscaler of this process, for revisions of our own configuration that name what is scaled:
// takes reports in, asks machines/activator/autoscaler what is to be, and writes it. Requests that
// come while there is no pod do not wait for the next second.
import type { Clock, Telemetry } from '#actors/ports.ts';
import {
  decide,
  type Load,
  type Panic,
  type ScaleSettings,
} from '#machines/activator/autoscaler/decide.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { Averages } from './averages.ts';
import type { Report } from './ledger.ts';
import {
  nameOfTarget,
  readScale,
  type Scale,
  type ScaleOutcome,
  type ScaleTarget,
  writeScale,
} from './scale.ts';

export interface ScaledRevision {
  /** `namespace/name`. */
  readonly revision: string;
  readonly target: ScaleTarget;
  readonly settings: ScaleSettings;
  /** Of the short window; 0: there is none. */
  readonly panicSeconds: number;
}

export interface AutoscalerOptions {
  readonly clock: Pick<Clock, 'now' | 'at' | 'steady'>;
  readonly transport: Pick<KubeTransport, 'request'>;
  readonly log: Telemetry['log'];
  readonly revisions: readonly ScaledRevision[];
  /** Requests that are here now, whatever their average. */
  readonly active: (revision: string) => number;
  /** Pods that take requests; undefined: what the target observes is believed. */
  readonly ready?: (revision: string) => number | undefined;
}

/** Whoever else scales revisions takes its place. */
export interface Autoscaler {
  report(batch: readonly Report[]): void;
  stop(): Promise<void>;
}

/** A read and a write each, before the next second takes over. */
const mostTries = 5;
const tickMs = 1_000;
/** Somebody else may scale too. */
const believedMs = 15_000;
/** What comes up is not idle. What has not come up by then, as Knative has it too, may end. */
const longestStartMs = 600_000;

class Target {
  readonly revision: ScaledRevision;
  averages: Averages;
  /** As it was last read or written, and when. */
  known: { readonly scale: Scale; readonly at: number } | undefined;
  /** A first request, which the next report leaves out. */
  told = 0;
  /** A report has come since the last tick. */
  isReported = false;
  panic: Panic | undefined;
  idleSince: number;
  /** Since when pods are wanted and none takes requests. */
  startingSince: number | undefined;
  decidedAt: number;
  isBusy = false;
  isWantedAgain = false;
  /** The last one that was logged, so that it is told once. */
  trouble: string | undefined;

  constructor(revision: ScaledRevision, now: number) {
    this.revision = revision;
    this.averages = averagesOf(revision);
    this.idleSince = now;
    this.decidedAt = now;
  }
}

const windowOf = ({ settings }: ScaledRevision): number => Math.ceil(settings.windowMs / 1_000);
const averagesOf = (revision: ScaledRevision): Averages => new Averages(windowOf(revision));

export function startAutoscaler(options: AutoscalerOptions): Autoscaler {
  const { clock, revisions } = options;
  const targets = new Map(
    revisions.map((each) => [each.revision, new Target(each, clock.steady())]),
  );
  const running = new Set<Promise<void>>();
  let isStopped = false;
  const poke = (target: Target): void => {
    target.isWantedAgain = true;
    if (target.isBusy || isStopped) return;
    target.isBusy = true;
    const work: Promise<void> = adjustWhileWanted(target, options, () => isStopped).finally(() => {
      target.isBusy = false;
      running.delete(work);
    });
    running.add(work);
  };
  const tick = (): void => {
    cancel = clock.at(clock.now() + tickMs, tick);
    for (const target of targets.values()) {
      // Seconds without a report are seconds without a request.
      if (!target.isReported && target.told === 0) target.averages.add(0);
      target.isReported = false;
      poke(target);
    }
  };
  let cancel = clock.at(clock.now() + tickMs, tick);
  return {
    report: (batch) => {
      for (const { revision, concurrency, isFirst } of batch) {
        const target = targets.get(revision);
        if (target === undefined) continue;
        if (isFirst === true) {
          target.told = concurrency;
        } else {
          target.averages.add(target.told + concurrency);
          target.told = 0;
          target.isReported = true;
        }
        poke(target);
      }
    },
    stop: async () => {
      isStopped = true;
      cancel();
      await Promise.all(running);
    },
  };
}

async function adjustWhileWanted(
  target: Target,
  options: AutoscalerOptions,
  isStopped: () => boolean,
): Promise<void> {
  while (target.isWantedAgain && !isStopped()) {
    target.isWantedAgain = false;
    const problem = await adjust(target, options);
    tell(target, options, problem);
  }
}

/** What went wrong; undefined: it is as it is to be. */
async function adjust(target: Target, options: AutoscalerOptions): Promise<string | undefined> {
  const { transport, log, clock } = options;
  const { target: of } = target.revision;
  if (isAsKnown(target, options)) return undefined;
  for (let tried = 0; tried < mostTries; tried++) {
    const read = await readScale(transport, of);
    if (!read.ok) return read.message;
    target.known = { scale: read.scale, at: clock.steady() };
    const replicas = decided(target, options, read.scale);
    if (replicas === read.scale.wanted) return undefined;
    const written: ScaleOutcome = await writeScale(transport, of, read.scale, replicas);
    if (written.ok) {
      target.known = { scale: written.scale, at: clock.steady() };
      log('info', 'scaled', { target: nameOfTarget(of), from: read.scale.wanted, to: replicas });
      return undefined;
    }
    if (!written.isConflict) return written.message;
  }
  return `was changed by others ${mostTries} times`;
}

/** What was read is believed for a while, as long as nothing is on its way and nothing changes. */
function isAsKnown(target: Target, options: AutoscalerOptions): boolean {
  const { known } = target;
  if (known === undefined || known.at < options.clock.steady() - believedMs) return false;
  const { wanted, observed } = known.scale;
  return wanted === observed && decided(target, options, known.scale) === wanted;
}

function decided(target: Target, options: AutoscalerOptions, scale: Scale): number {
  const { revision, settings } = target.revision;
  const now = options.clock.steady();
  const panic = target.panic && { quietMs: target.panic.quietMs + now - target.decidedAt };
  const ready = options.ready?.(revision) ?? scale.observed;
  const isStarting = scale.wanted > 0 && ready === 0;
  target.startingSince = isStarting ? (target.startingSince ?? now) : undefined;
  const load = loadOf(target, options.active(revision), now);
  const decision = decide(settings, load, { wanted: scale.wanted, ready }, panic);
  target.panic = decision.panic;
  target.decidedAt = now;
  // What was long ago would slow down the next start.
  if (decision.replicas === 0) target.averages = averagesOf(target.revision);
  return decision.replicas;
}

function loadOf(target: Target, active: number, now: number): Load {
  const { averages, told, revision, startingSince = -Infinity } = target;
  const average = averages.over(windowOf(revision));
  const isStarting = now - startingSince < longestStartMs;
  if (active > 0 || told > 0 || average > 0 || isStarting) target.idleSince = now;
  return {
    average,
    recent: revision.panicSeconds > 0 ? averages.over(revision.panicSeconds) : 0,
    idleMs: active > 0 || told > 0 ? 0 : now - target.idleSince,
  };
}

function tell(target: Target, { log }: AutoscalerOptions, problem: string | undefined): void {
  if (problem === target.trouble) return;
  target.trouble = problem;
  const of = nameOfTarget(target.revision.target);
  if (problem === undefined) log('info', 'can be scaled again', { target: of });
  else log('warn', 'cannot be scaled', { target: of, error: problem });
}
