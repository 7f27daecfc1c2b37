// Builds the pod with a given index (spec controllers 1.3.4): metadata, environment, host name, the
// gate where it must wait, and the start-up container where the clique starts after others. Parts
// of the PodClique are shared, never changed.
import { listAt } from '../../kubernetes/fields.ts';
import { secretName } from '../objects/names.ts';
import { withClaim, withEnvironment } from '../objects/pod-spec.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import {
  annotation,
  baseLabels,
  controlledBy,
  label,
  podGate,
  startContainerName,
} from '../objects/labels.ts';
import { hostname, type PodSlot } from '../objects/pod-names.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { Marks } from '../objects/mirror.ts';

export interface PodOptions {
  readonly schedulerName: string;
  /** What the scheduler needs besides its name. */
  readonly marks: Marks;
  /** Image of the start-up container, with its tag. */
  readonly initContainerImage: string;
  /** True: our gate holds the pod back. */
  readonly isHeld: boolean;
  /** Names of the ResourceClaims that it shares, in order (8.2). */
  readonly claims: readonly string[];
  /** Of pods that ended, in quick succession until now. */
  readonly replacements: number;
  /** minAvailable of each PodClique that this one starts after, by name. */
  readonly parents: ReadonlyMap<string, number>;
}

export function buildPod(clique: ObservedClique, slot: PodSlot, options: PodOptions): KubeObject {
  const given = Object.entries(clique.annotations).filter(([key]) => !ofClique.has(key));
  const { replacements } = options;
  const annotations = {
    ...Object.fromEntries(given),
    ...options.marks.annotations,
    ...(replacements > 0 ? { [annotation.replacements]: String(replacements) } : {}),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: slot.name,
      namespace: clique.namespace,
      labels: { ...podLabels(clique, slot.index), ...options.marks.labels },
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ownerReferences: [controlledBy(clique)],
    },
    spec: podSpec(clique, slot.index, options),
  };
}

/** What says something of the PodClique alone, or of one pod. */
const ofClique: ReadonlySet<string> = new Set([
  annotation.generationHash,
  annotation.templateLabels,
  annotation.templateAnnotations,
  annotation.replacements,
]);

const podLabels = (clique: ObservedClique, index: number): Record<string, string> => ({
  ...baseLabels(clique.set),
  ...clique.labels,
  [label.podClique]: clique.name,
  [label.podGang]: clique.gang ?? '',
  [label.podIndex]: String(index),
});

function podSpec(clique: ObservedClique, index: number, options: PodOptions): JsonObject {
  const { schedulingGates: _, ...plain } = clique.podSpec;
  const template = options.claims.reduce(
    (spec, name) => withClaim(spec, { name, resourceClaimName: name }),
    plain,
  );
  const starts = clique.startsAfter.length > 0;
  const spec = withEnvironment(template, environment(clique));
  const inits = [
    ...listAt(spec, 'initContainers'),
    ...(starts ? [startContainer(clique, options)] : []),
  ];
  return {
    ...spec,
    schedulerName: options.schedulerName,
    ...(inits.length > 0 ? { initContainers: inits } : {}),
    ...(starts ? { volumes: [...listAt(spec, 'volumes'), ...startVolumes(clique)] } : {}),
    ...(options.isHeld ? { schedulingGates: [{ name: podGate }] } : {}),
    hostname: hostname(clique.name, index),
    subdomain: subdomain(clique),
  };
}

const replicaIndex = (clique: ObservedClique): string => clique.labels[label.replicaIndex] ?? '';

/** Name of the headless Service of the replica (spec api 4.1). */
const subdomain = (clique: ObservedClique): string => `${clique.set}-${replicaIndex(clique)}`;

function environment(clique: ObservedClique): readonly JsonObject[] {
  const podIndex = { fieldRef: { fieldPath: `metadata.labels['${label.podIndex}']` } };
  return [
    { name: 'GROVE_PCS_NAME', value: clique.set },
    { name: 'GROVE_PCS_INDEX', value: replicaIndex(clique) },
    { name: 'GROVE_PCLQ_NAME', value: clique.name },
    {
      name: 'GROVE_HEADLESS_SERVICE',
      value: `${subdomain(clique)}.${clique.namespace}.svc.cluster.local`,
    },
    { name: 'GROVE_PCLQ_POD_INDEX', valueFrom: podIndex },
  ];
}

const infoVolume = 'pod-info-vol';
const tokenVolume = 'sa-token-secret-vol';

/** The container that waits for the cliques before (spec controllers 6.2). */
function startContainer(clique: ObservedClique, options: PodOptions): JsonObject {
  return {
    name: startContainerName,
    image: options.initContainerImage,
    args: clique.startsAfter.map(
      (parent) => `--podcliques=${parent}:${options.parents.get(parent) ?? 1}`,
    ),
    volumeMounts: [
      { name: infoVolume, mountPath: '/var/grove/pod-info', readOnly: true },
      {
        name: tokenVolume,
        mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
        readOnly: true,
      },
    ],
  };
}

function startVolumes(clique: ObservedClique): JsonObject[] {
  const gangLabel = { fieldPath: `metadata.labels['${label.podGang}']` };
  return [
    { name: tokenVolume, secret: { secretName: secretName(clique.set), defaultMode: 420 } },
    {
      name: infoVolume,
      downwardAPI: {
        items: [
          { path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } },
          { path: 'podgangname', fieldRef: gangLabel },
        ],
      },
    },
  ];
}
