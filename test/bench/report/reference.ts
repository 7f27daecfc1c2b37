// What our figures are held against, all for 500 replicas of two pods: Grove at fcc3b3bb on the
// same recipe and a machine of two cores, and what we aim at. The page shows them where the size is
// that.

export const referenceReplicas = 500;

/** Texts as they stand in a table, by key of a result. */
export type Figures = Readonly<Record<string, string>>;

export const groveCommit = 'fcc3b3bb';

export const grove: Readonly<Record<'S1' | 'S2', Figures>> = {
  S1: {
    created_s: '36.1',
    ready_s: '54.0',
    available_s: '58.0',
    gone_s: '186.7',
    controller_cpu_s: '12.4',
    apiserver_cpu_s: '44.6',
    writes: '12,873 with a touch',
    conflicts: '1',
  },
  S2: {
    created_s: '16.0',
    ready_s: '44.3',
    available_s: '45.3',
    gone_s: '16.5',
    controller_cpu_s: '10.8',
    apiserver_cpu_s: '42.0',
  },
};

/** Without regard to limits. */
export const groveElsewhere: Figures = {
  zero_to_few_created_s: '5.2',
  zero_to_few_ready_s: '5.7',
  few_to_zero_s: '20',
  writes_touch: '500',
  controller_cpu_touch_s: '0.5 to 0.7',
  controller_rss_mb: '131 to 136',
};

export const aims: Readonly<Record<'S1' | 'S2', Figures>> = {
  S1: {
    created_s: '10',
    ready_s: '20.5',
    available_s: '21',
    gone_s: '11',
    writes: '4,200',
    conflicts: '0',
  },
  S2: {
    created_s: '7.5',
    ready_s: '14',
    available_s: '14.5',
    gone_s: '12',
    writes: '3,700',
    conflicts: '0',
  },
};

export const aimsElsewhere: Figures = {
  scale_down_s: '8',
  scale_to_zero_s: '11',
  zero_to_few_ready_s: '0.5',
  few_to_zero_s: '1',
  restart_ready_s: '3',
  writes_restart: '0',
  writes_touch: '0',
  writes_idle: '0',
  controller_cpu_s: '3.5',
  apiserver_cpu_s: '16',
  created_ratio: '1.1',
  ready_ratio: '1.1',
  gone_ratio: '1.1',
};

/** In floors, but for the conflicts. */
export const updateAims: Figures = { update_s: '1.15', writes: '1.05', conflicts: '0' };

/** agent-sandbox's latencies of claims in milliseconds, by case: P50, P90 and P99 as published
 *  (spec agent-sandbox 5.5), on a cluster that is not named. */
export const publishedClaims: Readonly<Record<string, readonly number[]>> = {
  '300': [173.4, 237.7, 393.4],
  '100': [98.5, 219.5, 246.9],
};

/** The same raw, as it was measured earlier on two cores; of P90 nothing is known. */
export const originalClaims: Readonly<Record<string, readonly (number | undefined)[]>> = {
  '300': [3550, undefined, 7500],
  '750': [7000, undefined, 13_600],
  '100': [620, undefined, 1400],
};

/** By key of a result, of the original there too. */
export const originalClaimCosts: Figures = {
  audited_writes_per_claim: '14 to 20',
  conflicts: '101 to 536 a run',
  apiserver_ms_per_claim: '39 to 46',
};
