// Which cliques share memory over NVLink, and what their pods need for it (spec controllers 8.1): a
// group named by annotation, and a claim to a channel of the group's ComputeDomain. Used by the
// podcliqueset actor, which makes the domains, and wherever PodCliques are built.
import { at, type StringMap } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { amountOf } from '../../kubernetes/quantity.ts';
import { annotation } from './labels.ts';
import { containersIn, withClaim } from './pod-spec.ts';

/** The value that says: no group, whatever the layers below say. */
const optedOut = 'none';

/** Of the claim in a pod spec. */
const claimName = 'mnnvl-claim';

/**
 * The group that a clique is enrolled in: of the first layer that has the annotation (clique,
 * scaling group, set); undefined where none has it or that one opts out.
 */
export function groupIn(layers: readonly (StringMap | undefined)[]): string | undefined {
  const value = layers.map(groupOf).find((group) => group !== undefined);
  return value === optedOut ? undefined : value;
}

const groupOf = (annotations: StringMap | undefined): string | undefined =>
  annotations?.[annotation.mnnvlGroup];

/** Why the annotation of a layer names no group, or undefined (spec api 3.6). */
export function errorOfGroup(annotations: StringMap | undefined): string | undefined {
  const group = groupOf(annotations);
  if (group === undefined || /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(group)) return undefined;
  return (
    `annotation ${annotation.mnnvlGroup} is ${JSON.stringify(group.slice(0, 80))}; it must be` +
    ` "${optedOut}" or a DNS-1123 label of at most 63 characters`
  );
}

/** True where some container or init container asks for GPUs. Those that come by a claim do not
 *  show. */
export const usesGpus = (podSpec: unknown): boolean => containersIn(podSpec).some(asksForGpus);

const asksForGpus = (container: JsonObject): boolean =>
  ['limits', 'requests'].some((field) => {
    const amount = amountOf(at(container, 'resources', field, 'nvidia.com/gpu'));
    return amount !== undefined && amount !== 0;
  });

/**
 * The pod spec with a claim to a channel of the domain, in every container that asks for GPUs. A
 * claim of that name that the user made stays, and nothing is added then. NVIDIA's driver makes the
 * template of the claim, which has the name of the domain.
 */
export const withChannel = (podSpec: JsonObject, domain: string): JsonObject =>
  withClaim(podSpec, { name: claimName, resourceClaimTemplateName: domain }, asksForGpus);
