// The PVCs of a Sandbox: made, or taken over where a label allows that, and never deleted (spec
// agent-sandbox 2.1.4). They are watched, so one that is gone is made again at once (G10).
import type { Intent } from '../../contract/intents.ts';
import { patchOf } from '../../contract/object-intents.ts';
import { object, stringMap } from '../../kubernetes/json.ts';
import type { KubeObject } from '../../kubernetes/objects.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { isWatchedFor, refusalOf, writtenAs } from '../objects/adoption.ts';
import { label } from '../objects/labels.ts';
import { nameHash } from '../objects/name-hash.ts';
import { controllerReference } from '../objects/owner.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import type { SandboxContext, Step } from './context.ts';
import { hasExpired } from './expiry.ts';
import { situationOf } from './situation.ts';
import type { WantedVolume } from './situation.ts';

export const volumes = classified<SandboxContext, ObservedSandbox>({
  blocked: (context, own, now) =>
    !hasExpired(own, now) && situationOf(context, own).refusals.volume !== undefined,
  missing: (context, own, now) =>
    !hasExpired(own, now) &&
    situationOf(context, own).volumes.some(({ owned }) => owned === undefined),
  complete: otherwise,
});

/** In their order, up to the first that cannot be had. */
export const ensureVolumes: Step = (context, own) => {
  const intents: Intent[] = [];
  for (const wanted of situationOf(context, own).volumes) {
    const { owned, other } = wanted;
    const isRefused = other !== undefined && refusalOf('volume', other, own) !== undefined;
    // Nobody would tell that it is gone.
    if (owned === undefined && (other === undefined || (isRefused && !isWatchedFor(other)))) {
      intents.push(creationOf(wanted, own));
    }
    if (isRefused) break;
    if (other !== undefined) {
      const { resourceVersion, ownerReferences: others } = other;
      const ownerReferences = [...others, controllerReference(own)];
      const reason = `PVC ${other.name} has no owner and may be taken over`;
      const patch = { metadata: { ownerReferences } };
      intents.push(patchOf(writtenAs(other), reason, patch, { resourceVersion }));
    }
  }
  return { intents, changes: {} };
};

/** What the template says of it goes there as it stands (R63). */
function creationOf({ name, template }: WantedVolume, own: ObservedSandbox): Intent {
  const { namespace } = own;
  const metadata = object(template['metadata']);
  const body: KubeObject = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace,
      labels: {
        ...stringMap(metadata['labels']),
        [label.sandboxNameHash]: nameHash(own.name),
      },
      annotations: stringMap(metadata['annotations']),
      ownerReferences: [controllerReference(own)],
    },
    spec: object(template['spec']),
  };
  const ref = { kind: 'SandboxVolume', namespace, name } as const;
  return { type: 'createObject', ref, reason: `PVC ${name} is missing`, body };
}
