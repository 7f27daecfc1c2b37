// The two writes by which a claim gets a member, and the one that takes an assignment off again.
// Each carries UID and resourceVersion, so nothing is overwritten that was not seen, and each is
// made by the objects alone: after a restart it is made the same way (spec agent-sandbox 2.4.5).
//
// | write                    | object  | before Ready | why                                   |
// | ------------------------ | ------- | ------------ | ------------------------------------- |
// | patch: assignment        | claim   | yes          | a crash gives it no other (R1, R2);   |
// |                          |         |              | first-observed-at goes with it        |
// | patch: take-over         | Sandbox | yes          | its owner decides whose it is (H1)    |
// | status: Ready, name, IPs | claim   | yes          | what clients wait for (K1)            |
// | patch: first-ready-at    | claim   | no           | metrics are recorded once (R26)       |
// | Event SandboxAdopted     | claim   | no           | for people                            |
import { patchOf } from '../../../contract/object-intents.ts';
import type { Intent } from '../../../contract/intents.ts';
import { word } from '../../../kubernetes/json.ts';
import { patchInto } from '../../../kubernetes/merge.ts';
import type { JsonObject } from '../../../kubernetes/objects.ts';
import { podMetadataFor, podMetadataOf, podMetadataWithout } from '../../binding/metadata.ts';
import { sharedLabels, traceOf, withoutPoolLabels } from '../../binding/metadata.ts';
import type { ObservedClaim } from '../../objects/claim.ts';
import { annotation, label } from '../../objects/labels.ts';
import { nameHash } from '../../objects/name-hash.ts';
import { controllerReference } from '../../objects/owner.ts';
import type { ObservedSandbox } from '../../objects/sandbox.ts';
import type { ObservedTemplate } from '../../objects/template.ts';
import type { AssigningContext, Assignment } from './assigning.ts';

/** With nanoseconds, as Go's RFC3339Nano reads them. */
const withFraction = (ms: number): string => new Date(ms).toISOString();

export function assignmentOf(
  settings: AssigningContext['settings'],
  { claim, sandbox, sandboxUid, seenAt }: Assignment,
): Intent {
  const { resourceVersion } = claim;
  const isCold = sandbox === claim.name;
  const isSeen = word(claim.annotations[annotation.firstObservedAt]) !== undefined;
  const stamp: JsonObject =
    settings.claims.hasObservability && !isSeen && seenAt !== undefined
      ? { [annotation.firstObservedAt]: withFraction(seenAt) }
      : {};
  const reason = isCold ? 'it starts cold' : `it gets ${sandbox}`;
  return patchOf(
    claim,
    reason,
    {
      metadata: {
        annotations: {
          [annotation.assigned]: sandbox,
          ...(isCold || sandboxUid === undefined ? {} : { [annotation.assignedUid]: sandboxUid }),
          ...stamp,
        },
      },
    },
    { resourceVersion, urgency: 'first' },
  );
}

/** Annotation and label of older objects. */
export function clearingOf({ claim, sandbox }: Assignment): Intent {
  const { resourceVersion } = claim;
  const gone: JsonObject = { [annotation.assigned]: null };
  const labels: JsonObject = annotation.assigned in claim.labels ? { labels: gone } : {};
  const annotations: JsonObject = { ...gone, [annotation.assignedUid]: null };
  return patchOf(
    claim,
    `it cannot have ${sandbox}`,
    { metadata: { annotations, ...labels } },
    { resourceVersion, urgency: 'first' },
  );
}

/** Its owner, labels and annotations become those of a claim's Sandbox. Name and specs stay. */
export function takeOverOf(
  claim: ObservedClaim,
  member: ObservedSandbox,
  template: ObservedTemplate | undefined,
): Intent {
  const { name, resourceVersion, labels, podTemplate } = member;
  const refHash =
    word(labels[label.templateRefHash]) ?? (template === undefined ? '' : nameHash(template.name));
  const pod =
    template === undefined
      ? podMetadataWithout(claim, podTemplate, refHash)
      : podMetadataFor(claim, template);
  const { labels: podLabels, annotations } = podMetadataOf(podTemplate);
  const shared = sharedLabels(claim, refHash);
  const isStray = label.createdBy in labels && !(label.createdBy in shared);
  const patch: JsonObject = {
    metadata: {
      ownerReferences: [controllerReference(claim)],
      labels: {
        ...withoutPoolLabels(labels),
        ...(isStray ? { [label.createdBy]: null } : {}),
        [label.launchType]: 'warm',
        ...shared,
      },
      annotations: {
        [annotation.podName]: name,
        [annotation.pool]: claim.pool,
        ...traceOf(claim),
      },
    },
    spec: {
      podTemplate: {
        metadata: patchInto(
          { labels: podLabels, annotations },
          {
            labels: { ...pod.labels },
            annotations: { ...pod.annotations },
          },
        ),
      },
    },
  };
  return patchOf(member, `${claim.name} takes it over`, patch, {
    resourceVersion,
    urgency: 'first',
  });
}
