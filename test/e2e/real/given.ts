// What the tests on the real control plane are given, and what they are told where it is not there.
// Filled in by global-setup.ts, taken by stage.ts.
import { inject } from 'vitest';

/** A cluster and a NATS server: for the test files of one worker, one after the other. */
export interface Given {
  /** Folder for everything that these files write: gone with the run, or with the next. */
  readonly root: string;
  /** Folder of the cluster (test/cluster), with its audit log. */
  readonly folder: string;
  readonly kubeconfig: string;
  /** Of the chart's ServiceAccount, in the namespace of its release: may do what that grants. */
  readonly controllerKubeconfig: string;
  readonly etcdUrl: string;
  readonly natsUrl: string;
}

export interface NotGiven {
  /** One sentence: what is missing and what to do. */
  readonly missing: string;
}

/** One for each worker. */
export interface Planes {
  readonly perWorker: readonly Given[];
}

/** What the worker has in which this is called. */
export function givenHere(): Given | NotGiven {
  const provided = inject('real');
  if ('missing' in provided) return provided;
  const { perWorker } = provided;
  const mine = perWorker[(Number(process.env['VITEST_POOL_ID'] ?? 1) - 1) % perWorker.length];
  return mine ?? { missing: 'no control plane was started' };
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly real: Planes | NotGiven;
  }
}
