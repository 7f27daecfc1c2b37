// What a golden trace is of: a set that is deployed and at rest, and what befalls it. The scenarios
// are in the files beside; golden.test.ts runs them.
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { workload } from '#test/support/gangs.ts';
import { cliqueSet, groupedSet } from '#test/support/samples.ts';
import { delayS, type Run } from './run.ts';

export interface Scenario {
  /** The first line of its text. */
  readonly about: string;
  readonly set: KubeObject;
  readonly play: (run: Run) => void;
}

/** By the name of the file. */
export type Scenarios = Readonly<Record<string, Scenario>>;

/** Clique `worker`. */
export const workers = (sets: number, replicas = 2, minAvailable = 1): KubeObject =>
  cliqueSet(sets, [{ name: 'worker', replicas, minAvailable }]);

/** Cliques `worker` and `router`. */
export const routed = (sets: number): KubeObject =>
  cliqueSet(sets, [
    { name: 'worker', replicas: 2, minAvailable: 1 },
    { name: 'router', replicas: 2, minAvailable: 1 },
  ]);

/** Clique `worker`, and group `engine` of `leader` and `hand`. */
export const engines = (sets: number, replicas: number): KubeObject =>
  groupedSet(sets, { replicas, minAvailable: 1 });

const quick = { terminationDelay: `${delayS}s` };

/** Clique `a`, and group `x` of `b` and `c` (spec controllers 10.3), with a short delay. */
export const gangs = (...[minimums, sets = 1]: Parameters<typeof workload>): KubeObject =>
  workload(minimums, sets, quick);
