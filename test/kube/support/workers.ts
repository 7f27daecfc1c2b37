// Kinds that are selected by a label: pods of workers, which the API knows as pods like all others,
// and the nodes that they run on, which have no namespace.
import type { KindRow } from '#machines/contract/kind.ts';
import { addKinds } from '#machines/kinds.ts';

export const workerLabel = 'example.dev/worker';

const workerKinds = {
  WorkerPod: {
    apiVersion: 'v1',
    kind: 'Pod',
    plural: 'pods',
    labelled: workerLabel,
    writes: [],
    owners: [],
  },
  OwnWorkerPod: {
    apiVersion: 'v1',
    kind: 'Pod',
    plural: 'pods',
    managedBy: 'grove-operator',
    labelled: workerLabel,
    writes: [],
    owners: [],
  },
  WorkerNode: {
    apiVersion: 'v1',
    kind: 'Node',
    plural: 'nodes',
    labelled: workerLabel,
    writes: ['patch'],
    owners: [],
    isClusterScoped: true,
  },
} as const satisfies Record<string, KindRow>;

declare module '#machines/contract/kind.ts' {
  interface KindNames extends Record<keyof typeof workerKinds, true> {}
}

addKinds(workerKinds, {});
