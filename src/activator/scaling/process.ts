// Who is told of the requests of a process: the autoscaler of this process, Knative's, both or
// nobody. Made by ../process.ts.
import type { Clock, Random } from '#actors/ports.ts';
import type { ScaleSettings } from '#machines/activator/autoscaler/decide.ts';
import type { Configuration } from '#src/config/schema.ts';
import type { Check } from '#src/http/probes.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import type { Log } from '#src/log/log.ts';
import type { RevisionPlane } from '../data-plane.ts';
import type { RevisionRow } from '../sources/configured.ts';
import { type Autoscaler, type ScaledRevision, startAutoscaler } from './autoscaler.ts';
import { type KnativeReports, startKnativeReports } from './knative.ts';
import { Ledger } from './ledger.ts';

export interface ProcessDemandOptions {
  readonly configuration: Configuration;
  readonly transport: Pick<KubeTransport, 'request'>;
  readonly plane: Pick<RevisionPlane, 'find'>;
  /** Name of this process, for Knative's autoscaler. */
  readonly pod: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Pick<Log, 'line'>;
}

export interface ProcessDemand {
  readonly ledger: Ledger;
  readonly ready: readonly Check[];
  stop(): Promise<void>;
}

export function processDemand(options: ProcessDemandOptions): ProcessDemand {
  const { configuration, clock } = options;
  const { autoscaler, knative } = configuration.activator;
  let scaler: Autoscaler | undefined;
  let reports: KnativeReports | undefined;
  const ledger = new Ledger({
    clock,
    report: (batch) => {
      scaler?.report(batch);
      reports?.report(batch);
    },
  });
  if (autoscaler.enabled) scaler = autoscalerOf(options, ledger);
  if (knative.autoscalerUrl !== undefined) {
    const { log } = options;
    reports = startKnativeReports({ ...options, url: knative.autoscalerUrl, log: log.line });
  }
  return {
    ledger,
    ready: reports === undefined ? [] : [reports.ready],
    stop: async () => {
      ledger.stop();
      reports?.stop();
      await scaler?.stop();
    },
  };
}

function autoscalerOf(options: ProcessDemandOptions, ledger: Ledger): Autoscaler {
  const { configuration, plane, log } = options;
  const { activator } = configuration;
  return startAutoscaler({
    ...options,
    log: log.line,
    revisions: activator.revisions.flatMap((row) => scaledOf(row, activator.autoscaler)),
    active: (revision) => ledger.active(revision),
    ready: (revision) => {
      const [namespace = '', name = ''] = revision.split('/');
      return plane.find(namespace, name)?.admission.table.figures.routable;
    },
  });
}

/** Share of its limit that a pod is to be used to, and how much where it has none: Knative's. */
const usedShare = 0.7;
const unlimitedTarget = 100;

function scaledOf(
  row: RevisionRow,
  autoscaler: Configuration['activator']['autoscaler'],
): readonly ScaledRevision[] {
  const { namespace, name, scale, containerConcurrency, maxScale } = row;
  if (scale.kind === 'none') return [];
  const { windowSeconds, panicPercent, panicThreshold, graceSeconds, maxRisePerSecond } =
    autoscaler;
  const byLimit = containerConcurrency > 0 ? containerConcurrency * usedShare : unlimitedTarget;
  const panicSeconds = Math.ceil((windowSeconds * panicPercent) / 100);
  const settings: ScaleSettings = {
    target: scale.target > 0 ? scale.target : byLimit,
    least: scale.least,
    most: maxScale,
    windowMs: windowSeconds * 1_000,
    panicThreshold: panicSeconds > 0 ? panicThreshold : 0,
    maxRise: Math.max(1, maxRisePerSecond),
    graceMs: graceSeconds * 1_000,
  };
  const target = { kind: scale.kind, namespace, name: scale.name ?? name };
  return [{ revision: `${namespace}/${name}`, target, settings, panicSeconds }];
}
