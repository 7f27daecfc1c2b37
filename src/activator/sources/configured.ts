// Revisions of our own configuration as objects in the shape of Knative's Revision, so that actors
// and the request path read both kinds alike.
import type { ActorKey } from '#machines/contract/address.ts';
import { annotation } from '#machines/activator/objects/labels.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { Configuration } from '#src/config/schema.ts';
import type { PodQuestion } from './probe.ts';

export type RevisionRow = Configuration['activator']['revisions'][number];

/** `activators`: the Service of the activators, as `namespace/name`; undefined: there is one. */
export const revisionOf = (row: RevisionRow, activators: string | undefined): KubeObject => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Revision',
  metadata: {
    namespace: row.namespace,
    name: row.name,
    uid: `configured/${row.namespace}/${row.name}`,
    resourceVersion: '1',
    generation: 1,
    annotations: {
      [annotation.service]: row.service ?? row.name,
      [annotation.port]: row.port,
      [annotation.maxScale]: String(row.maxScale),
      // Who is not asked has to be called ready by Kubernetes.
      [annotation.early]: String(row.probePath !== undefined),
      ...(row.policy === 'default' ? {} : { [annotation.policy]: row.policy }),
      ...(activators === undefined ? {} : { [annotation.activators]: activators }),
      ...(row.fullDuplex ? { 'features.knative.dev/http-full-duplex': 'Enabled' } : {}),
    },
  },
  spec: {
    containerConcurrency: row.containerConcurrency,
    timeoutSeconds: row.timeoutSeconds,
    responseStartTimeoutSeconds: row.responseStartTimeoutSeconds,
    idleTimeoutSeconds: row.idleTimeoutSeconds,
    containers: [],
  },
});

/** How pods are asked: those of Knative have a queue-proxy. */
export function questionsBy(rows: readonly RevisionRow[]): (revision: ActorKey) => PodQuestion {
  const byName = new Map(rows.map((row) => [`${row.namespace}/${row.name}`, questionOf(row)]));
  return ({ namespace, name }) => byName.get(`${namespace}/${name}`) ?? { how: 'queue-proxy' };
}

const questionOf = ({ probePath }: RevisionRow): PodQuestion =>
  probePath === undefined ? { how: 'believe' } : { how: 'path', path: pathOf(probePath) };

/** It may lack the slash, and have a query (H-133). */
const pathOf = (path: string): string => (path.startsWith('/') ? path : `/${path}`);
