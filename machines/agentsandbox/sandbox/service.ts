// The headless Service of a Sandbox: made where it wants one, kept where it does not say, deleted
// where it wants none (spec agent-sandbox 2.1.6).
import { deletionOf, patchOf } from '../../contract/object-intents.ts';
import { isEqual, object } from '../../kubernetes/json.ts';
import { isWithin, patchInto } from '../../kubernetes/merge.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import type { Rule } from '../../statechart/region.ts';
import { idle } from '../../statechart/step.ts';
import { isWatchedFor, writtenAs } from '../objects/adoption.ts';
import type { ObservedService } from '../objects/belongings.ts';
import { label } from '../objects/labels.ts';
import { nameHash } from '../objects/name-hash.ts';
import { controllerReference } from '../objects/owner.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import { servicePorts } from '../objects/service-ports.ts';
import type { SandboxContext, Step } from './context.ts';
import { hasExpired, isMarking } from './expiry.ts';
import { hasSeveral } from './pod.ts';
import { situationOf } from './situation.ts';

/** Nothing is ready without it. */
export const isServiceRequired = (context: SandboxContext, own: ObservedSandbox): boolean =>
  own.service ?? situationOf(context, own).service !== undefined;

/** The one that it has and wants. */
export const serviceOf = (
  context: SandboxContext,
  own: ObservedSandbox,
): ObservedService | undefined =>
  own.service === false ? undefined : situationOf(context, own).service;

type Is = Rule<SandboxContext, ObservedSandbox>;

/** Not where several pods make it doubtful what it has, and not once it has expired. */
const isKept: Is = (context, own, now) => !hasExpired(own, now) && !hasSeveral(context, own);

const isLeaving: Is = (context, own, now) =>
  situationOf(context, own).service !== undefined &&
  (hasExpired(own, now)
    ? !isMarking(own, now)
    : own.service === false && !hasSeveral(context, own));

const isWanted: Is = (context, own, now) =>
  isKept(context, own, now) && isServiceRequired(context, own);

export const service = classified<SandboxContext, ObservedSandbox>({
  leaving: isLeaving,
  foreign: (context, own, now) =>
    isKept(context, own, now) && situationOf(context, own).refusals.service !== undefined,
  adoptable: (context, own, now) =>
    isWanted(context, own, now) && situationOf(context, own).otherService !== undefined,
  missing: (context, own, now) =>
    isWanted(context, own, now) && situationOf(context, own).service === undefined,
  drifted: (context, own, now) =>
    isWanted(context, own, now) && driftOf(context, own) !== undefined,
  settled: otherwise,
});

const selectorOf = ({ name }: ObservedSandbox): Record<string, string> => ({
  [label.sandboxNameHash]: nameHash(name),
});

const portsOf = ({ podTemplate }: ObservedSandbox): JsonObject[] => [
  ...servicePorts(object(podTemplate['spec'])),
];

/** Ports are the Sandbox's where it asks for a Service, and stay as they are where it does not. */
function driftOf(context: SandboxContext, own: ObservedSandbox): JsonObject | undefined {
  const there = situationOf(context, own).service;
  if (there === undefined || there.deleting) return undefined;
  const selector = selectorOf(own);
  const ports = portsOf(own);
  const spec: JsonObject = {
    ...(isEqual(selector, there.selector) ? {} : { selector: patchInto(there.selector, selector) }),
    ...(own.service === undefined || isWithin(ports, there.ports) ? {} : { ports }),
  };
  const isLabelled = isWithin(selector, there.labels);
  const patch: JsonObject = {
    ...(isLabelled ? {} : { metadata: { labels: selector } }),
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  };
  return Object.keys(patch).length === 0 ? undefined : patch;
}

export const createService: Step = (_, own) => {
  const { namespace, name } = own;
  const selector = selectorOf(own);
  const body: KubeObject = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels: selector, ownerReferences: [controllerReference(own)] },
    spec: { clusterIP: 'None', selector, ports: portsOf(own) },
  };
  const ref = { kind: 'SandboxService', namespace, name } as const;
  const reason = 'its Service is missing';
  return { intents: [{ type: 'createObject', ref, reason, body }], changes: {} };
};

/** Of a Service without our labels no watch tells that it is gone: whoever tries finds out. */
export const retryService: Step = (context, own, now) => {
  const { otherService } = situationOf(context, own);
  const isTold = otherService === undefined || isWatchedFor(otherService);
  return own.service !== true || isTold ? idle : createService(context, own, now);
};

/** As it was read: somebody else may take it at the same time. */
export const adoptService: Step = (context, own) => {
  const { otherService } = situationOf(context, own);
  if (otherService === undefined) return idle;
  const { ownerReferences, selector, resourceVersion } = otherService;
  const wanted = selectorOf(own);
  const patch: JsonObject = {
    metadata: {
      labels: wanted,
      ownerReferences: [...ownerReferences, controllerReference(own)],
    },
    spec: { selector: patchInto(selector, wanted), ports: portsOf(own) },
  };
  const reason = 'its Service has no owner and may be taken over';
  return {
    intents: [patchOf(writtenAs(otherService), reason, patch, { resourceVersion })],
    changes: {},
  };
};

export const repairService: Step = (context, own) => {
  const { service: there } = situationOf(context, own);
  const patch = driftOf(context, own);
  if (there === undefined || patch === undefined) return idle;
  return { intents: [patchOf(writtenAs(there), 'its Service was changed', patch)], changes: {} };
};

export const deleteService: Step = (context, own, now) => {
  const { service: there } = situationOf(context, own);
  if (there === undefined || there.deleting) return idle;
  const reason = hasExpired(own, now) ? 'it has expired' : 'it wants no Service';
  return { intents: [deletionOf(writtenAs(there), reason)], changes: {} };
};
