// What the tests on the real control plane are given, and what they are told where it is not there.
// Filled in by global-setup.ts, taken by stage.ts.

/** One cluster and one NATS server for all test files. */
export interface Given {
  /** Folder for everything that tests write: gone with the run, or with the next. */
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

declare module 'vitest' {
  interface ProvidedContext {
    readonly real: Given | NotGiven;
  }
}
