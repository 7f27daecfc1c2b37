// Whose an object is that has the name of what a Sandbox makes: its own, nobody's, which it may
// take over if a label allows that, or somebody else's (spec agent-sandbox 2.1.4 to 2.1.6, R50,
// R52).
import type { Target } from '../../contract/object-intents.ts';
import type { Meta } from '../../kubernetes/meta.ts';
import type { Belonging, ObservedService } from './belongings.ts';
import { label } from './labels.ts';
import { nameHash } from './name-hash.ts';
import type { Controller } from './owner.ts';

export type Ownership = 'owned' | 'unowned' | 'other';

interface Controlled {
  readonly controller: Controller | undefined;
}

type Named = Pick<Meta, 'name' | 'uid'>;

/** By the UID of the controller alone: names and hashes are hints (H1). */
export function ownershipOf({ controller }: Controlled, { uid }: Named): Ownership {
  if (controller === undefined) return 'unowned';
  return controller.uid === uid ? 'owned' : 'other';
}

const what = { pod: 'pod', service: 'service', volume: 'PVC' } as const;

/** Why the Sandbox may neither use nor take over what has this name; undefined: it may. */
export function refusalOf(
  type: keyof typeof what,
  one: Controlled & Pick<Meta, 'name' | 'labels'>,
  own: Named,
): string | undefined {
  const { controller, name, labels } = one;
  if (controller?.uid === own.uid) return undefined;
  if (controller !== undefined) {
    const owner = `${controller.says}/${controller.name} (UID: ${controller.uid})`;
    return `${what[type]} "${name}" is owned by ${owner}, not by sandbox "${own.name}"`;
  }
  const isTracked = labels[label.sandboxNameHash] === nameHash(own.name);
  if (labels[label.adoptable] === 'true' || isTracked) return undefined;
  return (
    `cannot adopt unowned ${what[type]} "${name}": missing required pool authorization label ` +
    `("${label.adoptable}") or sandbox tracking label ("${label.sandboxNameHash}")`
  );
}

/** The same of a Service, of which headless ones alone can be taken over (R58). */
export function serviceRefusalOf(one: ObservedService, own: Named): string | undefined {
  const refusal = refusalOf('service', one, own);
  const { name, clusterIP, controller } = one;
  const isHeadless = clusterIP === 'None' || clusterIP === '';
  if (refusal !== undefined || controller !== undefined || isHeadless) return refusal;
  return `cannot adopt service "${name}": ClusterIP is "${clusterIP}" (expected "None", field is immutable)`;
}

const ours = {
  SandboxPod: 'SandboxPod',
  AdoptablePod: 'SandboxPod',
  SandboxService: 'SandboxService',
  AdoptableService: 'SandboxService',
  SandboxVolume: 'SandboxVolume',
  AdoptableVolume: 'SandboxVolume',
} as const satisfies Record<Belonging['kind'], Belonging['kind']>;

/** By whichever of its labels it was seen: under one name it has one write at a time. */
export const writtenAs = ({ kind, namespace, name, uid }: Belonging): Target => ({
  kind: ours[kind],
  namespace,
  name,
  uid,
});

/** Watches select by these labels: without one, nobody tells when the object goes. */
export const isWatchedFor = ({ labels }: Pick<Meta, 'labels'>): boolean =>
  labels[label.sandboxNameHash] !== undefined || labels[label.adoptable] !== undefined;
