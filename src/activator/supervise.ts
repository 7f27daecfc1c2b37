// The actors of revisions over the data plane that they instruct, under one supervisor. Started by
// start.ts, and by tests on a clock of their own.
import type { Clock, ClusterPort, Ids, Random, Telemetry } from '#actors/ports.ts';
import { soleOwner } from '#actors/shards/shard.ts';
import type { SupervisionStrategy } from '#actors/supervision/strategy.ts';
import { createSystem, type ActorSystem, type SystemOptions } from '#actors/system.ts';
import { activator } from '#machines/activator/module.ts';
import {
  type ActivatorInput,
  type ActivatorSettings,
  defaultSettings,
} from '#machines/activator/settings.ts';
import { type Module, withSettings } from '#machines/contract/module.ts';
import { RevisionPlane, type PlaneOptions } from './data-plane.ts';
import type { Probe } from './validations.ts';

/** Requests are served from the table meanwhile, so there is time (spec activator T-15): 0.1 s, 0.2
 *  s and so on up to 30 s, and parked after ten restarts in five minutes. */
export const revisionSupervision: SupervisionStrategy = {
  intensity: 10,
  windowMs: 300_000,
  backoff: { minMs: 100, maxMs: 30_000, jitter: 0.1 },
};

export interface RevisionsOptions extends Pick<SystemOptions, 'restoresCharts'> {
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly cluster: ClusterPort;
  readonly telemetry: Telemetry;
  readonly probe: Probe;
  readonly settings?: Partial<ActivatorSettings>;
  readonly limits?: PlaneOptions['limits'];
  /** That the process remembers of its actors; absent: as many as any process does. */
  readonly facts?: number;
  /** Default: the activator's. A test hands in one that fails. */
  readonly module?: Module<ActivatorInput>;
}

export interface Revisions {
  /** Takes Revisions and EndpointSlices, as a watch or a configuration of our own has them. */
  readonly system: ActorSystem;
  /** Gives permits to requests. */
  readonly plane: RevisionPlane;
  stop(): Promise<void>;
}

/** Each process has all revisions: requests for any of them may come to it. */
export function superviseRevisions(options: RevisionsOptions): Revisions {
  const { clock, random, ids, cluster, telemetry, probe, limits, facts } = options;
  const plane = new RevisionPlane({
    clock,
    random,
    probe,
    log: telemetry.log,
    ...(limits === undefined ? {} : { limits }),
    signal: (to, fact) => system.signal(to, fact),
  });
  const module = withSettings(options.module ?? activator, {
    ...defaultSettings,
    ...options.settings,
  });
  const system = createSystem({
    behaviours: module.behaviours,
    routes: module.routes,
    ports: {
      cluster,
      clock,
      random,
      ids,
      telemetry,
      lease: soleOwner(),
      planes: new Map([['revision', plane]]),
    },
    delivery: 'direct',
    supervision: revisionSupervision,
    restoresCharts: options.restoresCharts ?? false,
    ...(facts === undefined ? {} : { limits: { facts } }),
  });
  return {
    system,
    plane,
    stop: async () => {
      await system.stop();
      plane.stop();
    },
  };
}
