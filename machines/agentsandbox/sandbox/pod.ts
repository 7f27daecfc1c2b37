// The one pod of a Sandbox: made under the Sandbox's name, taken over where a label allows that,
// deleted where the Sandbox is suspended or has expired, and left alone where there is any doubt
// (spec agent-sandbox 2.1.5).
import { deletionOf, patchOf, warning } from '../../contract/object-intents.ts';
import { isObject, list, object } from '../../kubernetes/json.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { idle } from '../../statechart/step.ts';
import { isWatchedFor, writtenAs } from '../objects/adoption.ts';
import type { ObservedPod } from '../objects/belongings.ts';
import { annotation } from '../objects/labels.ts';
import { controllerReference } from '../objects/owner.ts';
import { newPodMetadata, podMetadataPatch } from '../objects/pod-metadata.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import type { Result, SandboxContext, Step } from './context.ts';
import { hasExpired, isMarking } from './expiry.ts';
import { podNameIn, situationOf, volumeName } from './situation.ts';

export const isSuspended = ({ operatingMode }: ObservedSandbox): boolean =>
  operatingMode === 'Suspended';

/** The one that it has; undefined: none, or several. */
export function podOf(context: SandboxContext, own: ObservedSandbox): ObservedPod | undefined {
  const { owned } = situationOf(context, own);
  return owned.length === 1 ? owned[0] : undefined;
}

export const hasSeveral = (context: SandboxContext, own: ObservedSandbox): boolean =>
  situationOf(context, own).owned.length > 1;

export const isFinished = ({ phase }: ObservedPod): boolean =>
  phase === 'Succeeded' || phase === 'Failed';

/** With an address, as a Sandbox is of no use without (R59). */
export const isPodReady = ({ phase, isReady, podIPs }: ObservedPod): boolean =>
  phase === 'Running' && isReady && podIPs.length > 0;

const hasPod =
  (is: (pod: ObservedPod) => boolean) =>
  (context: SandboxContext, own: ObservedSandbox): boolean => {
    const pod = podOf(context, own);
    return pod !== undefined && is(pod);
  };

export const pod = classified<SandboxContext, ObservedSandbox>({
  /** It has expired: there is none, or it stays until everybody can see that. */
  over: (context, own, now) =>
    isMarking(own, now) || (hasExpired(own, now) && situationOf(context, own).owned.length === 0),
  several: (context, own, now) => !hasExpired(own, now) && hasSeveral(context, own),
  leaving: (context, own, now) =>
    hasExpired(own, now) || (isSuspended(own) && podOf(context, own) !== undefined),
  none: (_, own) => isSuspended(own),
  foreign: (context, own) => situationOf(context, own).refusals.pod !== undefined,
  adoptable: (context, own) => situationOf(context, own).other !== undefined,
  missing: (context, own) => situationOf(context, own).owned.length === 0,
  terminating: hasPod(({ deleting }) => deleting),
  finished: hasPod(isFinished),
  ready: hasPod(isPodReady),
  starting: otherwise,
});

/** Of the template alone: a pod that is there keeps its spec. */
function podBody(own: ObservedSandbox): KubeObject {
  const { namespace, name, podTemplate } = own;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      ...newPodMetadata(own),
      ownerReferences: [controllerReference(own)],
    },
    spec: { ...object(podTemplate['spec']), ...volumesOf(own) },
  };
}

/** PVCs take the place of volumes of their names. */
function volumesOf(own: ObservedSandbox): { volumes?: JsonObject[] } {
  const claims = own.volumeClaimTemplates.map((template): JsonObject => ({
    name: object(template['metadata'])['name'] ?? '',
    persistentVolumeClaim: { claimName: volumeName(own, template) },
  }));
  if (claims.length === 0) return {};
  const names = new Set(claims.map(({ name }) => name));
  const volumes = list(object(own.podTemplate['spec'])['volumes']).filter(isObject);
  return { volumes: [...volumes.filter((volume) => !names.has(volume['name'] ?? '')), ...claims] };
}

export const createPod: Step = (_, own) => ({
  intents: [
    {
      type: 'createObject',
      ref: { kind: 'SandboxPod', namespace: own.namespace, name: own.name },
      reason: 'its pod is missing',
      body: podBody(own),
      ...(own.controller?.kind === 'SandboxWarmPool' && ({ urgency: 'behind' } as const)),
    },
  ],
  changes: {},
});

/** Of a pod without our labels no watch tells that it is gone: whoever tries finds out. */
export const retryPod: Step = (context, own, now) => {
  const { other } = situationOf(context, own);
  return other === undefined || isWatchedFor(other) ? idle : createPod(context, own, now);
};

/** As it was read: somebody else may take it at the same time. */
export const adoptPod: Step = (context, own) => {
  const { other } = situationOf(context, own);
  if (other === undefined) return idle;
  const { ownerReferences, resourceVersion } = other;
  const metadata = {
    ...podMetadataPatch(own, other),
    ownerReferences: [...ownerReferences, controllerReference(own)],
  };
  const reason = 'its pod has no owner and may be taken over';
  return {
    intents: [patchOf(writtenAs(other), reason, { metadata }, { resourceVersion })],
    changes: {},
  };
};

/** Never one of another owner (R53). */
export const deletePods: Step = (context, own, now) => ({
  intents: situationOf(context, own)
    .owned.filter(({ deleting }) => !deleting)
    .map((one) =>
      deletionOf(writtenAs(one), hasExpired(own, now) ? 'it has expired' : 'it is suspended'),
    ),
  changes: {},
});

/** The Sandbox names the pod before anybody sees it ready (S4). */
export const recordPodName: Step = (context, own) => {
  const name = podOf(context, own)?.name;
  return name === undefined || name === podNameIn(own) ? idle : withPodName(own, name);
};

/** It names a pod that is not its own, or one that is gone and of another name than the next one
 *  (R51). */
export const dropStaleName: Step = (context, own) => {
  const name = podNameIn(own);
  const { other } = situationOf(context, own);
  const isAwaited = other === undefined && name === own.name;
  const isNobodys = other?.name === name && other.controller === undefined;
  return name === '' || isAwaited || isNobodys ? idle : withPodName(own, null);
};

export const dropPodName: Step = (_, own) =>
  podNameIn(own) === '' ? idle : withPodName(own, null);

const withPodName = (own: ObservedSandbox, name: string | null): Result => ({
  intents: [
    patchOf(own, name === null ? 'it names a pod that it does not have' : 'the name of its pod', {
      metadata: { annotations: { [annotation.podName]: name } },
    }),
  ],
  changes: {},
});

export const sayMultiple = (context: SandboxContext, own: ObservedSandbox): string => {
  const { length } = situationOf(context, own).owned;
  return `multiple Pods (${length}) are controlled by this Sandbox; refusing to choose or create a Pod`;
};

/** Once, also after a restart: the status says it then. */
export const announceSeveral: Step = (context, own) => {
  if (context.hasToldMultiple) return idle;
  const isKnown = own.ready?.['reason'] === 'MultiplePods';
  const event = warning(own, 'MultiplePods', sayMultiple(context, own));
  return { intents: isKnown ? [] : [event], changes: { hasToldMultiple: true } };
};

export const forgetSeveral: Step = ({ hasToldMultiple }) =>
  hasToldMultiple ? { intents: [], changes: { hasToldMultiple: false } } : idle;
