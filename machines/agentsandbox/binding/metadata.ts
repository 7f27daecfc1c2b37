// What the metadata of a claim's Sandbox and of its pod template are to be: at the take-over of a
// member, when a Sandbox is made for a claim, and after the template or the claim has changed (spec
// agent-sandbox 2.4.4 step 3, 2.4.5 step 3).
import { at, stringMap, word } from '../../kubernetes/json.ts';
import type { StringMap } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { ObservedClaim } from '../objects/claim.ts';
import { annotation, label } from '../objects/labels.ts';
import { nameHash } from '../objects/name-hash.ts';
import type { ObservedTemplate } from '../objects/template.ts';
import type { AgentSandboxSettings } from '../settings.ts';
import { errorOfMetadata, type PodMetadata } from './rules.ts';

export const podMetadataOf = (podTemplate: JsonObject): PodMetadata => ({
  labels: stringMap(at(podTemplate, 'metadata', 'labels')),
  annotations: stringMap(at(podTemplate, 'metadata', 'annotations')),
});

/** What is wrong with the metadata that a claim asks for; the template, where it is known, must not
 *  say another. */
export const errorOfClaim = (
  { podLabels, podAnnotations }: Pick<ObservedClaim, 'podLabels' | 'podAnnotations'>,
  { claims: { labelDomains } }: AgentSandboxSettings,
  template?: ObservedTemplate,
): string | undefined =>
  errorOfMetadata(
    { labels: podLabels, annotations: podAnnotations },
    { domains: labelDomains, template: template && podMetadataOf(template.podTemplate) },
  );

/** Labels that a Sandbox and its pod template have in common (R22). */
export const sharedLabels = (claim: ObservedClaim, refHash: string): StringMap => {
  const createdBy = word(claim.labels[label.createdBy]);
  return {
    [label.claimUid]: claim.uid,
    [label.templateRefHash]: refHash,
    ...(createdBy === undefined ? {} : { [label.createdBy]: createdBy }),
  };
};

/** The whole metadata of the pod template, by the template as it is now (R21). */
export function podMetadataFor(claim: ObservedClaim, template: ObservedTemplate): PodMetadata {
  const { labels, annotations } = podMetadataOf(template.podTemplate);
  return {
    labels: { ...labels, ...sharedLabels(claim, nameHash(template.name)), ...claim.podLabels },
    annotations: { ...annotations, ...claim.podAnnotations },
  };
}

const ofPool = [label.warmPool, label.podTemplateHash, label.templateHash] as const;

/** The same where the template cannot be read: what a member has, less what the pool has put
 *  there. */
export function podMetadataWithout(
  claim: ObservedClaim,
  podTemplate: JsonObject,
  refHash: string,
): PodMetadata {
  const { labels, annotations } = podMetadataOf(podTemplate);
  const kept = without(labels, [...ofPool, label.createdBy]);
  const isDefault = annotations[annotation.safeToEvict] === 'true';
  return {
    labels: { ...kept, ...sharedLabels(claim, refHash), ...claim.podLabels },
    annotations: {
      ...without(annotations, isDefault ? [annotation.safeToEvict] : []),
      ...claim.podAnnotations,
    },
  };
}

const without = (map: StringMap, names: readonly string[]): StringMap =>
  Object.fromEntries(Object.entries(map).filter(([name]) => !names.includes(name)));

/** Nulls for labels of the pool that are on a Sandbox. */
export const withoutPoolLabels = (labels: StringMap): JsonObject =>
  Object.fromEntries(ofPool.filter((name) => name in labels).map((name) => [name, null]));

/** The trace of the claim, for the Sandbox. */
export function traceOf({ annotations }: ObservedClaim): StringMap {
  const trace = word(annotations[annotation.traceContext]);
  return trace === undefined ? {} : { [annotation.traceContext]: trace };
}
